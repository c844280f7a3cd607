// A containerd that is on the host already: it is used as it is, and reset leaves the host as it was.
import {describe, expect, onTestFinished, test} from 'vitest'
import type {Effect} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {statusRows} from '../../src/output/status/status-rows.js'
import type {StepResult} from '../../src/pipeline/run/events.js'
import type {ServiceEntry} from '../../src/simulator/world.js'
import {AKS_LAYOUT, DOCKERS_PACKAGE, FITTING, hostWith, type Layout} from '../fixtures/present-containerd.js'
import {statusOn} from '../status/status-on.js'
import {service} from '../hosts/sick-host.js'
import {sample, turn} from '../sample.js'
import {resetOn} from '../reset/reset-run.js'
import {differences, wholeHost} from '../reset/whole-host.js'
import type {HostFolder} from '../steps/host-folder.js'
import {setupOn} from './in-process.js'

const JOURNAL = String.raw`k\k8s-win\journal.ndjson`

async function host(layout: Layout): Promise<HostFolder> {
  const made = await hostWith(layout)
  onTestFinished(() => made.discard())
  return made
}

/** What setup has recorded of it. */
const recorded = (one: HostFolder): unknown =>
  one
    .read(JOURNAL)
    .split('\n')
    .filter((line) => line.includes('present-containerd'))
    .map((line) => JSON.parse(line) as unknown)[0]

/** The twin knows of no image, and so assumes that each is pulled. */
const planned = ({id, state}: StepResult): string => `${id}: ${state.replace('would-change', 'changed')}`

describe('fits', () => {
  test.each(sample(Object.entries(FITTING), 2))('%s', async (_, layout) => {
    const node = await host(layout)
    const before = wholeHost(node)
    const {containerd: its} = node.world.services
    const plan = await setupOn(node.dir, {}, {dryRun: true})
    expect(plan.result.error).toBeUndefined()
    expect(differences(before, wholeHost(node))).toEqual([])
    const {result} = await setupOn(node.dir)
    expect(result.error).toBeUndefined()
    expect(plan.result.steps.map(planned)).toEqual(result.steps.map(planned))
    expect(recorded(node)).toMatchObject({...layout.expected, version: (layout.version ?? 'v2.3.4').slice(1)})
    const {cniBinaries, cniConfigFolder} = layout.expected
    for (const path of [`${cniBinaries}\\win-overlay.exe`, `${cniConfigFolder}\\10-flannel.conflist`])
      expect(node.has(path.slice('C:\\'.length)), path).toBe(true)
    // Neither stopped nor changed.
    expect(node.world.services.containerd).toMatchObject({config: its?.config, processId: its?.processId})
    expect(node.has(String.raw`k\containerd\bin\containerd.exe`)).toBe(false)
    const {document} = await statusOn(node.dir, {profile: node.world.os.profile})
    expect(document.problems).toEqual([])
    expect(statusRows(document).filter(({mark}) => mark === 'bad')).toEqual([])
    expect((await setupOn(node.dir)).result.steps.filter(({state}) => state === 'changed')).toEqual([])
    const {result: end, warnings} = await resetOn(node.dir, {given: {purge: true}})
    expect([end.error, warnings]).toEqual([undefined, []])
    expect(differences(before, wholeHost(node))).toEqual([])
  })
})

interface Unfit {
  readonly change?: (node: HostFolder) => void
  /** A part of the fix. */
  readonly fix: readonly string[]
  readonly given?: Parameters<typeof setupOn>[1]
  readonly id?: string
  readonly layout?: Layout
}

const CONFIG = String.raw`Program Files\containerd\config.toml`
const DROP_IN = String.raw`Program Files\containerd\conf.d\a.toml`
const SECRET = 'hunter2hunter2'
const entry = (node: HostFolder, change: (service: ServiceEntry) => void): void =>
  node.edit(({services}) => services.containerd && change(services.containerd))

