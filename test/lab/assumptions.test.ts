// Settling the assumptions: every one has its settler, and on a simulated host, which does as it assumes, each finds that.
import {describe, expect, test} from 'vitest'
import {ASSUMPTIONS} from './windows/assumptions/list.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {flagNames} from './windows/assumptions/daemon-flags.js'
import {HNS_VERSIONS} from './windows/assumptions/hns.js'
import {summaryOf} from './windows/assumptions/report.js'
import {settle, type SettlerContext, tell, type Verdict} from './windows/assumptions/settler.js'
import {simulatedHost} from './windows/assumptions/simulated-host.js'
import {SETTLERS} from './windows/assumptions/table.js'
import {HostFolder} from '../steps/host-folder.js'

async function open(sicken: (world: World) => void = () => {}): Promise<{context: SettlerContext; host: HostFolder}> {
  const host = await HostFolder.fresh(sicken)
  return {context: await simulatedHost(await openSimulator({dir: host.dir, profile: 'ws2019'})), host}
}

test('every assumption has a settler, and every settler an assumption', () => {
  expect(Object.keys(SETTLERS).sort()).toEqual(ASSUMPTIONS.map(({id}) => id).sort())
})

test.each([
  [
    'lock-namespace',
    /CreateBoundaryDescriptorW.*AddSIDToBoundaryDescriptor.*CreatePrivateNamespaceW.* run nowhere yet/,
  ],
  ['event-channels', /in Wine EvtRender/],
  ['restart-windows', /InitiateShutdownW.*Wine answers 120/],
])('review V10: the assumption %s says which functions the lab did not call', (name, functions) => {
  expect(ASSUMPTIONS.find(({id}) => id === name)?.statement).toMatch(functions)
})

test('review V11: the patch levels of hns-version are those that its settler knows', () => {
  const {settledBy = ''} = ASSUMPTIONS.find(({id}) => id === 'hns-version') ?? {}
  expect(settledBy.match(/(?<=10\.0\.)\d+\.\d+/g)).toEqual(Object.keys(HNS_VERSIONS))
})

/** What a simulated host cannot show, and why. */
const NOT_SIMULATED: Readonly<Record<string, RegExp>> = {
  'userdata-launchers': /of each cloud/,
  'userdata-programs': /to Program Files/,
  'vswitch-connections': /another host/,
  'cloud-firmware': /of each cloud/,
  'cloud-secrets': /of each cloud/,
  'containerd-old-kubelets': /a cluster of 1\.24/,
  'containerd-older-major': /images and pods/,
  'containers-pending': /and a restart/,
  'delete-by-handle': /the suite "files"/,
  'layers-without-containerd': /images and pods/,
  'dism-feature': /change the features/,
  'crictl-windows-image': /a node with containerd/,
  'ctr-windows-texts': /texts of programs/,
  'daemon-log-texts': /texts of programs/,
  'flush-order': /power can be cut/,
  'foreground-console': /at its console/,
  'hidden-child-console': /the suite "shawl"/,
  'kubelet-flags-edges': /there is no .*kubelet\.exe/,
  'launcher-names': /of each cloud/,
  'lock-namespace': /two accounts/,
  'netsh-interface': /the addresses of this host/,
  'peer-process': /the suite "network"/,
  'persistent-routes': /the stored routes/,
  'pods-inherit-only': /a node with pods/,
  'log-runner-process': /a kubelet of 1\.26/,
  'management-address': /address of the host/,
  'pod-curl-codes': /a node with pods/,
  'restart-windows': /restarts Windows/,
  'scm-environment': /wrote no environment/,
  'shawl-stop-between': /of the moment/,
  'wrapped-daemons-end-in-time': /pods of a node/,
  'tables-for-people': /read by people only/,
}

