// What the script does on a host: on a new one, at the second start, with other bytes, without a network.
import {createHash} from 'node:crypto'
import {describe, expect, it} from 'vitest'
import {FORMS} from './forms.js'
import {open} from './opened.js'
import {PROGRAM, SERVER, TOKEN, URL_OF_PROGRAM, userdataOf} from './rig.js'
import {launcherEnd} from '../../src/runs/launcher/exit-code.js'
import {CLUSTER_CA} from '../../src/simulator/cluster/certificates.js'
import type {World} from './cmd.js'

const FOLDER = String.raw`c:\program files\k8s-win`
const [EXE, NEW, OLD] = ['exe', 'new', 'old'].map((name) => `${FOLDER}\\k8s-win.${name}`) as [string, string, string]
const OTHER = 'another program'

interface Host extends World {
  readonly downloads: string[]
  readonly setups: (readonly string[])[]
  readonly tokens: (string | undefined)[]
}

function host({
  at = PROGRAM,
  code = 0,
  files = {},
}: {readonly at?: string; readonly code?: number; readonly files?: Readonly<Record<string, string>>} = {}): Host {
  const [downloads, setups, tokens] = [[] as string[], [] as (readonly string[])[], [] as (string | undefined)[]]
  return {
    download(url) {
      downloads.push(url)
      return at === '' ? undefined : at
    },
    downloads,
    files: new Map(Object.entries(files)),
    program(args, variables) {
      setups.push(args)
      tokens.push(variables.get('K8S_WIN_TOKEN'))
      return code
    },
    running: new Set(),
    setups,
    tokens,
  }
}

describe.each(FORMS)('$name', ({cloud, format, options}) => {
  const made = (more: readonly string[] = [], texts = {}) => userdataOf(cloud, [...options, ...more], texts)

  it('downloads the program once, and runs setup with the rules of the launcher', async () => {
    const document = await made(['--node-name', 'win-1'])
    const there = host()
    expect(open(document, there).exitCode).toBe(0)
    expect(there.downloads).toEqual([URL_OF_PROGRAM])
    expect(there.files.get(EXE)).toBe(PROGRAM)
    expect(
      [...there.files.keys()].filter((name) => /\.(new|old|b64)$/.test(name) && !name.includes('userdata')),
    ).toEqual([])
    const launcher = {aws: 'ec2launch', azure: 'azure-cse', gce: 'none'}[cloud as string] ?? 'cloudbase-init'
    expect(document.launcher).toBe(launcher)
    const restarts = ['azure', 'gce'].includes(cloud) ? ['--allow-restart'] : []
    expect(there.setups).toEqual([['setup', `--launcher=${launcher}`, '--node-name=win-1', ...restarts]])
    open(document, there)
    expect(there.downloads).toHaveLength(1)
    expect(there.setups).toHaveLength(2)
  })

  it('replaces another program, also one that runs', async () => {
    const there = host({files: {[EXE]: OTHER, [OLD]: 'an older one'}})
    there.running?.add(EXE)
    expect(open(await made(), there).exitCode).toBe(0)
    expect([there.files.get(EXE), there.files.get(OLD)]).toEqual([PROGRAM, OTHER])
  })

  it('never runs a program with another digest, and deletes it', async () => {
    const there = host({at: OTHER})
    expect(open(await made(), there)).toMatchObject({exitCode: 4})
    expect([there.setups, there.files.has(EXE), there.files.has(NEW)]).toEqual([[], false, false])
  })

  it('a program that does not arrive: again where the launcher starts it again, never a restart', async () => {
    const {exitCode, status} = open(await made(), host({at: ''}))
    const isAgain = isCloudbase(cloud) && format !== 'cloud-config'
    expect(exitCode).toBe(isAgain ? 1002 : 4)
    expect(status ?? {reboot: false}).toMatchObject({reboot: false})
    if (isCloudbase(cloud)) expect(status?.again).toBe(isAgain)
  })

  it.each([0, 2, 3, 4, 6, 10, 11, 3010])('hands the exit code on: %i', async (code) => {
    const opened = open(await made(), host({code}))
    expect(opened.exitCode).toBe(code)
    if (isCloudbase(cloud)) expect(opened.status).toEqual({again: false, reboot: false})
  })

  it('embeds what setup reads in the files of options', async () => {
    const [node, ca] = [String.raw`C:\given\node.yaml`, String.raw`C:\given\ca.pem`]
    const config = `apiVersion: k8s-win/v1\r\nkind: NodeConfig\nclientCAFile: ca.pem\nnodeName: x # ${'ü "%PATH%" '.repeat(50)}\n`
    const texts = {[ca]: `${CLUSTER_CA}another line\n`, [node]: config}
    const there = host()
    expect(open(await made(['--config', node], texts), there).exitCode).toBe(0)
    const named = (name: string) => Buffer.from(there.files.get(`${FOLDER}\\${name}`) ?? '', 'latin1').toString()
    expect([named('node.yaml'), named('client-ca.pem')]).toEqual([
      'apiVersion: "k8s-win/v1"\nkind: "NodeConfig"\nnodeName: "x"\n',
      CLUSTER_CA,
    ])
    expect(there.setups[0]?.slice(-2)).toEqual([
      String.raw`--client-ca-file=C:\Program Files\k8s-win\client-ca.pem`,
      String.raw`--config=C:\Program Files\k8s-win\node.yaml`,
    ])
  })

  it.runIf(cloud !== 'azure').each([
    ['--token', TOKEN],
    ['--token-file', String.raw`C:\given\token`],
    ['--token-file', '-'],
  ])('with --inline-secret a token of %s is a variable, and no argument', async (...given) => {
    const document = await made([...SERVER, ...given, '--inline-secret'], {[String.raw`C:\given\token`]: `${TOKEN}\n`})
    const there = host()
    open(document, there)
    expect(there.tokens).toEqual([TOKEN])
    expect(there.setups.flat().join(' ')).not.toContain(TOKEN.slice(7))
    expect(document.warnings).toHaveLength(1)
  })
})