const UNFIT: Readonly<Record<string, Unfit>> = {
  "the file of Docker's packages": {
    fix: [`In C:\\${CONFIG}`, 'disabled_plugins = []', 'net stop containerd; net start containerd'],
    layout: {config: DOCKERS_PACKAGE, version: 'v1.7.25'},
  },
  "the file of Docker's packages with 2.x": {
    fix: ['disabled_plugins = []'],
    layout: {config: DOCKERS_PACKAGE, version: 'v2.2.0'},
  },
  'a file that it imports disables its CRI plugin, which --adopt does not repair': {
    fix: [`In C:\\${CONFIG} and in C:\\${DROP_IN}, remove`],
    given: {adopt: true},
    layout: {
      config: "version = 2\nimports = ['conf.d/*.toml']\ndisabled_plugins = ['io.containerd.grpc.v1.cri']\n",
      files: {[DROP_IN]: "disabled_plugins = ['io.containerd.grpc.v1.cri']\n"},
      version: 'v1.7.25',
    },
  },
  'the same with 2.x, in the imported file only': {
    fix: [`In C:\\${DROP_IN}, remove`],
    given: {adopt: true},
    layout: {
      config: "version = 3\nimports = ['conf.d/*.toml']\n",
      files: {[DROP_IN]: "version = 3\ndisabled_plugins = ['io.containerd.grpc.v1.cri']\n"},
      version: 'v2.1.4',
    },
  },
  'a folder of imported files that others can add to': {
    change: (node) =>
      node.edit(({security}) => (security[String.raw`c:\imported`] = 'O:BAD:PAI(A;OICI;FA;;;BU)(A;OICI;FA;;;BA)')),
    fix: [String.raw`C:\imported`],
    id: 'PARENT_OPEN_TO_OTHERS',
    layout: {
      config: "version = 3\nimports = ['C:/imported/*.toml']\n",
      files: {[String.raw`imported\x.toml`]: ''},
      version: 'v2.1.4',
    },
  },
  'a version without CRI v1': {fix: ['Install containerd 1.6.0 or newer'], layout: {version: 'v1.5.18'}},
  'all that is wrong with its service at once': {
    change: (node) =>
      entry(node, (service) => {
        service.config = {...service.config, startType: 'demand'}
        Object.assign(service, {listening: [], processId: 0, state: 'stopped'})
        delete service.process
      }),
    fix: ['(1) Run: sc.exe config containerd start= auto', '(2) Run: net start containerd'],
  },
  'AKS, whose service is not started with Windows': {
    fix: ['Run: sc.exe config containerd start= auto. Or pass --adopt'],
    layout: AKS_LAYOUT,
  },
  'disabled since it was started, which --adopt does not overrule': {
    change: (node) => entry(node, (service) => (service.config = {...service.config, startType: 'disabled'})),
    fix: ['Run: sc.exe config containerd start= auto.'],
    given: {adopt: true},
  },
  'under nssm, with its working folder on another drive': {
    fix: [String.raw`Run: nssm set containerd AppDirectory C:\Windows\System32. Then`],
    layout: {appDirectory: String.raw`D:\work`, nssm: ''},
  },
  'a file that cannot be parsed, of which nothing is shown': {
    change: (node) => node.put(CONFIG, `version = 3\npassword = '${SECRET}`),
    fix: [`"C:\\${CONFIG}" config dump`],
  },
  'an address that is no pipe': {
    change: (node) => node.put(CONFIG, "version = 3\n[grpc]\n  address = 'unix:///run/containerd.sock'\n"),
    fix: [String.raw`address = '\\.\pipe\containerd-containerd'`],
  },
  'a folder of CNI plugins without its drive': {
    change: (node) =>
      node.put(CONFIG, "version = 3\n[plugins.'io.containerd.cri.v1.runtime'.cni]\n  bin_dirs = ['cni']\n"),
    fix: [String.raw`e.g. bin_dirs = ['C:\Program Files\containerd\cni\bin']. Then`],
  },
  'a folder of CNI plugins without its drive, in the older key': {
    change: (node) =>
      node.put(CONFIG, "version = 3\n[plugins.'io.containerd.cri.v1.runtime'.cni]\n  bin_dir = 'cni'\n"),
    fix: [String.raw`e.g. bin_dir = 'C:\Program Files\containerd\cni\bin'. Then`],
  },
  'no ctr.exe': {
    change: (node) => node.remove(String.raw`Program Files\containerd\ctr.exe`),
    fix: ['Copy ctr.exe of containerd 2.3.4'],
  },
  'a node of RKE2': {
    change: (node) => node.edit((world) => service(world, 'rke2', 'running', 'automatic')),
    fix: ['Use another host'],
  },
  // containerd/nerdctl, its CNI configuration of Windows.
  'a CNI configuration of nerdctl': {
    fix: [String.raw`Rename 0-containerd-nat.conf in C:\Program Files\containerd\cni\conf`, 'setup --adopt'],
    id: 'FOREIGN_CNI_CONFIG',
    layout: {files: {[String.raw`Program Files\containerd\cni\conf\0-containerd-nat.conf`]: '{}'}},
  },
  'a program that others can replace': {
    fix: [String.raw`C:\mine\containerd.exe`],
    id: 'PLANTED_PROGRAM',
    layout: {config: 'version = 2\n', folder: 'mine'},
  },
  ...Object.fromEntries(
    ['containerd-shim-runhcs-v1.exe', 'ctr.exe', 'cni\\bin\\version.dll', 'cni\\conf\\net.json'].map((name) => {
      const path = `Program Files\\containerd\\${name}`
      const change = (node: HostFolder): void =>
        node.edit(({security}) => (security[`c:\\${path}`.toLowerCase()] = 'O:BAD:PAI(A;;FA;;;BU)(A;;FA;;;BA)'))
      const files = name.includes('cni') ? {files: {[path]: '{}'}} : {}
      return [`${name} that others can change`, {change, fix: [path], id: 'UNTRUSTED_FILE', layout: files}]
    }),
  ),
  'a configuration that others can change': {
    change: (node) =>
      node.edit(({security}) => (security[`c:\\${CONFIG}`.toLowerCase()] = 'O:BAD:PAI(A;;FA;;;BU)(A;;FA;;;BA)')),
    fix: ['config.toml'],
    id: 'UNTRUSTED_FILE',
    layout: {config: 'version = 2\n'},
  },
}

