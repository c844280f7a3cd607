// What may have been there before setup, and is left where the journal is lost: all of it is reported, and nothing that goes.
import {describe, expect, test} from 'vitest'
import {resetOn} from '../../reset/reset-run.js'
import {CONTAINERD_PROFILE, setUpHost} from '../../reset/set-up-host.js'
import {setupOn} from '../../setup/in-process.js'
import type {HostFolder} from '../../steps/host-folder.js'
import {differences, wholeHost} from '../../reset/whole-host.js'
import {turn} from '../../sample.js'

const {before, copy} = setUpHost()
const JOURNAL = String.raw`k\k8s-win\journal.ndjson`
const GIVEN = {purge: true, yes: true}

test('of a lost journal everything that is not as before is reported', async () => {
  const host = copy()
  host.remove(JOURNAL)
  const {result, ...end} = await resetOn(host.dir, {given: GIVEN})
  expect(result).toMatchObject({error: {id: 'RESET_UNPROVEN'}, exitCode: 7})
  const told = end.told.toLowerCase()
  for (const tag of ['nanoserver:1809', 'nanoserver:latest', 'servercore:ltsc2019', 'servercore:latest'])
    expect(told).toContain(`windows/${tag}`)
  expect(told).toContain(String.raw`the access lists of c:\k, c:\k\kubeconfig`)
  const seen = differences(before(), wholeHost(host))
  const folders = seen.flatMap((one) => /^files > ([^/:]+).*: nothing -> folder$/.exec(one)?.[1] ?? [])
  expect([...new Set(folders)].sort()).toEqual(['etc', 'run', 'usr', 'var'])
  for (const folder of new Set(folders)) expect(told, folder).toMatch(new RegExp(String.raw`c:\\${folder}[,;]`))
})

/** `from`: what the first of the lost lines has in it. */
async function resetCutAt(from: string): Promise<{exitCode: number; host: HostFolder; told: string}> {
  const host = copy()
  const lines = host.read(JOURNAL).split('\n')
  const nth = lines.findIndex((line) => line.includes(from))
  expect(nth).toBeGreaterThan(0)
  host.put(JOURNAL, `${lines.slice(0, nth).join('\n')}\n`)
  const {result, told} = await resetOn(host.dir, {given: GIVEN})
  const [first, ...rest] = told.split('\n')
  expect(first).toContain('its end is missing')
  return {exitCode: result.exitCode, host, told: rest.join('\n')}
}

test('what the rest of a journal names goes by it, and is not reported as left', async () => {
  const {exitCode, host, told} = await resetCutAt('"name":"kubeproxy"')
  expect({exitCode, told}).toEqual({exitCode: 0, told: ''})
  expect(differences(before(), wholeHost(host))).toEqual([])
})

test('what only the lost lines named is reported', async () => {
  const {exitCode, host, told} = await resetCutAt('"step":"kubelet-service"')
  expect(exitCode).toBe(7)
  expect(told).toContain(String.raw`C:\var\lib\kubelet`)
  for (const folder of [String.raw`C:\run`, String.raw`C:\var`, String.raw`C:\usr`])
    expect(told).toContain(`${folder},`)
  expect(host.has(String.raw`var\lib\kubelet`)).toBe(true)
  for (const gone of ['nanoserver', String.raw`C:\k\kubeconfig`, String.raw`C:\etc`])
    expect(told, gone).not.toContain(gone)
})

test('kubeconfigs are reported, with what they may hold: our copy, and the one that was there before', async () => {
  const host = copy()
  host.put(
    String.raw`tmp\admin.conf`,
    host.read(String.raw`k\kubeconfig`).replaceAll('name: kubernetes', 'name: other'),
  )
  const {result} = await setupOn(host.dir, {kubeconfig: String.raw`C:\tmp\admin.conf`})
  expect(result.error).toBeUndefined()
  expect(host.has(String.raw`k\kubeconfig.before-k8s-win`)).toBe(true)
  host.remove(JOURNAL)
  const {told} = await resetOn(host.dir, {given: GIVEN})
  expect(told.split('private key')).toHaveLength(2)
  expect(told).toContain(String.raw`C:\k\kubeconfig, a copy that setup created, and C:\k\kubeconfig.before-k8s-win`)
  expect(host.has(String.raw`k\kubeconfig`) && host.has(String.raw`k\kubeconfig.before-k8s-win`)).toBe(true)
})

test('one kubeconfig alone may be the own one', async () => {
  const host = copy()
  host.remove(JOURNAL)
  const {told} = await resetOn(host.dir, {given: GIVEN})
  expect(told).toMatch(/C:\\k\\kubeconfig, which may be yours.* private key/)
})

describe.each(turn(['ws2019', CONTAINERD_PROFILE], 1))(
  'review R2-3: what a reset on %s reports as left is on the host',
  (profile) => {
    const whole = setUpHost({'base-images': 'nanoserver'}, () => {}, profile)
    test('also where the same reset removes the folder around it, and it is never a folder of Windows', async () => {
      const lines = whole.copy().read(JOURNAL).split('\n')
      for (let cut = 2; cut < lines.length; cut += 9) {
        const host = whole.copy()
        host.put(JOURNAL, `${lines.slice(0, cut).join('\n')}\n`)
        const {result} = await resetOn(host.dir, {given: GIVEN})
        const [, left = ''] = (result.error?.cause ?? '').split('did not remove it:')
        const paths = [...left.matchAll(/C:\\[\w\\.-]*\w/g)].map(([path]) => path)
        expect({cut, gone: paths.filter((path) => !host.has(path.slice('C:\\'.length)))}).toEqual({cut, gone: []})
        expect(paths).not.toContain(String.raw`C:\ProgramData`)
      }
    }, 120_000)
  },
)
