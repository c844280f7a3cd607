// kubelet.exe judges: each wrong configuration fails the way it does in the field.
import {describe, expect, it} from 'vitest'

import type {NodeOptions, TestNode} from '../node.js'
import {codeOf, KUBELET_ARGS, makeNode, withFlags, withNetwork, writeCniConf} from '../node.js'
import {install} from '../stage.js'

const CONFIG = String.raw`C:\k\kubelet-config.yaml`
const HEADER = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n'
const ownNode = ({stage}: TestNode) => stage.world.cluster.nodes.find(({name}) => name === 'win-1')

async function started(
  options: NodeOptions = {},
  change: (node: TestNode) => Promise<void> | void = () => {},
): Promise<TestNode & {code: number}> {
  const node = await makeNode(options)
  await change(node)
  const code = await codeOf(node.win32.startService('kubelet'))
  await node.stage.elapse(10_000)
  return {...node, code}
}

const withArgs = (changes: Record<string, string | undefined>, release = 'v1.21.5'): NodeOptions => ({
  kubeletArgs: withFlags(KUBELET_ARGS, changes),
  release,
})

describe('before it speaks to the service manager', () => {
  it.each<[string, NodeOptions]>([
    ['a flag it never had', withArgs({'no-such-flag': '1'})],
    ['a boolean that is none', withArgs({'cgroups-per-qos': 'maybe'})],
    ['a duration without a unit', withArgs({'image-pull-progress-deadline': '20'})],
    ['dockershim’s flags in 1.24', withArgs({'cgroups-per-qos': 'false'}, 'v1.24.0')],
    ['a flag of 1.22 in 1.21', withArgs({'seccomp-default': 'true'})],
    ['a flag of 1.21 in 1.22', withArgs({'redirect-container-streaming': 'false'}, 'v1.22.0')],
    ['a flag of 1.22 in 1.23', withArgs({'seccomp-profile-root': 'x'}, 'v1.23.0')],
    ['a priority class that Windows does not have', withArgs({'windows-priorityclass': 'HIGHEST'})],
    ['a plain word', {kubeletArgs: [...KUBELET_ARGS, 'start']}],
  ])('refuses %s: 1053', async (_, options) => {
    const node = await started(options)
    expect(node.code).toBe(1053)
    expect(await node.win32.queryServiceStatus('kubelet')).toMatchObject({
      processId: 0,
      state: 'stopped',
      win32ExitCode: 1053,
    })
    expect(ownNode(node)).toBeUndefined()
  })

  it.each(['v1.21.5', 'v1.22.0', 'v1.23.0'])(
    'accepts the command line of a node with the defaults in %s',
    async (release) => {
      const node = await started({release})
      expect(node.code).toBe(0)
      expect(ownNode(node)?.kubeletVersion).toBe(release)
    },
  )

  it.each([
    ['cgroups-per-qos', 'invalid configuration: CgroupsPerQOS (--cgroups-per-qos) true is not supported on Windows'],
    [
      'enforce-node-allocatable',
      'EnforceNodeAllocatable (--enforce-node-allocatable) [pods] is not supported on Windows',
    ],
  ])('refuses to run with --%s on', async (flag, text) => {
    const node = await started(withArgs({[flag]: undefined}))
    expect(node.code).toBe(1053)
    expect(await node.log('kubelet')).toContain(text)
  })

  it('takes both from the configuration file too', async () => {
    const node = await started(
      withArgs({'cgroups-per-qos': undefined, 'enforce-node-allocatable': undefined}),
      ({stage}) => stage.files.write(CONFIG, `${HEADER}cgroupsPerQOS: false\nenforceNodeAllocatable: []\n`),
    )
    expect(node.code).toBe(0)
  })

  it.each([
    ['not YAML', `${HEADER}a: [`, 'failed to decode: yaml'],
    ['without a kind', 'apiVersion: kubelet.config.k8s.io/v1beta1\n', "Object 'Kind' is missing"],
    [
      'of another version',
      HEADER.replace('v1beta1', 'v1'),
      String.raw`is registered for version \"kubelet.config.k8s.io/v1\"`,
    ],
    ['with a field of a wrong type', `${HEADER}cgroupsPerQOS: "false"\n`, 'cannot unmarshal string'],
    [
      'with one in a nested field',
      `${HEADER}authentication: {anonymous: {enabled: "no"}}\n`,
      'cannot unmarshal string',
    ],
    ['with a number for a duration', `${HEADER}syncFrequency: 10\n`, 'cannot unmarshal number'],
    ['with a number out of its range', `${HEADER}oomScoreAdj: 1001\n`, 'must be between -1000 and 1000'],
    ['with numbers that exclude each other', `${HEADER}imageGCHighThresholdPercent: 50\n`, 'must be less than'],
    ['with an unknown mode', `${HEADER}hairpinMode: veth\n`, 'must be one of: none, hairpin-veth'],
    ['with an unknown version of TLS', `${HEADER}tlsMinVersion: VersionTLS14\n`, 'tlsMinVersion'],
    ['in UTF-16', Buffer.from(`\uFEFF${HEADER}`, 'utf16le'), 'failed to decode'],
  ])('refuses a configuration file %s', async (_, content, text) => {
    const node = await started({}, ({stage}) => stage.files.write(CONFIG, content))
    expect(node.code).toBe(1053)
    expect(await node.log('kubelet')).toContain(text)
  })

  it('refuses a flag with a number out of its range, which has priority over the file', async () => {
    const node = await started(withArgs({'max-pods': '-1'}), ({stage}) =>
      stage.files.write(CONFIG, `${HEADER}maxPods: 9\n`),
    )
    expect(node.code).toBe(1053)
    expect(await node.log('kubelet')).toContain('maxPods (--max-pods) -1')
  })

  it.each([
    ['evictionHard: {memory: 1Gi}', 'unsupported eviction signal memory'],
    ['evictionHard: {memory.available: 120%}', 'eviction percentage threshold memory.available'],
    ['evictionSoft: {memory.available: 1Gi}', 'grace period must be specified'],
    ['systemReserved: {memory: 1GB}', 'failed to parse quantity'],
    ['systemReserved: {disk: 1Gi}', String.raw`cannot reserve \"disk\" resource`],
    ['containerLogMaxSize: big', 'container log max size'],
    [String.raw`tlsCertFile: C:\Users\Public\kubelet.crt`, 'cannot find the file'],
  ])('ends after it started with %s', async (line, text) => {
    const node = await started({}, ({stage}) => stage.files.write(CONFIG, `${HEADER}${line}\n`))
    expect(node.code).toBe(0)
    await node.stage.elapse(2000)
    expect(await node.win32.queryServiceStatus('kubelet')).toMatchObject({state: 'stopped', win32ExitCode: 1067})
    expect(await node.log('kubelet')).toContain(text)
  })

  it('refuses a configuration file that is not there', async () => {
    const node = await started({}, ({stage}) => stage.files.remove(CONFIG))
    expect(node.code).toBe(1053)
    expect(await node.log('kubelet')).toContain('The system cannot find the file specified.')
  })

  it.each(['noSuchField: 1', 'authentication: {x509: {noSuchField: 1}}', 'tracing: {}'])(
    'continues without a field it does not know, and says so: %s',
    async (line) => {
      const node = await started({}, ({stage}) => stage.files.write(CONFIG, `${HEADER}${line}\n`))
      expect(node.code).toBe(0)
      expect(await node.log('kubelet')).toContain('Using lenient decoding as strict decoding failed')
    },
  )

  it('is not a service without --windows-service: 1053 after 30 s', async () => {
    const node = await makeNode(withArgs({'windows-service': undefined}))
    const before = node.stage.now()
    expect(await codeOf(node.win32.startService('kubelet'))).toBe(1053)
    expect(node.stage.now() - before).toBe(30_000)
  })

  it('cannot be started without its program: 2', async () => {
    const node = await started({}, ({stage}) => stage.files.remove(String.raw`C:\k\kubernetes\node\bin\kubelet.exe`))
    expect(node.code).toBe(2)
  })
})