describe('does not fit, exit 3, nothing changed:', () => {
  test.each(sample(Object.entries(UNFIT), 6))(
    '%s',
    async (_, {change, fix, given, id = 'CONTAINERD_UNFIT', layout = {}}) => {
      const node = await host(layout)
      change?.(node)
      const before = wholeHost(node)
      const {events, result} = await setupOn(node.dir, given)
      expect(result).toMatchObject({error: {id}, exitCode: 3})
      for (const part of fix) expect(result.error?.fix).toContain(part)
      expect(JSON.stringify([events, result])).not.toContain(SECRET)
      const changed = differences(before, wholeHost(node))
      // The log and the result of this run.
      expect(changed.filter((line) => !/k[/\\](?:logs|k8s-win)/.test(line))).toEqual([])
    },
  )
})

test('data of one that cannot be asked is its own, and is not to be renamed', async () => {
  const node = await host({files: {[String.raw`ProgramData\containerd\root\meta.db`]: 'its'}})
  node.put(CONFIG, 'version = [')
  const {events, result} = await setupOn(node.dir)
  expect(result.error?.id).toBe('CONTAINERD_UNFIT')
  const checks = events.flatMap((event) => (event.type === 'check' ? [event.check] : []))
  expect(checks.find(({id}) => id === 'containerd-folder')).toMatchObject({result: 'pass'})
})

