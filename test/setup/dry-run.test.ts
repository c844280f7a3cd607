import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import type {GivenOptions} from '../../src/config/options/options.js'
import {createRedactor} from '../../src/output/text/redact.js'
import {EventBus, type RunResultDocument, type TimedEvent} from '../../src/pipeline/run/events.js'
import {runSetup} from '../../src/runs/setup/setup.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {stepsFor} from '../../src/steps/index.js'
import {assets} from '../fixtures/assets.js'
import {setupConfig} from '../fixtures/setup-config.js'
import {schemaErrors} from '../schemas.js'
import {SimulatedHost} from './simulated-host.js'

function expectValid(name: string, document: unknown): void {
  expect(schemaErrors(name, document)).toEqual([])
}

interface Told {
  readonly events: readonly TimedEvent[]
  readonly result: RunResultDocument
}

async function setup(host: SimulatedHost, given: GivenOptions = {}, dryRun = true): Promise<Told> {
  const machine = await openSimulator({dir: host.dir, profile: 'ws2019', readOnly: dryRun})
  const events: TimedEvent[] = []
  const bus = new EventBus(() => machine.clock.now())
  bus.listen((event) => events.push(event))
  const {signal} = new AbortController()
  const result = await runSetup({assets, bus, dryRun, given, machine, redactor: createRedactor(), signal})
  return {events, result}
}

/** Every byte of the host, its transcript aside. */
function bytesOf({dir}: SimulatedHost): Record<string, string> {
  const entries = readdirSync(dir, {recursive: true, withFileTypes: true})
  return Object.fromEntries(
    entries
      .filter((entry) => entry.name !== 'transcript.ndjson')
      .map((entry) => {
        const path = join(entry.parentPath, entry.name)
        return [path, entry.isDirectory() ? 'folder' : readFileSync(path, 'base64')]
      }),
  )
}

const linesOf = ({result}: Told, step: string): readonly string[] =>
  result.steps.find(({id}) => id === step)?.changes ?? []