describe('once it is Running', () => {
  it.each<[string, (node: TestNode) => Promise<void> | void, string]>([
    ['the kubeconfig is missing', ({stage}) => stage.files.remove(String.raw`C:\k\kubeconfig`), 'invalid kubeconfig'],
    [
      'Docker does not respond',
      ({stage}) => void (stage.world.docker.running = false),
      'Is the docker daemon running?',
    ],
    [
      'Docker is too new',
      ({stage}) => void (stage.world.docker.minApiVersion = '1.44'),
      'client version 1.41 is too old',
    ],
    [
      'its port is taken',
      ({stage}) => void stage.world.os.listening.push('tcp/10250'),
      'Only one usage of each socket address',
    ],
    [
      'the client CA is missing',
      ({stage}) => stage.files.write(CONFIG, `${HEADER}authentication:\n  x509:\n    clientCAFile: C:\\k\\none.crt\n`),
      'unable to load client CA file',
    ],
  ])('dies where %s', async (_, change, text) => {
    const node = await started({}, change)
    expect(node.code).toBe(0)
    expect(await node.win32.queryServiceStatus('kubelet')).toMatchObject({state: 'stopped', win32ExitCode: 1067})
    expect(await node.log('kubelet')).toContain(text)
  })

  it('is started again by its failure actions', async () => {
    const node = await makeNode()
    const config = await node.win32.queryServiceConfig('kubelet')
    if (config)
      await node.win32.changeService('kubelet', {
        ...config,
        failureActions: {resetAfterSeconds: 86_400, restartDelaysMs: [5000]},
      })
    node.stage.world.docker.minApiVersion = '1.44'
    await node.win32.startService('kubelet')
    await node.stage.elapse(3000)
    expect(await node.win32.queryServiceStatus('kubelet')).toMatchObject({state: 'stopped'})
    node.stage.world.docker.minApiVersion = '1.24'
    await node.stage.elapse(10_000)
    expect(await node.win32.queryServiceStatus('kubelet')).toMatchObject({state: 'running'})
    expect(ownNode(node)).toBeDefined()
  })
})