test('credentials of registries in its configuration are nowhere else', async () => {
  const node = await host({
    config: `version = 3
[plugins.'io.containerd.cri.v1.images'.registry.configs.'r.example.com'.auth]
  password = '${SECRET}'
`,
  })
  const {events, result} = await setupOn(node.dir)
  expect(result.error).toBeUndefined()
  const {document} = await statusOn(node.dir, {profile: node.world.os.profile})
  expect(JSON.stringify([events, result, document, node.world])).not.toContain(SECRET)
  const files = node.filesBut((path) => path.endsWith('config.toml'))
  expect(JSON.stringify(files)).not.toContain(SECRET)
})

describe('changes while setup runs:', () => {
  const config = (conf: string): string => `version = 3
[plugins.'io.containerd.cri.v1.runtime'.cni]
  bin_dir = 'C:\\Program Files\\containerd\\cni\\bin'
  conf_dir = '${conf}'
`
  test.each([
    [
      'another configuration',
      'CONTAINERD_CHANGED',
      async ({files}: Machine) => files.write(`C:\\${CONFIG}`, config(String.raw`C:\other`)),
    ],
    [
      'gone',
      'CONTAINERD_STOPPED',
      async ({win32}: Machine) => {
        await win32.stopService('containerd')
        await win32.deleteService('containerd')
      },
    ],
  ])('%s is found by the step that relies on it', async (_, id, change) => {
    const node = await host({config: config(`C:\\Program Files\\containerd\\cni\\conf`)})
    let isDone = false
    const after = async ({what}: Effect, machine: Machine): Promise<void> => {
      if (isDone || what !== 'createService') return
      isDone = true
      await change(machine)
    }
    const {result} = await setupOn(node.dir, {}, {after})
    expect(isDone).toBe(true)
    expect(result).toMatchObject({error: {id}, exitCode: 5})
    expect(node.has(String.raw`Program Files\containerd\cni\conf\10-flannel.conflist`)).toBe(false)
    expect((await setupOn(node.dir)).result.error?.id).toBe('CONTAINERD_CHANGED')
  })
})

describe('with --adopt', () => {
  const NAT = String.raw`Program Files\containerd\cni\conf\0-containerd-nat.conf`
  const LAYOUTS: readonly [string, Layout, string?][] = [
    ['AKS, whose service is not started with Windows,', AKS_LAYOUT],
    ["1.7 with the file of Docker's packages", {config: `# mine\n${DOCKERS_PACKAGE}`, version: 'v1.7.25'}, CONFIG],
    ["2.2 with the file of Docker's packages", {config: DOCKERS_PACKAGE, version: 'v2.2.0'}, CONFIG],
    ['a CNI configuration of nerdctl', {files: {[NAT]: '{"cniVersion": "1.0.0"}'}}, NAT],
  ]
  test.each(sample(LAYOUTS, 2))('%s is repaired, and restored by reset', async (_, layout, path) => {
    const node = await host(layout)
    const [before, content] = [wholeHost(node), path === undefined ? '' : node.read(path)]
    const plan = await setupOn(node.dir, {adopt: true}, {dryRun: true})
    expect(plan.result.error).toBeUndefined()
    expect(differences(before, wholeHost(node))).toEqual([])
    const {result} = await setupOn(node.dir, {adopt: true})
    expect(result.error).toBeUndefined()
    expect(plan.result.steps.map(planned)).toEqual(result.steps.map(planned))
    if (path !== undefined) expect(node.read(`${path}.before-k8s-win`)).toBe(content)
    expect(node.world.services.containerd?.config.startType).toBe('automatic')
    if (path === CONFIG) expect(node.read(path)).toBe(content.replace('["cri"]', '[]'))
    const {document} = await statusOn(node.dir, {profile: node.world.os.profile})
    expect(document.problems).toEqual([])
    expect((await setupOn(node.dir)).result.steps.filter(({state}) => state === 'changed')).toEqual([])
    const {result: end, warnings} = await resetOn(node.dir, {given: {purge: true}})
    expect([end.error, warnings]).toEqual([undefined, []])
    const title = path === undefined ? 'Remove crictl.yaml' : 'Restore the containerd configuration'
    expect(end.steps.find(({id}) => id === 'containerd-config')?.title).toBe(title)
    // It was restarted.
    const changed = differences(before, wholeHost(node)).filter((line) => !/processId|startedAt/.test(line))
    expect(changed).toEqual([])
  })
})

