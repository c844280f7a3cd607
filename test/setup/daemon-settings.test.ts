// Settings of the daemons through a whole setup: where they arrive, what follows from a change, and what is refused.
import {beforeAll, describe, expect, it} from 'vitest'
import {parse, stringify} from 'yaml'
import type {GivenOptions} from '../../src/config/options/options.js'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {sample} from '../sample.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {refusing} from '../upgrade/refusing.js'
import {setupOn} from './in-process.js'

const PROFILE = 'ws2022-containerd'
const FILE = String.raw`C:\node-settings.yaml`
const ARGS: GivenOptions = {
  'base-images': 'none',
  'flanneld-arg': ['healthz-port=8471'],
  'kube-proxy-arg': ['v=4', 'feature-gates=TopologyAwareHints=true'],
  'kubelet-arg': ['v=4', 'max-open-files=2000000'],
}
const CONFIG = {evictionHard: {'memory.available': '1Gi'}, maxPods: 50, systemReserved: {cpu: '500m'}}

const putFile = (host: HostFolder, kubelet: object): void =>
  host.put('node-settings.yaml', stringify({apiVersion: 'k8s-win/v1', kind: 'NodeConfig', kubelet}))
const named = {config: FILE}
const setup = async (host: HostFolder, given: GivenOptions = {}, dryRun = false) =>
  setupOn(host.dir, given, dryRun ? {dryRun} : {}, PROFILE)
const configOf = (host: HostFolder): unknown => parse(host.read(String.raw`k\kubelet-config.yaml`))
const lineOf = (host: HostFolder, service: string): string => host.world.services[service]?.config.imagePath ?? ''
const changed = ({steps}: RunResultDocument): string[] =>
  steps.filter(({state}) => state === 'changed').map(({id}) => id)
const runningOn = (host: HostFolder): unknown =>
  Object.values(host.world.services).map(({config, name, processId, state}) => [name, config, processId, state])
const status = async (host: HostFolder) => (await statusOn(host.dir, {profile: PROFILE})).document

const node = HostFolder.empty()
beforeAll(async () => {
  const fresh = await HostFolder.fresh(() => {}, PROFILE)
  putFile(fresh, {config: CONFIG})
  const {result} = await setup(fresh, {...ARGS, ...named})
  expect(result.error).toBeUndefined()
  Object.assign(node, fresh)
})

