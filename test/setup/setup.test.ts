import {describe, expect, test} from 'vitest'
import type {TimedEvent} from '../../src/pipeline/run/events.js'
import {stepsFor} from '../../src/steps/index.js'
import {setupConfig} from '../fixtures/setup-config.js'
import {nightly} from '../nightly.js'
import {schemaErrors} from '../schemas.js'
import {SimulatedHost} from './simulated-host.js'

function expectValid(name: string, document: unknown): void {
  expect(schemaErrors(name, document)).toEqual([])
}

describe('setup on a fresh simulated Windows Server 2019', () => {
  test('ends with the node Ready; again changes nothing', async () => {
    const host = await SimulatedHost.make()

    const first = await host.setup('-BaseDir', 'c:\\k')
    expect(first).toMatchObject({code: 0, stdout: ''})
    expect(first.stderr).toMatch(/ok=\d+ changed=\d+ skipped=0 failed=0/)
    expect(first.stderr).toContain('Node win-1 is Ready (10.0.0.5, pods 10.244.3.0/24)')
    // Without a terminal: plain ASCII lines, each of one thing, not wrapped.
    expect(first.stderr).toMatch(/^[\n\u0020-\u007E]*$/)
    expect(
      first.stderr
        .trimEnd()
        .split('\n')
        .slice(1)
        .filter((line) => !/^\S+Z /.test(line)),
    ).toEqual([])
    const after = host.state
    const lines = host.transcript.length

    const second = await host.setup('-BaseDir', 'c:\\k')
    expect(second.code).toBe(0)
    expect(second.stderr).toContain(
      `ok=${stepsFor({...setupConfig(), watch: true}).length} changed=0 skipped=0 failed=0`,
    )
    expect(host.state).toEqual(after)
    const changes = host.transcript.slice(lines).filter(({kind}) => kind === 'change')
    expect(changes.map(({what}) => what)).toEqual(['reportEvent'])
  })

  test('reports its result as JSON, and leaves the same in result.json', async () => {
    const host = await SimulatedHost.make()
    const {code, result, stdout} = await host.setupJson()
    expect(code).toBe(0)
    expectValid('result', result)
    expect(JSON.parse(host.read(String.raw`k\k8s-win\result.json`))).toEqual(JSON.parse(stdout))
    expect(result).toMatchObject({
      changesPending: false,
      command: 'setup',
      exitCode: 0,
      node: {ip: '10.0.0.5', name: 'win-1', podCIDR: '10.244.3.0/24', ready: true},
      outcome: 'done',
      schemaVersion: 1,
    })
    expect(result.steps.map((step) => step.id)).toEqual(
      stepsFor({...setupConfig(), watch: true}).map((step) => step.id),
    )
  })

  nightly('reports every event as a line of JSON, the last being the result', async () => {
    const host = await SimulatedHost.make()
    const {code, stdout} = await host.setup('--output', 'ndjson')
    expect(code).toBe(0)
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as TimedEvent)
    for (const event of events) expectValid('event', event)
    expect(events[0]?.type).toBe('run-started')
    expect(events.at(-1)?.type).toBe('run-finished')
    const pulled = events.flatMap((event) =>
      event.type === 'progress' && event.text.startsWith('pulling') ? [event] : [],
    )
    expect(pulled.some((event) => (event.current ?? 0) > 0 && (event.total ?? 0) >= (event.current ?? 0))).toBe(true)
  })

  test('a failure has the same document, with the error', async () => {
    const host = await SimulatedHost.make((world) => (world.cluster.allocateNodeCIDRs = false))
    const {code, result} = await host.setupJson()
    expect(code).toBe(6)
    expectValid('result', result)
    expect(result.error?.id).toBe('NO_POD_CIDR')
    expect(result.steps.find((step) => step.id === 'node-registered')?.state).toBe('failed')
    expect(result.steps.find((step) => step.id === 'node-ready')?.state).toBe('not-run')
  })

  test('works in a folder with spaces and other letters, made from a given kubeconfig', async () => {
    const host = await SimulatedHost.make()
    const {code, result} = await host.setupJson('-BaseDir', 'c:\\Kübernetes node', '-Kubeconfig', 'c:\\k\\kubeconfig')
    expect({code, ready: result.node?.ready}).toEqual({code: 0, ready: true})
    expect(host.world.services.kubelet?.config.imagePath).toContain(
      String.raw`"C:\Kübernetes node\kubernetes\node\bin\kubelet.exe" --windows-service "--config=C:\Kübernetes node\kubelet-config.yaml"`,
    )
    const log = host.has(String.raw`Kübernetes node\logs\k8s-win`)
    expect(log).toBe(true)
  })

  test('flannel 0.11 gets the network it starts from; newer ones do not', async () => {
    const host = await SimulatedHost.make()
    const old = ['--flannel-version', '0.11.0', '--digest', `flanneld=sha256:${'cd'.repeat(32)}`]
    const {code, result} = await host.setupJson(...old)
    expect({code, ready: result.node?.ready}).toEqual({code: 0, ready: true})
    expect(host.world.hns.networks.map((network) => network.Name)).toEqual(
      expect.arrayContaining(['External', 'vxlan0']),
    )
  })

  nightly('goes to another release and back', async () => {
    const host = await SimulatedHost.make()
    for (const release of ['1.21.5', '1.21.9', '1.21.5']) {
      const {code, result} = await host.setupJson('-Release', release)
      expect({code, ready: result.node?.ready, release}).toEqual({code: 0, ready: true, release})
    }
  })

  test("a pod network that is not the node's is refused before anything is changed", async () => {
    const host = await SimulatedHost.make()
    await host.setupJson()
    const before = host.state
    const {code, result} = await host.setupJson('-ClusterCidr', '10.200.0.0/16')
    expect({code, id: result.error?.id}).toEqual({code: 3, id: 'POD_CIDR_ELSEWHERE'})
    expect(host.state).toEqual(before)
  })
})
