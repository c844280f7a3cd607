// Which folders may be the base directory.
import {win32} from 'node:path'
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'

import {
  cniPluginsArtifact,
  containerdArtifact,
  crictlArtifact,
  kubernetesArtifact,
} from '../../src/artifacts/catalog.js'
import {normalizeBaseDir} from '../../src/config/base-dir.js'
import {layoutOf} from '../../src/config/layout.js'
import {releaseNode} from '../components/example.js'

const LONGEST = `C:\\${'k'.repeat(200)}\\${'w'.repeat(10)}`

describe('a good base directory', () => {
  it.each([
    [String.raw`c:\k`, String.raw`C:\k`],
    [String.raw`C:\k` + '\\', String.raw`C:\k`],
    ['c:/k/node', String.raw`C:\k\node`],
    [String.raw`d:\k8s\\win`, String.raw`D:\k8s\win`],
    [String.raw`C:\a\..\k\.`, String.raw`C:\k`],
    [String.raw`C:\Program Files\k8s win`, String.raw`C:\Program Files\k8s win`],
    [String.raw`C:\ProgramData\k`, String.raw`C:\ProgramData\k`],
    [String.raw`C:\Users\Jörg\узел`, String.raw`C:\Users\Jörg\узел`],
    [String.raw`C:\ProgramData\docker-node`, String.raw`C:\ProgramData\docker-node`],
    [String.raw`C:\var\k`, String.raw`C:\var\k`],
    [String.raw`D:\var`, String.raw`D:\var`],
    [String.raw`C:\k~node`, String.raw`C:\k~node`],
    [String.raw`C:\WindowsNode`, String.raw`C:\WindowsNode`],
    [String.raw`C:\console\common`, String.raw`C:\console\common`],
    [String.raw`C:\a\..\Windows\..\k`, String.raw`C:\k`],
    [LONGEST, LONGEST],
  ])('%s is %s', (given, path) => {
    expect(normalizeBaseDir(given)).toEqual({path})
  })

  it('leaves room for the longest path of a program', () => {
    const {binaries, cniBinaries, containerd} = layoutOf(LONGEST)
    const config = releaseNode('1.36.4')
    const programs = [
      [binaries, kubernetesArtifact(config)],
      [cniBinaries, cniPluginsArtifact(config)],
      [containerd.bin, containerdArtifact(config)],
      [containerd.bin, crictlArtifact(config)],
    ] as const
    const lengths = programs.flatMap(([folder, {members = {}}]) =>
      Object.values(members).map((name) => win32.join(folder, name).length),
    )
    expect(Math.max(...lengths)).toBe(259)
  })

  it('is the same when it is normalised again', () => {
    const name = fc.string({maxLength: 8, minLength: 1, unit: fc.constantFrom(...String.raw`aZ9 .-_ä語/\:;%?`)})
    const path = fc.tuple(fc.constantFrom('c:\\', 'D:/', 'C:'), fc.array(name, {maxLength: 4}))
    let good = 0
    fc.assert(
      fc.property(path, ([drive, names]) => {
        const once = normalizeBaseDir(drive + names.join('\\'))
        if ('problem' in once) return
        good += 1
        expect(normalizeBaseDir(once.path)).toEqual(once)
        expect(once.path).toMatch(/^[A-Z]:\\[^/]*[^\\/]$/)
      }),
      {numRuns: 2000},
    )
    expect(good).toBeGreaterThan(50)
  })
})