describe('a node with a field and a flag for each daemon', () => {
  it('has them beside what k8s-win sets', () => {
    expect(configOf(node)).toMatchObject({
      authentication: {anonymous: {enabled: false}},
      evictionHard: {'memory.available': '1Gi'},
      maxPods: 50,
      systemReserved: {cpu: '500m', memory: '2Gi'},
    })
    expect(lineOf(node, 'kubelet')).toMatch(/ --windows-priorityclass=\S+ --max-open-files=2000000 --v=4$/)
    expect(lineOf(node, 'kubelet')).not.toContain('--v=2')
    expect(lineOf(node, 'kubeproxy')).toMatch(/ --v=4$/)
    expect(lineOf(node, 'kubeproxy')).toContain('--feature-gates=TopologyAwareHints=true ')
    expect(lineOf(node, 'flanneld')).toMatch(/ --healthz-port=8471$/)
    expect(parse(node.read(String.raw`k\k8s-win\node.yaml`))).toMatchObject({
      flanneld: {args: {'healthz-port': '8471'}},
      kubeProxy: {args: {v: '4'}},
      kubelet: {args: {v: '4'}, config: CONFIG},
    })
  })

  it('is healthy, and status shows them as set by the user', async () => {
    const document = await status(node.copy())
    expect(document).toMatchObject({
      problems: [],
      settings: {args: {flanneld: {'healthz-port': '8471'}}, kubeletConfig: CONFIG},
      verdict: 'healthy',
    })
    expect(document.drift?.filter(({state}) => state !== 'in-place')).toEqual([])
  })

  it.each([
    ['with the same options', {...ARGS, ...named}],
    ['without options', {}],
  ])('is not changed by a second setup %s', async (_, given) => {
    expect((await setup(node.copy(), given)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
  })

  it('loses a field that is not in the file any more, and its kubelet is restarted', async () => {
    const host = node.copy()
    putFile(host, {config: {maxPods: 60}})
    const {result} = await setup(host, named)
    expect(result.error).toBeUndefined()
    expect(changed(result)).toEqual(['kubelet-config', 'kubelet-service'])
    expect(configOf(host)).toMatchObject({maxPods: 60, systemReserved: {memory: '2Gi'}})
    expect(configOf(host)).not.toHaveProperty('evictionHard')
    expect(host.world.services['kubelet']?.process?.configuration).toContain('maxPods: 60')
  })

  it('keeps its fields with a file without kubelet.config', async () => {
    const host = node.copy()
    putFile(host, {})
    expect((await setup(host, named)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
  })

  it('loses all fields with an empty kubelet.config, and keeps its flags', async () => {
    const host = node.copy()
    putFile(host, {config: {}})
    const {result} = await setup(host, named)
    expect(result.error).toBeUndefined()
    expect(configOf(host)).not.toHaveProperty('maxPods')
    expect(lineOf(host, 'kubelet')).toMatch(/ --v=4$/)
    expect((await setup(host)).result.recap.changed).toBe(0)
  })

  it('loses its flags with an empty one', async () => {
    const host = node.copy()
    expect((await setup(host, {'kubelet-arg': ['']})).result.error).toBeUndefined()
    expect(lineOf(host, 'kubelet')).toMatch(/ --v=2$/)
  })

  it('drifts when it has another value than the user has set', async () => {
    const host = node.copy()
    const file = String.raw`k\kubelet-config.yaml`
    host.put(file, host.read(file).replace('maxPods: 50', 'maxPods: 51'))
    const {drift} = await status(host)
    expect(drift?.filter(({state}) => state === 'drifted').map(({step}) => step)).toContain('kubelet-config')
    expect((await setup(host)).result.error).toBeUndefined()
    expect(configOf(host)).toMatchObject({maxPods: 50})
  })
})

describe('refused before anything changes', () => {
  const stateOf = (host: HostFolder): unknown => [
    host.world.services,
    host.paths.filter((path) => !/^k\/(?:logs|k8s-win)(?:\/|$)/.test(path)),
    host.has(String.raw`k\k8s-win\node.yaml`) && host.read(String.raw`k\k8s-win\node.yaml`),
  ]
  const refused = async (host: HostFolder, given: GivenOptions): Promise<RunResultDocument> => {
    const before = stateOf(host)
    const {result} = await setup(host, given)
    expect(stateOf(host)).toEqual(before)
    return result
  }

  it.each([
    ['an unknown field', {maxPodz: 5}, 'UNKNOWN_SETTING'],
    ['a field of a wrong type', {maxPods: 'many'}, 'BAD_VALUE'],
    ['a field that k8s-win needs', {clusterDomain: 'x'}, 'BAD_VALUE'],
  ])('is %s, on a new host and on a node', async (_, config, id) => {
    for (const host of [await HostFolder.fresh(() => {}, PROFILE), node.copy()]) {
      putFile(host, {config})
      const result = await refused(host, named)
      expect([result.exitCode, result.error?.id]).toEqual([2, id])
      expect(result.error?.message).toMatch(/^C:\\node-settings\.yaml:\d+:\d+ kubelet\.config\./)
    }
  })

  it.each([
    ['kubelet-arg', 'max-podz=5', 'UNKNOWN_SETTING'],
    ['kubelet-arg', 'max-pods=many', 'BAD_VALUE'],
    ['kube-proxy-arg', 'proxy-mode=userspace', 'BAD_VALUE'],
    ['flanneld-arg', 'helthz-port=1', 'UNKNOWN_SETTING'],
  ] as const)('is --%s %s', async (flag, value, id) => {
    const result = await refused(await HostFolder.fresh(() => {}, PROFILE), {[flag]: [value]})
    expect([result.exitCode, result.error?.id]).toEqual([2, id])
  })

  it('is every problem at once', async () => {
    const host = await HostFolder.fresh(() => {}, PROFILE)
    putFile(host, {args: {'max-podz': '5'}, config: {clusterDomain: 'x', maxPods: 'many'}})
    const {result} = await setup(host, {...named, release: '1.36.4'})
    expect(result.errors?.map(({id}) => id)).toEqual(['BAD_VALUE', 'UNKNOWN_SETTING', 'BAD_VALUE'])
  })

  it('is what a newer release lost, before the drain', async () => {
    const host = node.copy()
    host.edit(({cluster}) => (cluster.version = 'v1.36.4'))
    const result = await refused(host, {'kubelet-arg': ['keep-terminated-pod-volumes=true'], release: '1.36.4'})
    expect([result.exitCode, result.error?.id]).toEqual([2, 'UNKNOWN_SETTING'])
  })
})

describe('a flanneld whose flags k8s-win does not know', () => {
  const OTHER = {digest: [`flanneld=sha256:${'8'.repeat(64)}`], 'flannel-version': '0.28.8', release: '1.36.4'}

  it('is asked once its bytes are verified, and before anything else is changed', async () => {
    const host = await HostFolder.fresh(() => {}, PROFILE)
    const given = {...ARGS, 'flanneld-arg': ['helthz-port=1'], ...OTHER}
    const {result} = await setup(host, given)
    expect([result.exitCode, result.error?.id]).toEqual([3, 'FLAG_UNKNOWN'])
    expect(result.error?.fix).toContain('healthz-port')
    expect(Object.keys(host.world.services)).not.toContain('kubelet')
    expect(host.has(String.raw`k\flanneld.exe`)).toBe(false)
    expect(host.has(String.raw`k\kubelet-config.yaml`)).toBe(false)
    expect(result.steps.filter(({state}) => state === 'changed').map(({id}) => id)).toEqual(['base-dir'])
    expect((await setup(host, {...given, 'flanneld-arg': ['healthz-port=1']})).result.error).toBeUndefined()
    expect(lineOf(host, 'flanneld')).toMatch(/ --healthz-port=1$/)
  })

  it('is asked before the drain of an upgrade, also by a second one', async () => {
    const host = await HostFolder.fresh(() => {}, PROFILE)
    expect((await setup(host, {...ARGS, release: '1.35.8'})).result.error).toBeUndefined()
    const before = runningOn(host)
    for (const release of ['1.36.4', '1.36.4']) {
      const given = {...OTHER, 'flanneld-arg': ['helthz-port=1'], release}
      const {result} = await setupOn(host.dir, given, {upgrade: {drainMs: 60_000}}, PROFILE)
      expect([result.exitCode, result.error?.id]).toEqual([3, 'FLAG_UNKNOWN'])
      expect(result.steps.find(({id}) => id === 'drain-node')?.state).toBe('not-run')
      expect(runningOn(host)).toEqual(before)
    }
  })

  it('on a node keeps running where it refuses a flag', async () => {
    const host = node.copy()
    const before = runningOn(host)
    const {result} = await setup(host, {'flanneld-arg': ['helthz-port=1'], ...OTHER})
    expect([result.exitCode, result.error?.id]).toEqual([3, 'FLAG_UNKNOWN'])
    expect(runningOn(host)).toEqual(before)
    expect((await setup(host)).result.error).toBeUndefined()
    expect(runningOn(host)).toEqual(before)
  })

  it('is not checked in a preview, which says so', async () => {
    const host = await HostFolder.fresh(() => {}, PROFILE)
    const given = {...ARGS, ...OTHER}
    const {events, result} = await setup(host, given, true)
    expect(result.outcome).toBe('planned')
    const warnings = events.flatMap((event) => (event.type === 'log' ? [event.message] : []))
    expect(warnings).toContainEqual(expect.stringMatching(/^not checked: .*--healthz-port/))
  })
})

describe('a daemon that refuses to start with new settings', () => {
  const BAD = [
    ['kubelet', {'kubelet-arg': ['windows-priorityclass=NONE']}, 'unknown priority class'],
    ['kubeproxy', {'kube-proxy-arg': ['feature-gates=WindowsHostProcessContainers=true']}, 'unrecognized feature gate'],
    ['flanneld', {'flanneld-arg': ['public-ip=banana']}, 'Failed to find interface'],
  ] as const

  it.each(sample(BAD, 2))(
    '%s: the settings of the last setup are back, and the node is healthy',
    async (service, given, words) => {
      const host = node.copy()
      const [line, stored] = [lineOf(host, service), host.read(String.raw`k\k8s-win\node.yaml`)]
      const {result} = await setup(host, given)
      expect(result).toMatchObject({error: {id: 'SETTINGS_ROLLED_BACK'}, exitCode: 6, outcome: 'failed'})
      expect(result.error?.cause).toContain(words)
      expect(result.steps.at(-1)).toMatchObject({id: 'roll-back', state: 'changed'})
      expect(lineOf(host, service)).toBe(line)
      expect(host.read(String.raw`k\k8s-win\node.yaml`)).toBe(stored)
      expect(await status(host)).toMatchObject({problems: [], verdict: 'healthy'})
      expect((await setup(host)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
    },
  )

  it.each(sample(BAD, 2))('%s of a first setup fails with the words of the daemon', async (service, given, words) => {
    const host = await HostFolder.fresh(() => {}, PROFILE)
    const {result} = await setup(host, {'base-images': 'none', ...given})
    const id = service === 'flanneld' ? 'OVERLAY_NETWORK_MISSING' : 'SERVICE_NOT_HEALTHY'
    expect(result).toMatchObject({error: {id}, exitCode: 6})
    expect(result.error?.cause).toContain(words)
  })

  it('is reported with what could not be restored, and one more run restores it', async () => {
    const host = node.copy()
    const line = lineOf(host, 'kubelet')
    // The old settings do not start either: something else is wrong since.
    const wrap = refusing('kubelet', 99, 2)
    const {result} = await setupOn(host.dir, BAD[0][1], {wrap}, PROFILE)
    expect(result).toMatchObject({error: {id: 'SETTINGS_STUCK'}, exitCode: 7})
    expect(result.steps.at(-1)).toMatchObject({id: 'roll-back', state: 'failed'})
    expect((await setup(host)).result.error).toBeUndefined()
    expect(lineOf(host, 'kubelet')).toBe(line)
  })
})
