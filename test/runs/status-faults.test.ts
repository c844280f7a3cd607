// One that hangs or breaks never hides the others: it is reported as such, and the whole stays within its time.
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest'
import {DeadlineError} from '../../src/machine/clock.js'
import {type Fault, faultyMachine} from '../fakes/faulty.js'
import {FileError} from '../../src/machine/files.js'
import {type Effect, interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {Win32Error} from '../../src/machine/win32.js'
import type {StatusDocument} from '../../src/pipeline/run/status-report.js'
import {healthyNode, statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {sample} from '../sample.js'

let node = HostFolder.empty()
beforeAll(async () => {
  node.discard()
  node = await healthyNode()
})
afterAll(() => node.discard())

type Part = 'drift' | 'firewall' | 'identities' | 'images' | 'network' | 'node' | 'programs' | 'runtime' | 'services'

interface Broken {
  at(effect: Effect): boolean
  /** Reported as not checked, where it hangs and where it breaks. */
  readonly told: RegExp
  /** Parts that cannot be there. */
  readonly without?: readonly Part[]
}

const on =
  (via: Effect['via'], what: string, argument: RegExp) =>
  (effect: Effect): boolean =>
    effect.via === via && effect.what === what && argument.test(effect.args.join(' '))

/** Longest of all: the records, the facts, then the digests of programs beside everything else. */
const LIMIT_MS = 30_000

const BROKEN: Readonly<Record<string, Broken>> = {
  'the API server': {at: on('http', 'GET', /\/nodes\/win-1$/), told: /cluster/, without: ['node']},
  'the kubeconfig': {
    at: on('files', 'readChunks', /C:\\k\\kubeconfig$/),
    told: /kubeconfig/,
    without: ['identities', 'node'],
  },
  Docker: {at: on('http', 'GET', /docker\/version/), told: /Docker/, without: ['images', 'runtime']},
  images: {at: on('http', 'GET', /\/images\//), told: /images/, without: ['images']},
  'the service manager, of the kubelet': {at: on('win32', 'queryServiceStatus', /^kubelet$/), told: /service kubelet/},
  'the service manager, of flanneld': {at: on('win32', 'queryServiceStatus', /^flanneld$/), told: /service flanneld/},
  'the service manager, of kube-proxy': {
    at: on('win32', 'queryServiceStatus', /^kubeproxy$/),
    told: /service kubeproxy/,
  },
  'the start of processes': {at: on('win32', 'processStartedAt', /./), told: /service kubelet/},
  HNS: {at: on('win32', 'hnsCall', /./), told: /overlay network/, without: ['network']},
  'the firewall': {at: on('win32', 'registryValues', /FirewallRules/), told: /firewall/, without: ['firewall']},
  digests: {at: on('files', 'digest', /./), told: /programs/, without: ['programs']},
  'the environment': {at: on('win32', 'registryValue', /Session Manager/), told: /machine-environment/},
  // Nothing is used of which it is not known who can write it.
  'access lists': {
    at: on('win32', 'survey', /./),
    told: /the records of setup/,
    without: ['drift', 'identities', 'node', 'programs'],
  },
  'net-conf.json': {at: on('files', 'read', /net-conf/), told: /net-conf/, without: ['network']},
  'the journal': {
    at: ({args, via}) => via === 'files' && /journal\.ndjson/.test(args[0] ?? ''),
    told: /records/,
    without: ['drift', 'programs'],
  },
  'the version of Windows': {at: on('win32', 'registryValue', /CurrentBuild/), told: /version of Windows/},
  'the adapters': {at: on('win32', 'adapters', /^$/), told: /network adapter/},
}

/** Bounded, so that no simulated clock runs on for a day behind the tests. */
const hanging =
  (at: Broken['at']) =>
  (machine: Machine): Machine =>
    interceptMachine(machine, async (effect, perform) => {
      if (!at(effect)) return perform()
      await machine.clock.sleep(60_000)
      throw new DeadlineError(60_000)
    })

const failing =
  (at: Broken['at'], does: Fault['does']) =>
  (machine: Machine): Machine =>
    faultyMachine(machine, [{at, does, when: 'before'}])

function expectTheRest(document: StatusDocument, {told, without = []}: Broken): void {
  expect(document.exitCode).toBe(8)
  const tellings = [
    ...document.notChecked.map(({what, why}) => `${what}: ${why}`),
    ...document.problems.map(({seen, wanted}) => `${seen}; ${wanted}`),
  ]
  expect(tellings.join('\n')).toMatch(told)
  const parts: readonly Part[] = [
    'drift',
    'firewall',
    'identities',
    'images',
    'network',
    'node',
    'programs',
    'runtime',
    'services',
  ]
  expect(parts.filter((part) => document[part] === null)).toEqual([...without].sort())
  expect(document.services.length).toBeGreaterThanOrEqual(told.source.includes('service ') ? 0 : 3)
  expect(document.durationMs).toBeLessThanOrEqual(LIMIT_MS)
}

describe('status where something cannot be checked', () => {
  test.each(sample(Object.entries(BROKEN), 5))('%s hangs', async (_, broken) => {
    const {document} = await statusOn(node.dir, {wrap: hanging(broken.at)})
    expectTheRest(document, broken)
    expect(JSON.stringify([document.notChecked, document.problems])).toMatch(/within \d+ s/)
  })

  test.each(sample(Object.entries(BROKEN), 5))('%s breaks', async (_, broken) => {
    const {document} = await statusOn(node.dir, {wrap: failing(broken.at, new TypeError('rubbish came'))})
    expectTheRest(document, broken)
    expect(JSON.stringify(document)).toContain('rubbish came')
    expect(JSON.stringify(document)).not.toContain('TypeError')
  })

  test("the computer's name is not needed while our kubelet has the node's", async () => {
    const nameless = failing(on('win32', 'computerName', /^$/), new TypeError('rubbish came'))
    expect((await statusOn(node.dir, {wrap: nameless})).document).toMatchObject({
      node: {name: 'win-1'},
      problems: [],
      verdict: 'unknown',
    })
    const host = node.copy()
    onTestFinished(() => host.discard())
    host.edit(({services}) => void Reflect.deleteProperty(services, 'kubelet'))
    const {document} = await statusOn(host.dir, {wrap: nameless})
    expect(document.notChecked.map(({what}) => what)).toContain("the computer's name")
  })

  test('review U6: a user who is not an administrator gets Unknown, and a report of what can be seen, and what cannot', async () => {
    const isOurs = ({args, via}: Effect): boolean => via === 'files' && /^C:\\k\\/i.test(args[0] ?? '')
    const isClosed = ({via, what}: Effect): boolean => via === 'win32' && /hnsCall|survey|securityOf/.test(what)
    const wrap = (machine: Machine): Machine =>
      interceptMachine(machine, async (effect, perform) => {
        if (effect.what === 'isAdministrator') return false as never
        if (isOurs(effect)) throw new FileError(effect.what, effect.args[0] ?? '', 'EPERM')
        if (isClosed(effect)) throw new Win32Error(effect.what, 5, effect.args.join(' '))
        return perform()
      })
    const {document} = await statusOn(node.dir, {wrap})
    expect(document).toMatchObject({exitCode: 8, problems: [], verdict: 'unknown'})
    expect(document.services.map(({health, name, state}) => [name, state, health])).toEqual([
      ['kubelet', 'running', 'ok'],
      ['flanneld', 'running', 'none'],
      ['kubeproxy', 'running', 'ok'],
    ])
    expect(document.notChecked[0]).toMatchObject({id: 'NOT_ADMINISTRATOR'})
    expect(document.notChecked.map(({what}) => what).join()).toMatch(/records of setup.*overlay network/)
  })

  test('Ctrl-C ends it at once, also where nothing waits for the cluster', async () => {
    const host = node.copy()
    onTestFinished(() => host.discard())
    host.remove(String.raw`k\k8s-win\node.yaml`)
    const controller = new AbortController()
    const wrap = (machine: Machine): Machine =>
      interceptMachine(machine, async (effect, perform) => {
        if (effect.what === 'hnsCall') controller.abort(new Error('interrupted'))
        return perform()
      })
    await expect(statusOn(host.dir, {signal: controller.signal, wrap})).rejects.toThrow('interrupted')
  })

  test('Ctrl-C ends it at once', async () => {
    const controller = new AbortController()
    const wrap = (machine: Machine): Machine =>
      interceptMachine(machine, async (effect, perform) => {
        if (effect.what === 'digest') controller.abort(new Error('interrupted'))
        return perform()
      })
    await expect(statusOn(node.dir, {signal: controller.signal, wrap})).rejects.toThrow('interrupted')
  })
})