function isCloudbase(cloud: string): boolean {
  return ['hyperv', 'openstack', 'vsphere'].includes(cloud)
}

describe.each(FORMS.filter(({cloud}) => isCloudbase(cloud)))('$name', ({cloud, format, options}) => {
  it.each([
    [1002, format === 'cloud-config' ? {again: true, reboot: true} : {again: true, reboot: false}],
    [1003, {again: true, reboot: true}],
  ])('continues later after %i', async (code, status) => {
    expect(open(await userdataOf(cloud, options), host({code})).status).toEqual(status)
  })

  it('review L3-3: never restarts Windows under a run that holds the lock', async () => {
    const end = {continues: false, exitCode: 11, isTransient: true, restartsWindows: false}
    const {code} = launcherEnd('cloudbase-init', end, {attempts: 0, restarts: 0})
    const {status} = open(await userdataOf(cloud, options), host({code}))
    expect(status).toEqual({again: false, reboot: false})
  })
})

it.each([-1_073_741_502, -1, 1, 2])('a findstr that ends with %i has found nothing', async (exitCode) => {
  const there = {...host({at: OTHER, files: {[EXE]: OTHER}}), findstr: () => exitCode}
  expect(open(await userdataOf('gce', []), there)).toMatchObject({exitCode: 4})
  expect(there.setups).toEqual([])
})

it('a download that another run replaces after its digest was compared is not run', async () => {
  const there = host()
  const files = there.files
  const set = files.set.bind(files)
  files.set = (name, content) => set(name, name === EXE ? OTHER : content)
  expect(open(await userdataOf('gce', []), there)).toMatchObject({exitCode: 5})
  expect(there.setups).toEqual([])
})

it('a variable named ERRORLEVEL hides no exit code', async () => {
  const there = {...host({at: OTHER}), variables: [['ERRORLEVEL', '0']] as const}
  expect(open(await userdataOf('gce', []), there)).toMatchObject({exitCode: 4})
})

it('the programs that fetch k8s-win.exe do not get the token', async () => {
  const document = await userdataOf('openstack', [...SERVER, '--token', TOKEN, '--inline-secret'])
  const [before = ''] = document.userdata.split(':run')
  expect(before).not.toContain(TOKEN.slice(7))
})

it('the same program with another digest is another script', async () => {
  const digest = createHash('sha256').update(OTHER).digest('hex')
  const there = host({at: OTHER})
  expect(open(await userdataOf('gce', [], {}, digest), there).exitCode).toBe(0)
  expect(there.files.get(EXE)).toBe(OTHER)
})