test('what changes of it on a node that is set up is reported once, with the fix', async () => {
  const node = await host({})
  expect((await setupOn(node.dir)).result.error).toBeUndefined()
  entry(node, (its) => (its.config = {...its.config, startType: 'demand'}))
  const {document} = await statusOn(node.dir, {profile: node.world.os.profile})
  expect(document.problems).toMatchObject([{id: 'CONTAINERD_UNFIT', subject: 'containerd-service'}])
  expect(document.problems[0]?.next).toContain('sc.exe config containerd start= auto')
})

test.each(turn(['1.7.25', '2.2.7'], 0))(
  '--containerd-version %s has no effect, which is a warning',
  async (version) => {
    const node = await host({})
    const {events, result} = await setupOn(node.dir, {'containerd-version': version})
    expect(result.error).toBeUndefined()
    const warnings = (all: typeof events): string[] =>
      all.flatMap((event) => (event.type === 'log' && event.level === 'warn' ? [event.message] : []))
    expect(warnings(events).filter((message) => message.includes(version))).toHaveLength(1)
    expect(recorded(node)).toMatchObject({version: '2.3.4'})
    // Stored then, but not asked for again.
    expect(warnings((await setupOn(node.dir)).events).filter((message) => message.includes(version))).toEqual([])
  },
)

test.each(
  turn(
    [
      ['v1.7.25', "sandbox_image = 'registry.k8s.io/pause:3.10"],
      ['v2.3.4', "[plugins.'io.containerd.cri.v1.images'.pinned_images] sandbox = 'registry.k8s.io/pause:3.10"],
    ],
    1,
  ),
)(
  'a sandbox image of %s without a variant for this Windows is reported with the lines to change',
  async (version, lines) => {
    const layout = FITTING['1.6 with a file of version 2']
    const node = await host({...layout, version})
    node.edit(({downloads}) => (downloads[String(layout?.expected.sandboxImage)] = {fault: 'no-variant'}))
    const {result} = await setupOn(node.dir)
    expect(result).toMatchObject({error: {id: 'CONTAINERD_UNFIT'}, exitCode: 5})
    expect(result.steps.find(({state}) => state === 'failed')?.id).toBe('sandbox-image')
    expect(result.error?.fix).toContain(lines)
    expect(result.error?.fix).toContain(`In C:\\${CONFIG}`)
  },
)

test('another release leaves it running', async () => {
  const node = await host({})
  expect((await setupOn(node.dir, {release: '1.35.8'})).result.error).toBeUndefined()
  const {processId} = node.world.services.containerd ?? {}
  expect((await setupOn(node.dir, {release: '1.36.4'})).result.error).toBeUndefined()
  expect(node.world.services.containerd?.processId).toBe(processId)
})

test('a journal that was lost costs nothing of it: what may be its own is named', async () => {
  const node = await host({})
  expect((await setupOn(node.dir)).result.error).toBeUndefined()
  const {processId} = node.world.services.containerd ?? {}
  node.remove(JOURNAL)
  const {result, told} = await resetOn(node.dir, {given: {purge: true, yes: true}})
  expect(result).toMatchObject({error: {id: 'RESET_UNPROVEN'}, exitCode: 7})
  expect(told).toContain(String.raw`C:\Program Files\containerd\cni\bin\win-overlay.exe`)
  expect(node.has(String.raw`Program Files\containerd\cni\conf\10-flannel.conflist`)).toBe(false)
  expect(node.world.services.containerd?.processId).toBe(processId)
  expect(Object.keys(node.world.services)).not.toContain('kubelet')
})
