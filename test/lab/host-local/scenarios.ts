// Calls of host-local, each with the one before it done: what a node does, and what can go wrong. CHECK, VERSION, several
// ranges and the words of Go's decoder are not simulated.

export interface Call {
  readonly command?: string
  readonly env: Readonly<Record<string, string>>
  readonly input: string
}

export interface Scenario {
  /** Files in the store beforehand. */
  readonly before?: Readonly<Record<string, string>>
  readonly calls: readonly Call[]
  readonly name: string
}

const ENV = {
  CNI_CONTAINERID: 'kube-proxy',
  CNI_IFNAME: 'source-vip',
  CNI_NETNS: 'kube-proxy',
  CNI_PATH: 'C:\\k\\cni',
}

interface Config {
  readonly cniVersion?: string | undefined
  readonly ipam?: unknown
  readonly name?: string | undefined
}

function config(ranges: unknown = [[{subnet: '10.244.3.0/24'}]], {cniVersion = '0.4.0', ...more}: Config = {}): object {
  return {cniVersion, ipam: {dataDir: 'DATA_DIR', ranges, type: 'host-local'}, name: 'vxlan0', ...more}
}

const call = (command: string, input: unknown = config(), env: Readonly<Record<string, string>> = {}): Call => ({
  command,
  env: {...ENV, ...env},
  input: typeof input === 'string' ? input : JSON.stringify(input),
})
const of = (id: string): Record<string, string> => ({CNI_CONTAINERID: id})
const range = (subnet: string): object => config([[{subnet}]])
const without = (...names: string[]): Call => {
  const env = Object.fromEntries(Object.entries(ENV).filter(([name]) => !names.includes(name)))
  return {command: 'ADD', env, input: JSON.stringify(config())}
}

const NODE: readonly Scenario[] = [
  {calls: [call('ADD'), call('DEL'), call('DEL')], name: 'ADD, DEL, DEL'},
  {calls: [call('ADD'), call('ADD')], name: 'ADD twice'},
  {calls: [call('ADD'), call('ADD', config(), of('pod-1')), call('ADD', config(), of('pod-2'))], name: 'three owners'},
  {
    calls: [
      call('ADD', config(), of('a')),
      call('ADD', config(), of('b')),
      call('DEL', config(), of('a')),
      call('ADD', config(), of('c')),
    ],
    name: 'what was given back comes last',
  },
  {calls: [call('ADD'), call('ADD', config(), {CNI_IFNAME: 'eth0'})], name: 'one owner, two interfaces'},
  {
    calls: [call('ADD'), call('DEL', range('10.244.7.0/24')), call('ADD', range('10.244.7.0/24'))],
    name: 'a new pod network',
  },
  {calls: [call('ADD'), call('ADD', range('10.244.7.0/24'))], name: 'a new pod network, the old one not released'},
  {
    calls: [
      call('ADD', range('10.1.0.0/30'), of('a')),
      call('ADD', range('10.1.0.0/30'), of('b')),
      call('DEL', range('10.1.0.0/30'), of('a')),
      call('ADD', range('10.1.0.0/30'), of('b')),
    ],
    name: 'a range that is used up',
  },
]

const STORES: readonly Scenario[] = [
  {before: {'10.244.3.2': 'kube-proxy'}, calls: [call('ADD'), call('DEL')], name: 'a file of old'},
  {
    before: {'10.244.3.2': 'kube-proxy\nsource-vip'},
    calls: [call('ADD'), call('DEL')],
    name: 'a file with a line break of Linux',
  },
  {
    before: {'10.244.3.2': ' kube-proxy\r\nsource-vip\r\n'},
    calls: [call('ADD'), call('DEL')],
    name: 'a file with blanks around',
  },
  {before: {'10.244.3.2': 'a pod\r\neth0'}, calls: [call('ADD')], name: 'the first address is taken'},
  {before: {'last_reserved_ip.0': 'junk'}, calls: [call('ADD')], name: 'a last address that is none'},
  {before: {'last_reserved_ip.0': '10.244.9.7'}, calls: [call('ADD')], name: 'a last address of another range'},
  {before: {'last_reserved_ip.0': '10.244.3.254'}, calls: [call('ADD')], name: 'a last address at the end'},
  {
    before: {'notes.txt': 'kube-proxy\r\nsource-vip'},
    calls: [call('ADD'), call('DEL')],
    name: 'a file that is no address',
  },
]

const VERSIONS: readonly Scenario[] = [
  ...['0.3.0', '0.3.1', '0.4.0', '1.0.0', '1.1.0', '9.9.9'].map((cniVersion) => ({
    calls: [call('ADD', config(undefined, {cniVersion}))],
    name: `version "${cniVersion}"`,
  })),
]

const RANGES: readonly (readonly [name: string, ranges: unknown])[] = [
  ['of none', []],
  ['that are null', null],
  ['of no address', [[{subnet: '10.244.3/24'}]]],
  ['of /31', [[{subnet: '10.244.3.0/31'}]]],
  ['of /32', [[{subnet: '10.244.3.0/32'}]]],
  ['with host bits', [[{subnet: '10.244.3.7/24'}]]],
]

const BROKEN: readonly (readonly [name: string, input: unknown])[] = [
  ['empty', ''],
  ['cut short', '{"name":'],
  ['without a name', config(undefined, {name: undefined})],
  ['with an odd name', config(undefined, {name: '../x'})],
  ['without ipam', config(undefined, {ipam: undefined})],
  ['with the old form of a subnet', config(undefined, {ipam: {dataDir: 'DATA_DIR', subnet: '10.244.3.0/24'}})],
]

const ENVIRONMENTS: readonly Scenario[] = [
  {calls: [without('CNI_CONTAINERID')], name: 'no container'},
  {calls: [without('CNI_IFNAME', 'CNI_NETNS')], name: 'no interface and namespace'},
  {calls: [without(...Object.keys(ENV))], name: 'no environment'},
  {calls: [call('GO')], name: 'an unknown command'},
  ...['-x', 'a b', 'a/b', 'ü', 'a_b.c-d'].map((id) => ({
    calls: [call('ADD', config(), of(id)), call('DEL', config(), of(id))],
    name: `container ${id}`,
  })),
]

export const SCENARIOS: readonly Scenario[] = [
  ...NODE,
  ...STORES,
  ...VERSIONS,
  ...RANGES.map(([name, ranges]) => ({
    calls: [call('ADD', config(ranges)), call('DEL', config(ranges))],
    name: `ranges ${name}`,
  })),
  ...BROKEN.map(([name, input]) => ({
    calls: ['ADD', 'DEL'].map((one) => call(one, input)),
    name: `a configuration: ${name}`,
  })),
  ...ENVIRONMENTS,
]