describe('registering', () => {
  it.each<[string, (node: TestNode) => Promise<void> | void, string]>([
    ['the server does not answer', ({stage}) => void (stage.world.cluster.reachable = false), 'connectex'],
    [
      'the kubeconfig names another server',
      ({stage}) => void (stage.world.cluster.serverURL = 'https://10.0.0.77:6443'),
      'connectex',
    ],
    [
      'it may not create nodes',
      ({stage}) => void (stage.world.cluster.permissions = ['get nodes']),
      'cannot create resource',
    ],
  ])('stays Running and never registers where %s', async (_, change, text) => {
    const node = await started({}, change)
    await node.stage.elapse(60_000)
    expect(await node.win32.queryServiceStatus('kubelet')).toMatchObject({state: 'running'})
    expect(ownNode(node)).toBeUndefined()
    expect(await node.log('kubelet')).toContain(text)
  })

  it('loses a token to certificate rotation', async () => {
    const useToken = async ({stage}: TestNode): Promise<void> => {
      stage.world.cluster.tokens = {secret: 'system:node:win-1'}
      const text = await stage.text(String.raw`C:\k\kubeconfig`)
      await stage.files.write(
        String.raw`C:\k\kubeconfig`,
        text.replace(/ {4}client-certificate-data: .*\n {4}client-key-data: .*\n/, '    token: secret\n'),
      )
    }

    const rotating = await started({}, useToken)
    expect(ownNode(rotating)).toBeUndefined()
    expect(await rotating.log('kubelet')).toContain('system:anonymous')
    const plain = await started({}, async (node) => {
      await useToken(node)
      await node.stage.files.write(CONFIG, HEADER)
    })
    expect(ownNode(plain)).toBeDefined()
  })

  it('takes the name in lower case, and about 3 s', async () => {
    const node = await makeNode(withArgs({'hostname-override': 'WIN-1'}))
    await node.win32.startService('kubelet')
    await node.stage.elapse(2000)
    expect(ownNode(node)).toBeUndefined()
    await node.stage.elapse(1500)
    expect(ownNode(node)).toMatchObject({
      addresses: [{address: '10.0.0.5', type: 'InternalIP'}, {address: 'win-1'}],
      labels: {'kubernetes.io/os': 'windows', 'node.kubernetes.io/windows-build': '10.0.17763'},
    })
  })

  it('gets no pod CIDR from a cluster that gives none', async () => {
    const node = await started({}, ({stage}) => void (stage.world.cluster.allocateNodeCIDRs = false))
    expect(ownNode(node)?.podCIDR).toBe('')
  })

  it('has no address where --node-ip is not the host’s', async () => {
    const node = await started(withArgs({'node-ip': '10.0.0.99'}))
    expect(ownNode(node)?.addresses).toEqual([])
    expect(await node.log('kubelet')).toContain("not found in the host's network interfaces")
  })

  it('is given up by the cluster 40 s after it was last heard of', async () => {
    const node = await started()
    await writeCniConf(node)
    await node.stage.elapse(6000)
    expect(ownNode(node)?.ready).toBe(true)
    await node.win32.stopService('kubelet')
    await node.stage.elapse(60_000)
    expect(ownNode(node)).toMatchObject({
      ready: false,
      readyReason: 'NodeStatusUnknown: Kubelet stopped posting node status.',
    })
  })
})