describe('setup --dry-run', () => {
  test('on a fresh host reports everything, in order, and changes nothing', async () => {
    const host = await SimulatedHost.make()
    const before = bytesOf(host)
    const {events, result} = await setup(host)
    expect(bytesOf(host)).toEqual(before)
    expect(host.transcript.filter(({kind}) => kind === 'change')).toEqual([])
    expectValid('result', result)
    for (const event of events) expectValid('event', event)
    expect(result).toMatchObject({
      changesPending: true,
      exitCode: 0,
      node: {ip: '10.0.0.5', name: 'win-1', podCIDR: 'decided by the cluster', ready: false},
      outcome: 'planned',
      recap: {failed: 0},
    })
    const finished = events.flatMap((event) => (event.type === 'step-finished' ? [event.step.id] : []))
    expect(finished).toEqual(stepsFor(setupConfig()).map(({id}) => id))
    expect(events.filter(({type}) => type === 'progress')).toEqual([])
    expect(result.steps.map(({state}) => state)).not.toContain('changed')
  })

  test('review U2-13: its summary has downloads, images, services, rules, the interruption and the time', async () => {
    const host = await SimulatedHost.make()
    const {result} = await setup(host)
    const {summary = []} = result
    expect(summary.length).toBeLessThanOrEqual(10)
    expect(summary).toEqual([
      expect.stringMatching(/^downloads: 4, \d+ MB, from dl\.k8s\.io, github\.com$/),
      expect.stringMatching(/^images: pull 2, about \d\.\d GB on disk$/),
      expect.stringMatching(/^services: create (?=.*kubelet)(?=.*flanneld)(?=.*kubeproxy)/),
      expect.stringMatching(/^firewall: add (?=.*TCP 10250)(?=.*UDP 4789)(?=.*TCP 10256)/),
      expect.stringMatching(/^network: /),
      expect.stringMatching(/^time: about \d+ min/),
    ])
    expectValid('result', result)
    await setup(host, {}, false)
    expect((await setup(host)).result.summary).toEqual([])
  })

  test('reports in its documents which checks could not be made', async () => {
    const {events, result} = await setup(await SimulatedHost.make((world) => (world.cluster.reachable = false)))
    expectValid('result', result)
    for (const event of events) expectValid('event', event)
    const unlooked = result.checks.filter(({result: its}) => its === 'not-checked')
    expect(unlooked.map(({id}) => id)).toContain('permissions')
    expect(unlooked.every((check) => check.dependsOn === 'api-server')).toBe(true)
  })

  test('reports commands, files, images, networks and downloads as they are', async () => {
    const told = await setup(await SimulatedHost.make())
    expect(linesOf(told, 'kubelet-service')).toContainEqual(
      expect.stringMatching(
        /^equivalent to: sc\.exe create kubelet binPath= "\\"C:\\k\\kubernetes\\node\\bin\\kubelet\.exe\\" --/,
      ),
    )
    expect(linesOf(told, 'firewall-rules')[0]).toMatch(
      /^netsh\.exe advfirewall firewall add rule "name=k8s-win kubelet/,
    )
    expect(linesOf(told, 'base-images')[0]).toBe('docker pull mcr.microsoft.com/windows/nanoserver:1809')
    expect(linesOf(told, 'net-conf').at(-1)).toMatch(
      /^write C:\\etc\\kube-flannel\\net-conf\.json\n@@ -0,0 \+1 @@\n\+\{/,
    )
    expect(linesOf(told, 'kubernetes-binaries').join('\n')).toMatch(
      /download https:\/\/dl\.k8s\.io\/v1\.21\.5\/\S+ \(88 MB\) to C:\\k\\downloads\\\S+, to be sha512:75e478e1/,
    )
    expect(linesOf(told, 'overlay-network')).toContainEqual(
      'the HNS network vxlan0 comes up: Overlay, subnet <pod CIDR, decided by the cluster>, VSID 4096, over "Ethernet0"',
    )
    expect(linesOf(told, 'kubeproxy-service').join('\n')).toContain('--source-vip=<source VIP, decided by the cluster>')
    expect(JSON.stringify(told.result.steps)).not.toMatch(/10\.244\.\d+\.(?:0\/24|[1-9])/)
    expect(linesOf(told, 'node-ready')).toEqual(['Wait for node to become Ready'])
  })

  test('on a node in place has nothing to report', async () => {
    const host = await SimulatedHost.make()
    await setup(host, {}, false)
    const before = bytesOf(host)
    const {result} = await setup(host)
    expect(bytesOf(host)).toEqual(before)
    expect(result).toMatchObject({changesPending: false, exitCode: 0, outcome: 'planned', recap: {changed: 0}})
    expect(result.node).toMatchObject({podCIDR: '10.244.3.0/24', ready: true})
  })

  test('of another release reports what is stopped, replaced and started again, with the digest its publisher gives', async () => {
    const host = await SimulatedHost.make()
    await setup(host, {}, false)
    const told = await setup(host, {release: '1.21.9'})
    expect(told.result).toMatchObject({changesPending: true, outcome: 'planned'})
    const lines = linesOf(told, 'kubernetes-binaries')
    expect(linesOf(told, 'fetch-binaries').join('\n')).toMatch(
      /download https:\/\/dl\.k8s\.io\/v1\.21\.9\/\S+ .*, to be sha512:[\da-f]{128}/,
    )
    expect(lines.indexOf('equivalent to: sc.exe stop kubelet')).toBeGreaterThan(-1)
    expect(lines.indexOf('equivalent to: sc.exe stop kubelet')).toBeLessThan(
      lines.indexOf(String.raw`replace C:\k\kubernetes\node\bin\kubelet.exe`),
    )
    expect(linesOf(told, 'kubelet-service')).toContain('equivalent to: sc.exe start kubelet')
  })

  test('shows failed checks as a run would, with exit code 3', async () => {
    const host = await SimulatedHost.make((world) => (world.os.administrator = false))
    const before = bytesOf(host)
    const {result} = await setup(host)
    expect(bytesOf(host)).toEqual(before)
    expect(result).toMatchObject({exitCode: 3, outcome: 'failed', steps: []})
    expect(result.checks.find(({id}) => id === 'administrator')?.result).toBe('fail')
  })

  test('finds a download that is not there', async () => {
    const url = 'https://dl.k8s.io/v1.21.5/kubernetes-node-windows-amd64.tar.gz'
    const host = await SimulatedHost.make((world) => (world.downloads[url] = {fault: 'not-found'}))
    const {result} = await setup(host)
    expect(result).toMatchObject({error: {id: 'DOWNLOAD_FAILED'}, exitCode: 4, outcome: 'failed'})
    expect(result.changesPending).toBe(true)
  })

  test('never shows what is in a kubeconfig', async () => {
    const host = await SimulatedHost.make(
      (world) => (world.cluster.tokens = {'canary-token-0123': 'system:node:win-1'}),
    )
    const original = host.read(String.raw`k\kubeconfig`)
    const user = '    token: canary-token-0123\n'
    host.put(String.raw`given\kubeconfig`, original.replace(/ {4}client-certificate-data[^]*$/, user))
    const told = await setup(host, {'base-dir': 'c:\\node', kubeconfig: 'c:\\given\\kubeconfig'})
    expect(told.result.outcome).toBe('planned')
    expect(linesOf(told, 'base-dir')).toContain(String.raw`write C:\node\kubeconfig (contents not shown)`)
    expect(JSON.stringify([told.events, told.result])).not.toMatch(/canary|certificate-authority-data/)
    expect(host.has('node')).toBe(false)
  })

  test('review U2-13: as a process: the plan on stdout, the progress on stderr, exit code 0, nothing on the host', async () => {
    const host = await SimulatedHost.make()
    const before = bytesOf(host)
    const {code, stderr, stdout} = await host.setup('-DryRun')
    expect(code).toBe(0)
    expect(stdout).toContain('equivalent to: sc.exe create kubelet')
    expect(stderr).not.toContain('sc.exe create')
    expect(stderr).toMatch(/setup planned in \S+; nothing was changed/)
    expect(bytesOf(host)).toEqual(before)
  })
})
