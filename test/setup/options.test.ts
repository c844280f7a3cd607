// setup's options on a simulated host: labels, taints, skipping, the file, and what is kept for the next run.
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {allowEverything} from '../fakes/administrator.js'
import {HostInMemory} from './host-in-memory.js'
import {setupOn} from './in-process.js'
import {SimulatedHost} from './simulated-host.js'

const NODE_YAML = String.raw`k\k8s-win\node.yaml`
const win1 = (host: HostInMemory) => host.world.cluster.nodes.find(({name}) => name === 'win-1')
const warnings = (events: Awaited<ReturnType<typeof setupOn>>['events']): string[] =>
  events.flatMap((event) => (event.type === 'log' && event.level === 'warn' ? [event.message] : []))

describe('labels and taints', () => {
  test('reach a new node; a node that is known is left to people, with the commands to run', async () => {
    const host = await HostInMemory.make(allowEverything)
    const first = await setupOn(host.dir, {'node-label': ['disk=ssd', 'a.io/b='], taint: 'os=windows:NoSchedule'})
    expect(first.result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect(win1(host)).toMatchObject({
      labels: {'a.io/b': '', disk: 'ssd', 'kubernetes.io/os': 'windows'},
      taints: [{effect: 'NoSchedule', key: 'os', value: 'windows'}],
    })

    const second = await setupOn(host.dir)
    expect(second.result.recap).toMatchObject({changed: 0, failed: 0})
    expect(warnings(second.events).join()).not.toContain('kubectl label')

    const third = await setupOn(host.dir, {'node-label': 'disk=hdd', taint: 'gpu:NoExecute'})
    expect(third.result.exitCode).toBe(0)
    expect(warnings(third.events)).toContain(
      'win-1 existed before, and the kubelet labels and taints only new nodes. Run: ' +
        'kubectl label --overwrite node win-1 disk=hdd; kubectl taint --overwrite node win-1 gpu:NoExecute',
    )
    expect(win1(host)).toMatchObject({labels: {disk: 'ssd'}})
  })
})

describe('a skipped step', () => {
  test('is left out with a warning, and not the next time', async () => {
    const host = await HostInMemory.make(allowEverything)
    const {events, result} = await setupOn(host.dir, {skip: 'machine-environment,firewall-rules'})
    expect(result).toMatchObject({exitCode: 0, recap: {skipped: 2}})
    expect(result.steps.filter(({state}) => state === 'skipped').map(({id}) => id)).toEqual([
      'machine-environment',
      'firewall-rules',
    ])
    expect(Object.keys(host.world.firewall).filter((name) => name.startsWith('k8s-win'))).toEqual([])
    expect(warnings(events)).toContain(
      'the step firewall-rules is skipped as requested: dependent steps treat it as done',
    )

    const again = await setupOn(host.dir)
    expect(again.result).toMatchObject({exitCode: 0, recap: {changed: 2, skipped: 0}})
  })
})

describe('the configuration file', () => {
  const text = 'apiVersion: k8s-win/v1\nkind: NodeConfig\nnodeName: win-7\n'

  test.each([
    ['a file of this machine', (host: SimulatedHost) => join(host.dir, 'node.yaml'), 'node.yaml'],
    ['a file of the simulated drive', () => String.raw`C:\node.yaml`, join('c', 'node.yaml')],
  ])('is %s', async (_, named, real) => {
    const host = await SimulatedHost.make(allowEverything)
    writeFileSync(join(host.dir, real), Buffer.from(`\uFEFF${text}`, 'utf16le'))
    const {result} = await setupOn(host.dir, {config: named(host)})
    expect(result).toMatchObject({exitCode: 0, node: {name: 'win-7'}})
    expect(host.read(NODE_YAML)).toContain('nodeName: "win-7"')
  })

  test('with everything wrong at once is reported with its places, and nothing is changed', async () => {
    const host = await SimulatedHost.make(allowEverything)
    const before = host.state
    const file = join(host.dir, 'node.yaml')
    writeFileSync(file, `${text}relase: "1"\nclusterDNS: x\n`)
    const {code, result} = await host.setupJson('--config', file, '--skip', 'nothing', '--timeout', '0s')
    expect(code).toBe(2)
    expect(result.errors?.map(({message}) => message)).toEqual([
      `${file}:4:1: unknown key relase`,
      `${file}:5:13 clusterDNS "x" cannot be used`,
      '--skip "nothing" cannot be used',
      '--timeout "0s" cannot be used',
    ])
    expect(host.state).toEqual(before)
  })
})

describe('what was set up', () => {
  test('stays so without a word, also where the files it was given are gone', async () => {
    const host = await SimulatedHost.make(allowEverything)
    const kubeconfig = join(host.dir, 'own.kubeconfig')
    writeFileSync(kubeconfig, host.read(String.raw`k\kubeconfig`))
    const first = await setupOn(host.dir, {
      'kubelet-kubeconfig': kubeconfig,
      'node-name': 'win-9',
      release: 'v1.22.17',
    })
    expect(first.result).toMatchObject({exitCode: 0, node: {name: 'win-9'}})
    writeFileSync(kubeconfig, 'gone')
    const again = await setupOn(host.dir, {'base-dir': String.raw`C:\K`})
    expect(again.result).toMatchObject({exitCode: 0, node: {name: 'win-9'}, recap: {changed: 0, failed: 0}})
    expect(JSON.stringify(host.world.services.kubelet)).toContain('kubelet.kubeconfig')
  })

  test('is not kept where setup failed', async () => {
    const host = await HostInMemory.make(allowEverything)
    const {result} = await setupOn(host.dir, {'nanoserver-tag': 'no-such-tag'})
    expect(result.exitCode).toBe(4)
    expect(host.has(NODE_YAML)).toBe(false)
  })

  test('and planted by another account is refused', async () => {
    const host = await HostInMemory.make(allowEverything)
    host.put(NODE_YAML, 'apiVersion: k8s-win/v1\nkind: NodeConfig\nimages:\n  registry: evil.example\n')
    const bobs = 'O:S-1-5-21-1-2-3-1001D:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)'
    host.edit(({security}) => void (security[`c:\\${NODE_YAML}`] = bobs))
    const {result} = await setupOn(host.dir)
    expect(result).toMatchObject({error: {id: 'STORED_CONFIG_UNUSABLE'}, exitCode: 3})
  })
})
