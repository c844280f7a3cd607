// A host that is broken in every way still gives a bundle, in time, with what it has, and says what it lacks.
import {setMaxListeners} from 'node:events'
import {afterAll, describe, expect, it} from 'vitest'
import {type Collector, type CollectorContext, runCollectors} from '../../src/bundle/collector.js'
import {COLLECTORS} from '../../src/bundle/table.js'
import {FileError} from '../../src/machine/files.js'
import {type Fault, faultyMachine} from '../fakes/faulty.js'
import {HttpError} from '../../src/machine/http.js'
import {type Effect, interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {ProgramNotFoundError} from '../../src/machine/run.js'
import {Win32Error} from '../../src/machine/win32.js'
import {sample} from '../sample.js'
import {setupOn} from '../setup/in-process.js'
import {HostFolder} from '../steps/host-folder.js'
import {rigOf} from './collector-rig.js'
import {bundleOn, type Made} from './bundle-on.js'

/** The aim: a bundle within 20 s, whatever hangs. */
const LONGEST_MS = 20_000
const FOR_EVER_MS = 3_600_000

const host = HostFolder.empty()
await setupOn(host.dir)
afterAll(() => host.discard())

const kindOf = ({via, what}: Effect): string => `${via} ${what}`

/** Every kind of question that a bundle asks of a healthy host. */
async function kindsAsked(): Promise<string[]> {
  const kinds = new Set<string>()
  await bundleOn(host, {
    wrap: (machine) =>
      interceptMachine(machine, (effect, perform) => {
        kinds.add(kindOf(effect))
        return perform()
      }),
  })
  return [...kinds].sort()
}

const KINDS = await kindsAsked()

it('is asked in many ways', () => {
  expect(KINDS.length).toBeGreaterThan(20)
  expect(KINDS).toEqual(expect.arrayContaining(['files readRange', 'http GET', 'win32 events', 'win32 hnsCall']))
})

/** Asked of such a kind, the host does not answer until the test is over: what it left behind must not continue. */
function hanging(kind: string, over: AbortSignal): (machine: Machine) => Machine {
  setMaxListeners(0, over)
  return (machine) =>
    interceptMachine(machine, async (effect, perform) => {
      if (kindOf(effect) === kind) await machine.clock.sleep(FOR_EVER_MS, over)
      return perform()
    })
}

const failing =
  (via: string, error: Error) =>
  (machine: Machine): Machine =>
    faultyMachine(machine, [{at: (effect) => kindOf(effect).startsWith(via), does: error, when: 'before'}])

async function stillMade(wrap: (machine: Machine) => Machine): Promise<Made> {
  const made = await bundleOn(host, {withTranscript: false, wrap})
  const {durationMs, failed} = made.report.manifest
  expect(durationMs).toBeLessThanOrEqual(LONGEST_MS)
  const summary = made.text('summary.txt')
  expect(summary).toContain('k8s-win support bundle')
  for (const {collector, reason} of failed) {
    expect(summary).toContain(`${collector}: `)
    expect(reason).not.toBe('')
  }

  return made
}

describe('a host that does not answer', () => {
  it.each(sample(KINDS, 5))('%s', async (kind) => {
    const over = new AbortController()
    const {report, text} = await stillMade(hanging(kind, over.signal))
    // What does not depend on it is there.
    if (kind !== 'win32 routes')
      expect(report.manifest.failed.map((one) => one.collector)).not.toContain('network/routes.json')
    if (kind !== 'win32 memory') expect(text('windows/memory.json')).toContain('totalBytes')
    over.abort(new Error('the test is over'))
  })
})

describe('a host that refuses', () => {
  it.each([
    ['files', new FileError('read', String.raw`C:\k`, 'EBUSY')],
    ['http', new HttpError('http://docker', 'ECONNRESET', 'connection reset')],
    ['run', new ProgramNotFoundError(String.raw`C:\Windows\System32\netsh.exe`)],
    ['win32', new Win32Error('Something', 5, 'refused')],
  ])('%s', async (via, error) => {
    const {report} = await stillMade(failing(via, error))
    expect(report.manifest.failed.length).toBeGreaterThan(2)
  })
})

describe('every collector', () => {
  const half = (first: number): ReadonlySet<string> =>
    new Set(COLLECTORS.filter((_, index) => index % 2 === first).map(({id}) => id))

  it.each([
    ['hung', 0],
    ['hung', 1],
    ['crashed', 0],
    ['crashed', 1],
  ] as const)('%s once: the others are there (%i)', async (how, first) => {
    const broken = half(first)
    const over = new AbortController()
    setMaxListeners(0, over.signal)
    const context = await rigOf(host)
    const sick = (collector: Collector): Collector => ({
      collect: (own: CollectorContext) =>
        how === 'hung'
          ? context.host.clock.sleep(FOR_EVER_MS, over.signal).then(() => collector.collect(own))
          : Promise.reject(new TypeError('x is not a function')),
      id: collector.id,
    })
    const started = context.host.clock.now()
    const all = COLLECTORS.map((collector) => (broken.has(collector.id) ? sick(collector) : collector))
    const {collected, failures} = await runCollectors(all, context)
    expect(failures.map(({collector}) => collector).sort()).toEqual([...broken].sort())
    expect(collected.length).toBe(COLLECTORS.length - broken.size)
    expect(new Set(failures.map(({reason}) => reason))).toEqual(
      new Set([how === 'hung' ? 'not done within 15 s' : 'x is not a function']),
    )
    expect(context.host.clock.now() - started).toBeLessThanOrEqual(LONGEST_MS)
    over.abort(new Error('the test is over'))
  })
})

describe('a host on which nothing works', () => {
  it('Docker, HNS and the API server are dead, the services gone, the logs locked', async () => {
    const sick = host.copy()
    sick.edit((world) => {
      world.docker.running = false
      world.cluster.reachable = false
      for (const name of ['hns', 'kubelet', 'flanneld', 'kubeproxy']) {
        Object.assign(world.services[name] ?? {}, {processId: 0, state: 'stopped'})
      }
      world.os.administrator = false
    })
    const locked: Fault = {
      at: ({args, what}) => what === 'readRange' && String(args[0]).includes('logs'),
      does: new FileError('read', 'x', 'EBUSY'),
      when: 'before',
    }
    const {report, text} = await bundleOn(sick, {wrap: (machine) => faultyMachine(machine, [locked])})
    const failed = report.manifest.failed.map(({collector}) => collector)
    expect(failed).toEqual(
      expect.arrayContaining(
        ['hns/networks', 'docker/version', 'docker/containers', 'cluster/server', 'cluster/node'].map(
          (name) => `${name}.json`,
        ),
      ),
    )
    expect(report.manifest.leftOut.map(({reason}) => reason)).toContain('cannot read x: EBUSY')
    expect(text('summary.txt')).toContain('Verdict         status: degraded (exit code 8)')
    expect(text('summary.txt')).toMatch(/docker\/version\.json: Docker does not respond on .*docker_engine/)
    expect(text('windows/services/kubelet.json')).toContain('"state": "stopped"')
    sick.discard()
  })

  it('dies under it', async () => {
    const {report, text} = await bundleOn(host, {
      wrap: (machine) => faultyMachine(machine, [{at: 40, does: 'crash', when: 'before'}]),
    })
    expect(report.manifest.failed.length).toBeGreaterThan(20)
    expect(text('summary.txt')).toContain('crashed at')
  })

  it('was never set up', async () => {
    const fresh = HostFolder.empty()
    const {report, text} = await bundleOn(fresh)
    expect(report.manifest).toMatchObject({failed: [], node: 'absent'})
    expect(report.manifest.warnings).toEqual([String.raw`No node is set up in C:\k.`])
    expect(text('summary.txt')).toContain('no node is set up here')
    fresh.discard()
  })

  it.each([
    ['a journal that is a folder', String.raw`k\k8s-win\journal.ndjson\x`, ''],
    ['a journal that is no journal', String.raw`k\k8s-win\journal.ndjson`, '\u0000\u0001 no json\n{"a":1}\n'],
    ['a stored configuration that is none', String.raw`k\k8s-win\node.yaml`, ': : :\n\t- {'],
    ['a result that is no JSON', String.raw`k\k8s-win\result.json`, '{'],
    ['a kubeconfig that is none', String.raw`k\kubeconfig`, 'token: [unclosed'],
  ])('has %s', async (_, path, content) => {
    const sick = host.copy()
    sick.remove(path.replace(/\\x$/, ''))
    sick.put(path, content)
    const {text} = await bundleOn(sick)
    expect(text('summary.txt')).toContain('k8s-win support bundle')
    expect(text('windows/system.json')).toContain('WIN-1')
    sick.discard()
  })
})