test('on a simulated host all is as assumed, and the host is afterwards as it was', async () => {
  const {context, host} = await open((world) => {
    world.cluster.reachable = false
  })
  await context.machine.files.remove(context.scratch)
  const before = host.state
  await context.machine.files.makeDirectory(context.scratch)
  const verdicts = new Map<string, Verdict>()
  for (const [id, settler] of Object.entries(SETTLERS)) {
    verdicts.set(id, await settle(settler, context))
  }

  for (const [id, verdict] of verdicts) {
    const why = NOT_SIMULATED[id]
    if (why) expect(verdict).toEqual({kind: 'not settled', why: expect.stringMatching(why) as string})
    else expect(`${id}: ${verdict.kind}`, JSON.stringify(verdict)).toBe(`${id}: as assumed`)
  }
  await context.machine.files.remove(context.scratch)
  expect(host.state.files).toEqual(before.files)
  expect(host.state.world.hns).toEqual(before.world.hns)
  expect(Object.keys(host.state.world.services)).toEqual(Object.keys(before.world.services))
  expect(host.state.world.firewall).toEqual({})
})

test('what needs changes is left alone without leave', async () => {
  const {context, host} = await open()
  for (const settler of Object.values(SETTLERS)) await settle(settler, {...context, changesAllowed: false})
  const changes = host.transcript.filter(({kind}) => kind === 'change')
  // Access lists of files below a folder of its own.
  expect(
    changes.filter(({args}) => !JSON.stringify(args).includes(JSON.stringify(context.scratch).slice(1, -1))),
  ).toEqual([])
})

describe('a host that does otherwise differs', () => {
  const cases: readonly [id: string, seen: RegExp, sicken: (world: World) => void][] = [
    ['hns-version', /9\.4 on 10\.0\.17763\.2237/, (world) => (world.hns.version = {Major: 9, Minor: 4})],
    ['vswitch-offline', /a cut of 60\.\d s/, (world) => (world.os.vswitch = {offlineMs: 60_000})],
    ['docker-version-strings', /this engine is for linux/, (world) => (world.docker.mode = 'linux')],
    [
      'vswitch-removed',
      /THE HOST LOST: DNS server 10\.0\.0\.2/,
      (world) => (world.os.vswitch = {losesDnsServers: true}),
    ],
    ['hns-restart', /seen 0 policy lists/, (world) => (world.hns.losesBalancers = true)],
    [
      'server-component-cache',
      /InstallState is 1, dism\.exe says Disabled/,
      (world) => (world.os.features = {containers: false, hyperV: true}),
    ],
    [
      'hns-version',
      /on 10\.0\.20348/,
      (world) => {
        world.os.build = 20_348
        world.hns.version = {Major: 15, Minor: 2}
      },
    ],
    [
      'vswitch-offline',
      /there is a switch already, for the network cbr0/,
      (world) => {
        world.hns.networks.push({ID: 'A', Name: 'cbr0', NetworkAdapterName: 'Ethernet0', Type: 'L2Bridge'})
      },
    ],
  ]
  test.each(cases)('%s: %s', async (id, seen, sicken) => {
    const {context} = await open(sicken)
    const verdict = await settle(SETTLERS[id]!, context)
    expect(verdict.kind).not.toBe('as assumed')
    expect(
      tell(
        ASSUMPTIONS.find((one) => one.id === id)!,
        verdict,
      ),
    ).toMatch(seen)
  })
})

test('a mistake of a settler is not a verdict', async () => {
  const {context} = await open()
  await expect(settle(() => Promise.reject(new TypeError('mistake')), context)).rejects.toThrow('mistake')
})

test('flags are read from the help of a Go program', () => {
  const help = '      --add-dir-header            If true\n  -v, --v Level    number\n  -h, --help\n see --not-this\n'
  expect([...flagNames(help)]).toEqual(['add-dir-header', 'v', 'help'])
})

test('what differs stands in one list', () => {
  const verdicts = new Map<string, Verdict>([
    ['hns-version', {assumed: '9.5', kind: 'differs', seen: '9.4'}],
    ['log-runner-process', {kind: 'not settled', why: 'no kubelet'}],
  ])
  const summary = summaryOf(ASSUMPTIONS, verdicts, 'Windows')
  expect(summary).toContain('held against this Windows: 0 as assumed, 1 DIFFER, 1 not settled')
  expect(summary).toContain('  hns-version: DIFFERS: seen 9.4; assumed 9.5\n')
  expect(summary).not.toContain('log-runner-process')
  expect(summary).toContain('Please report these')
  expect(summaryOf(ASSUMPTIONS, verdicts, 'Wine')).toContain('settles nothing')
})