describe('a bad base directory', () => {
  const devices = [
    'con',
    'prn',
    'aux',
    'nul',
    'conin$',
    'CONOUT$',
    ...['com', 'LPT'].flatMap((port) => [...'0123456789¹²³'].map((digit) => port + digit)),
  ]
  const spellings = (name: string): string[] => [
    name,
    `${name}.txt`,
    `${name}.tar.gz`,
    `${name} .x`,
    `${name} `,
    `${name}.`,
    `${name}. .`,
  ]

  it.each(devices)('review S16: %s is a device, however it is spelt and wherever it stands', (device) => {
    for (const name of spellings(device)) {
      for (const path of [`C:\\${name}`, `c:/k/${name}`, `C:\\${name}\\k`]) {
        expect(normalizeBaseDir(path), path).toMatchObject({
          problem: expect.stringContaining('no folder named') as string,
        })
      }
    }
  })

  it.each(['con1', 'conin', 'com', 'com10', 'lpt¹1', 'nul-k', 'xcon', 'conin$x', 'com⁴'])(
    'review S16: %s is none',
    (name) => {
      expect(normalizeBaseDir(`C:\\${name}`)).toEqual({path: `C:\\${name}`})
    },
  )

  it.each([
    ['relative', 'k'],
    ['relative', String.raw`k\node`],
    ['relative', String.raw`..\k`],
    ['relative', 'c:k'],
    ['relative', 'c:'],
    ['relative', String.raw`\k`],
    ['empty', ''],
    ['empty', '  '],
    ['relative', '/etc/k'],
    ['UNC', String.raw`\\server\share\k`],
    ['UNC', '//server/share/k'],
    ['UNC', String.raw`\\?\C:\k`],
    ['root', 'c:\\'],
    ['root', 'c:/'],
    ['root', String.raw`C:\k\..`],
    ["Windows' own", String.raw`C:\Windows`],
    ["Windows' own", String.raw`c:\WINDOWS\system32`],
    ["Windows' own", String.raw`C:\k\..\Windows\Temp`],
    ["Windows' own", String.raw`C:\Program Files`],
    ["Windows' own", String.raw`C:\Program Files (x86)` + '\\'],
    ["Windows' own", String.raw`C:\ProgramData`],
    ["Windows' own", String.raw`C:\Users`],
    ["Windows' own", String.raw`C:\Documents and Settings`],
    ["Windows' own", String.raw`c:\System Volume Information`],
    ["Windows' own", String.raw`c:\$Recycle.Bin\k`],
    ["Windows' own", String.raw`D:\Recovery\k`],
    ["Docker's own", String.raw`c:\ProgramData\docker`],
    ["Docker's own", String.raw`c:\programdata\Docker\k`],
    ["Docker's own", String.raw`c:\Program Files\docker`],
    ...['var', 'etc', 'run', 'usr', String.raw`etc\kube-flannel`, String.raw`var\lib\cni`, String.raw`Var\log`].map(
      (folder) => ["the node's daemons' own", `c:\\${folder}`],
    ),
    ["the node's daemons' own", String.raw`c:\run\flannel\k`],
    ["the node's daemons' own", String.raw`c:\var\lib\kubelet\k`],
    ['give the long name', String.raw`c:\PROGRA~1`],
    ['give the long name', String.raw`c:\k\DOCKER~12.X\node`],
    ['no folder named "nul"', String.raw`C:\nul`],
    ['no folder named "CON.txt"', String.raw`C:\k\CON.txt`],
    ['no folder named "com1"', String.raw`C:\com1\k`],
    ['no folder named "k?"', String.raw`C:\k?`],
    ['no folder named "a:b"', String.raw`C:\a:b`],
    ['no folder named "k "', String.raw`C:\k \node`],
    ['no folder named "k."', String.raw`C:\k.\node`],
    ['no folder named "a"b"', String.raw`C:\a"b`],
    ['no folder named "a\tb"', 'C:\\a\tb'],
    ['no folder named "a\uD800"', 'C:\\a\uD800'],
    ['has 215 letters', `${LONGEST}w`],
    // PATH and KUBECONFIG are lists with ";", --cni-bin-dir one with ",", and a service's path is expanded.
    ['would split it', String.raw`C:\a;b`],
    ['would split it', String.raw`C:\a,b`],
    ['would split it', String.raw`C:\%TEMP%\k`],
  ])('%s: %s', (why, given) => {
    const result = normalizeBaseDir(given)
    expect('problem' in result ? result.problem : 'no problem').toContain(why)
  })
})