describe('Ready', () => {
  it.each<[string, (node: TestNode) => Promise<void>]>([
    ['no CNI configuration', async () => {}],
    ['a configuration that is no JSON', (node) => writeCniConf(node, '{')],
    ['one with a byte order mark', (node) => writeCniConf(node, '\uFEFF{"name":"vxlan0","type":"flannel"}')],
    ['one under another ending', (node) => writeCniConf(node, undefined, 'cni.txt')],
    ['one whose plugin is missing', (node) => writeCniConf(node, {name: 'vxlan0', type: 'calico'})],
    ['a list without plugins', (node) => writeCniConf(node, {name: 'vxlan0'}, 'a.conflist')],
  ])('is not said with %s', async (_, change) => {
    const node = await started({}, change)
    await node.stage.elapse(10_000)
    expect(ownNode(node)).toMatchObject({ready: false})
    expect(ownNode(node)?.readyReason).toMatch(/^KubeletNotReady: .*NetworkPluginNotReady/)
  })

  it('is said of the first file by name, and taken back with it', async () => {
    const node = await started({}, (one) => writeCniConf(one))
    await writeCniConf(node, {name: 'nat', type: 'none'}, '0.conf')
    expect(ownNode(node)?.ready).toBe(true)
    await node.stage.files.remove(String.raw`C:\k\cni\config\cni.conf`)
    await node.stage.elapse(6000)
    expect(ownNode(node)?.ready).toBe(false)
  })

  it.each<[string, NodeOptions, (node: TestNode) => Promise<void> | void, string]>([
    [
      '/etc/resolv.conf is missing and 1.21 was not told to do without',
      withArgs({'resolv-conf': undefined}),
      () => {},
      'open /etc/resolv.conf',
    ],
    [
      'the file says resolvConf: "" to 1.22',
      withArgs({'resolv-conf': undefined}, 'v1.22.0'),
      ({stage}) => stage.files.write(CONFIG, `${HEADER}resolvConf: ""\n`),
      'open /etc/resolv.conf',
    ],
    [
      'the pause image is missing',
      {},
      ({stage}) => void (stage.world.docker.images = []),
      'unable to pull sandbox image',
    ],
    [
      'the pause image is of another build',
      {},
      ({stage}) =>
        void (stage.world.docker.images[0] = {
          created: '',
          id: '',
          labels: {},
          osVersion: '10.0.20348.1',
          size: 1,
          tags: ['kubeletwin/pause:latest'],
        }),
      'does not match the host operating system',
    ],
    [
      'the delegate is missing',
      {},
      ({stage}) => stage.files.remove(String.raw`C:\k\cni\win-overlay.exe`),
      'failed to find plugin',
    ],
    [
      'the network has another name',
      {},
      (node) => writeCniConf(node, {delegate: {type: 'win-overlay'}, name: 'flannel.4096', type: 'flannel'}),
      'Network flannel.4096 not found',
    ],
  ])('starts no pod where %s', async (_, options, change, text) => {
    const node = await makeNode(options)
    await withNetwork(node)
    await writeCniConf(node)
    await change(node)
    await node.stage.elapse(6000)
    expect(ownNode(node)?.ready).toBe(true)
    expect(await node.log('kubelet')).toContain(text)
  })

  it('is not said while Docker is down', async () => {
    const node = await started({}, (one) => writeCniConf(one))
    node.stage.world.docker.running = false
    await node.stage.elapse(6000)
    expect(ownNode(node)?.readyReason).toBe('KubeletNotReady: container runtime is down')
  })
})

it('writes its log under klog’s names, one file a severity', async () => {
  const node = await started({}, ({stage}) => void (stage.world.docker.minApiVersion = '1.44'))
  const names = await node.stage.files.list(String.raw`C:\k\logs\kubelet`)
  const severities = names.map(
    (name) => /^kubelet\.exe\.WIN-1\.WORKGROUP_WIN-1\$\.log\.([A-Z]+)\.20211115-024100\.\d+$/.exec(name)?.[1],
  )
  expect(severities).toEqual(['ERROR', 'INFO', 'WARNING'])
})

it('logs into the temporary folder where its own is missing', async () => {
  const node = await started({}, ({stage}) => stage.files.remove(String.raw`C:\k\logs\kubelet`))
  const names = await node.stage.files.list(String.raw`C:\Windows\Temp`)
  expect(names.some((name) => name.startsWith('kubelet.exe.'))).toBe(true)
})

it('learns its version from the program, not from its name', async () => {
  const node = await started({}, ({stage}) =>
    install(stage, String.raw`C:\k\kubernetes\node\bin\kubelet.exe`, 'kubelet', 'v1.24.17'),
  )
  expect(node.code).toBe(1053)
})

it('runs behind a wrapper without --windows-service, and not with it', async () => {
  const wrap = async (args: readonly string[]): Promise<TestNode> => {
    const kubelet = [
      String.raw`"C:\k\shawl.exe" run --name kubelet -- C:\k\kubernetes\node\bin\kubelet.exe`,
      ...args,
    ].join(' ')
    return started({kubelet})
  }

  expect(ownNode(await wrap(withFlags(KUBELET_ARGS, {'windows-service': undefined})))).toBeDefined()
  expect(ownNode(await wrap(KUBELET_ARGS))).toBeUndefined()
})
