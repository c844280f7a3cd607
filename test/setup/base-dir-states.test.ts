// Whatever a user put where the base directory goes: setup ends with folders that only administrators can change, or
// refuses and changes nothing. A planted program never runs.
import {describe, expect, test} from 'vitest'
import {ADMINISTRATORS_ONLY} from '../../src/host/security/security.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {sample} from '../sample.js'
import {STATES} from '../hosts/base-dirs.js'
import {setupOn} from './in-process.js'
import {HostFolder} from '../steps/host-folder.js'

describe('a base directory that is', () => {
  test.each(
    sample(
      STATES.filter(({errors}) => errors === undefined),
      4,
    ),
  )('$name: is closed to others', async ({given, make}) => {
    const host = await HostFolder.fresh()
    make?.(host)
    const {result} = await setupOn(host.dir, given)
    expect(result.error).toBeUndefined()
    expect(result.outcome).toBe('done')
    await expectClosed(host, String(given?.['base-dir'] ?? String.raw`C:\k`))
    expectOurPrograms(host)
    const again = await setupOn(host.dir, given)
    expect(again.result.recap.changed).toBe(0)
  })

  test.each(
    sample(
      STATES.filter(({errors}) => errors !== undefined),
      8,
    ),
  )('$name: is refused', async ({errors, given, make}) => {
    const host = await HostFolder.fresh()
    make?.(host)
    const before = host.state
    const {result} = await setupOn(host.dir, given)
    expect((result.errors ?? [result.error]).map((error) => error?.id)).toEqual(errors)
    expect([2, 3]).toContain(result.exitCode)
    expect(host.state).toEqual(before)
    expect(host.transcript.filter(({kind}) => kind === 'change')).toEqual([])
  })
})

/** Of everything that is run or read: owner, list, and nothing of anybody else's. */
async function expectClosed(host: HostFolder, baseDir: string): Promise<void> {
  const {win32} = await openSimulator({dir: host.dir, profile: 'ws2019'})
  expect(await win32.securityOf(baseDir)).toBe(ADMINISTRATORS_ONLY)
  const inside = [
    '',
    'kubernetes',
    String.raw`kubernetes\node`,
    String.raw`kubernetes\node\bin`,
    'cni',
    String.raw`cni\config`,
    'downloads',
    'k8s-win',
    'logs',
    String.raw`logs\kubelet`,
  ]
  const outside = [
    String.raw`C:\etc\kube-flannel`,
    String.raw`C:\run\flannel`,
    String.raw`C:\var\lib\cni`,
    String.raw`C:\var\lib\cni\networks`,
    String.raw`C:\var\lib\kubelet\pki`,
    String.raw`C:\usr\libexec\kubernetes`,
    // review S12
    ...['device-plugins', 'plugins', 'plugins_registry', 'pod-resources'].map(
      (name) => `C:\\var\\lib\\kubelet\\${name}`,
    ),
  ]
  const folders = [...inside.map((name) => `${baseDir}\\${name}`.replace(/\\$/, '')), ...outside]
  const seen = await win32.survey(folders.map((path) => ({inside: true, path})))
  expect(seen.length).toBeGreaterThan(30)
  // What was there before us is kept aside as it was.
  for (const {path, sddl} of seen.filter(({kind, path: one}) => kind !== 'link' && !one.endsWith('.before-k8s-win'))) {
    expect(sddl, path).toMatch(/^O:BAD:P?AI(?:\(A;[A-Z]*;FA;;;(?:SY|BA)\)){2}$/)
  }

  for (const parent of [String.raw`C:\etc`, String.raw`C:\run`, String.raw`C:\var`, String.raw`C:\usr`]) {
    expect(await win32.securityOf(parent)).toMatch(/^O:BA/)
  }
}

function expectOurPrograms({transcript, world}: HostFolder): void {
  for (const [service, name] of [
    ['kubelet', 'kubelet'],
    ['kubeproxy', 'kube-proxy'],
    ['flanneld', 'shawl'],
  ] as const) {
    expect(world.services[service]?.process?.standIn?.name).toBe(name)
  }

  const outcomes = transcript.filter(({via}) => via === 'run').map(({outcome}) => outcome)
  expect(new Set(outcomes)).toEqual(new Set(['exit 0']))
}
