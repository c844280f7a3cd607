// Every option of setup, as other programs and people rely on it: one row each.
import type {FlagName} from '../../src/config/options/options.js'

type Five = readonly [string, string, string, string, string]

interface OptionRow {
  /** What it is in the configuration where it is not given; a value that the host or the cluster decides is not there. */
  readonly absent?: object
  /** As help shows it. */
  readonly default?: string
  /** Values that are refused with exit code 2. */
  readonly invalid?: readonly string[]
  /** In the configuration file. */
  readonly key?: string
  /** One each for the command line, the environment, the file, what the last setup stored, and to spare. */
  readonly valid: Five
}

const SWITCH: Five = ['true', 'false', 'true', 'false', 'true']
const files = (name: string): Five => [1, 2, 3, 4, 5].map((index) => `D:\\files\\${name}-${index}`) as unknown as Five
const hex = (digit: string): string => `sha256:${digit.repeat(64)}`

export const OPTION_ROWS: Readonly<Record<FlagName, OptionRow>> = {
  adopt: {absent: {adopt: false}, default: 'false', key: 'adopt', valid: SWITCH},
  'allow-restart': {absent: {allowRestart: false}, default: 'false', key: 'allowRestart', valid: SWITCH},
  'base-dir': {
    absent: {baseDir: String.raw`C:\k`},
    default: String.raw`c:\k`,
    invalid: ['k'],
    key: 'baseDir',
    valid: [String.raw`D:\one`, String.raw`D:\two`, String.raw`D:\three`, String.raw`D:\four`, String.raw`D:\five`],
  },
  'base-images': {
    absent: {baseImages: ['nanoserver', 'servercore']},
    default: 'nanoserver,servercore',
    invalid: ['alpine', 'none,nanoserver', ''],
    key: 'images.base',
    valid: ['nanoserver', 'nanoserver', 'nanoserver', 'nanoserver', 'nanoserver'],
  },
  'ca-cert-hash': {key: 'join.caCertHashes', valid: [hex('1'), hex('2'), hex('3'), hex('4'), hex('5')]},
  'client-ca-file': {key: 'clientCAFile', valid: files('ca')},
  cloud: {
    default: 'auto',
    invalid: ['banana', 'azur'],
    key: 'cloud',
    valid: ['aws', 'azure', 'gce', 'openstack', 'none'],
  },
  'cluster-cidr': {
    default: '10.244.0.0/16',
    invalid: ['banana'],
    key: 'clusterCIDR',
    valid: ['10.1.0.0/16', '10.2.0.0/16', '10.3.0.0/16', '10.4.0.0/16', '10.5.0.0/16'],
  },
  'cluster-dns': {
    invalid: ['dns'],
    key: 'clusterDNS',
    valid: ['10.10.0.11', '10.10.0.12', '10.10.0.13', '10.10.0.14', '10.10.0.15'],
  },
  'cluster-domain': {
    default: 'cluster.local',
    invalid: ['_'],
    key: 'clusterDomain',
    valid: ['one.local', 'two.local', 'three.local', 'four.local', 'five.local'],
  },
  'cni-version': {
    default: '1.9.1',
    invalid: ['newest'],
    key: 'versions.cni',
    valid: ['1.0.1', '1.0.2', '1.0.3', '1.0.4', '1.0.5'],
  },
  config: {valid: files('node.yaml')},
  'containerd-version': {
    default: '2.3.4',
    invalid: ['newest'],
    key: 'versions.containerd',
    valid: ['1.7.21', '1.7.22', '1.7.23', '1.7.24', '1.7.25'],
  },
  'crictl-version': {
    default: '1.36.0',
    invalid: ['newest'],
    key: 'versions.crictl',
    valid: ['1.32.0', '1.33.0', '1.34.0', '1.35.0', '1.36.0'],
  },
  detach: {valid: SWITCH},
  digest: {
    absent: {digests: {}},
    invalid: ['x'],
    key: 'digests',
    valid: [
      `shawl=${hex('1')}`,
      `flanneld=${hex('2')}`,
      `kubernetes=${hex('3')}`,
      `cni-plugins=${hex('4')}`,
      `flannel-cni=${hex('5')}`,
    ],
  },
  'docker-endpoint': {
    absent: {dockerPipe: String.raw`\\.\pipe\docker_engine`},
    default: 'npipe:////./pipe/docker_engine',
    key: 'dockerEndpoint',
    valid: [
      'npipe:////./pipe/one',
      'npipe:////./pipe/two',
      'npipe:////./pipe/three',
      'npipe:////./pipe/four',
      'npipe:////./pipe/five',
    ],
  },
  'dry-run': {default: 'false', valid: SWITCH},
  'enable-dsr': {absent: {enableDSR: false}, default: 'false', invalid: ['perhaps'], key: 'enableDSR', valid: SWITCH},
  'enable-features': {absent: {enableFeatures: false}, default: 'false', key: 'enableFeatures', valid: SWITCH},
  'feature-gate': {
    absent: {featureGates: {}},
    invalid: ['x'],
    key: 'featureGates',
    valid: [
      'NodeLogQuery=true',
      'NodeLogQuery=false',
      'CloudDualStackNodeIPs=true',
      'KubeletTracing=true',
      'KubeletTracing=false',
    ],
  },
  'flannel-cni-version': {
    default: '1.9.1-flannel3',
    invalid: ['newest'],
    key: 'versions.flannelCNI',
    valid: ['1.1.1', '1.1.2', '1.1.3', '1.1.4', '1.1.5'],
  },
  'flannel-version': {
    default: '0.28.9',
    invalid: ['newest'],
    key: 'versions.flannel',
    valid: ['0.21.1', '0.21.2', '0.21.3', '0.21.4', '0.21.5'],
  },
  'flanneld-arg': {
    absent: {args: {flanneld: {}, 'kube-proxy': {}, kubelet: {}}},
    invalid: ['v', '--v=4', '=4', 'V=4', 'iface=10.0.0.5', 'ip-masq=true', 'net-config-path=x', 'v=4\u0000'],
    key: 'flanneld.args',
    valid: ['v=1', 'v=2', 'healthz-port=8471', 'v=4', 'public-ip=10.0.0.5'],
  },
  'flanneld-kubeconfig': {key: 'flanneld.kubeconfig', valid: files('flanneld')},
  'ignore-check': {
    absent: {ignoreChecks: []},
    invalid: ['nothing'],
    key: 'ignoreChecks',
    valid: ['ports', 'disk', 'memory', 'docker', 'services'],
  },
  'image-registry': {
    absent: {imageRegistry: 'mcr.microsoft.com'},
    default: 'mcr.microsoft.com',
    invalid: ['https://x'],
    key: 'images.registry',
    valid: ['one.example', 'two.example', 'three.example', 'four.example', 'five.example'],
  },
  'interface-name': {
    default: 'Ethernet0',
    key: 'interfaceName',
    valid: ['Ethernet 1', 'Ethernet 2', 'Ethernet 3', 'Ethernet 4', 'Ethernet 5'],
  },
  'kube-proxy-arg': {
    invalid: ['proxy-mode=userspace', 'config=x', 'feature-gates=WinOverlay=false', 'feature-gates=x'],
    key: 'kubeProxy.args',
    valid: [
      'v=1',
      'v=2',
      'config-sync-period=10m',
      'feature-gates=TopologyAwareHints=true,KubeProxyDrainingTerminatingNodes=true',
      'v=6',
    ],
  },
  'kube-proxy-kubeconfig': {key: 'kubeProxy.kubeconfig', valid: files('kube-proxy')},
  kubeconfig: {key: 'kubeconfig', valid: files('kubeconfig')},
  'kubeconfig-from': {
    invalid: ['vault:secret/k8s', 'aws-ssm:', 'azure-kv:x/y'],
    key: 'kubeconfigFrom',
    valid: ['aws-ssm:/one', 'aws-sm:two', 'azure-kv:three/three', 'gcp-sm:project/four', 'gcp-sm:project/five#key'],
  },
  'kubelet-arg': {
    absent: {kubeletConfig: {}},
    invalid: ['config=x', 'node-labels=a=b', 'max_pods=5', 'windows-service=false', 'log-dir=C:/x'],
    key: 'kubelet.args',
    valid: ['max-pods=50', 'eviction-hard=memory.available<1Gi,nodefs.available<10%', 'v=4', 'v=5', 'v=6'],
  },
  'kubelet-kubeconfig': {absent: {identityFiles: {}}, key: 'kubelet.kubeconfig', valid: files('kubelet')},
  launcher: {valid: ['none', 'cloudbase-init', 'ec2launch', 'ssm', 'azure-cse']},
  'metrics-file': {
    invalid: [
      'k8s-win.prom',
      String.raw`C:\metrics\k8s-win.txt`,
      String.raw`C:\metrics\.prom`,
      String.raw`C:\metrics\nul.prom`,
      String.raw`C:\con\k8s-win.prom`,
      String.raw`\\x\y\z.prom`,
    ],
    key: 'watch.metricsFile',
    valid: [1, 2, 3, 4, 5].map((index) => `D:\\metrics\\${index}.prom`) as unknown as Five,
  },
  'nanoserver-tag': {key: 'images.nanoserverTag', valid: ['1809', '1810', '1811', '1812', '1813']},
  'node-ip': {
    invalid: ['169.254.1.1'],
    key: 'nodeIP',
    valid: ['10.0.0.11', '10.0.0.12', '10.0.0.13', '10.0.0.14', '10.0.0.15'],
  },
  'node-label': {
    absent: {nodeLabels: {}},
    invalid: ['-=x'],
    key: 'nodeLabels',
    valid: ['disk=one', 'disk=two', 'disk=three', 'disk=four', 'disk='],
  },
  'node-name': {invalid: ['_'], key: 'nodeName', valid: ['win-11', 'win-12', 'win-13', 'win-14', 'win-15']},
  publish: {absent: {publish: true}, default: 'true', invalid: ['perhaps'], key: 'watch.publish', valid: SWITCH},
  'registry-config': {key: 'images.registryConfig', valid: files('registries')},
  release: {
    invalid: ['latest', '1.37'],
    key: 'release',
    valid: ['1.22.1', '1.22.2', '1.22.3', '1.22.4', 'v1.22.5'],
  },
  report: {valid: files('run.html')},
  reset: {default: 'false', valid: SWITCH},
  runtime: {
    absent: {runtime: 'auto'},
    default: 'auto',
    invalid: ['podman'],
    key: 'runtime',
    valid: ['docker', 'auto', 'docker', 'auto', 'docker'],
  },
  server: {
    key: 'join.server',
    valid: [
      'https://one.example:6443',
      'https://two.example:6443',
      'https://three.example:6443',
      'https://four.example:6443',
      'https://five.example:6443',
    ],
  },
  'servercore-tag': {key: 'images.servercoreTag', valid: ['ltsc1', 'ltsc2', 'ltsc3', 'ltsc4', 'ltsc5']},
  'secret-endpoint': {
    invalid: ['http://one.example', 'one.example', 'https://one.example/x', 'https://user:word@one.example'],
    key: 'secretEndpoint',
    valid: [1, 2, 3, 4, 5].map((index) => `https://${index}.example`) as unknown as Five,
  },
  'service-cidr': {
    default: '10.10.0.0/16',
    invalid: ['10.0.0.1/16'],
    key: 'serviceCIDR',
    valid: ['10.101.0.0/16', '10.102.0.0/16', '10.103.0.0/16', '10.104.0.0/16', '10.105.0.0/16'],
  },
  skip: {
    absent: {skip: []},
    invalid: ['nothing'],
    key: 'skip',
    valid: ['docker', 'net-conf', 'base-images', 'cni-config', 'node-ready'],
  },
  taint: {
    absent: {taints: []},
    invalid: ['os'],
    key: 'taints',
    valid: ['os=one:NoSchedule', 'os=two:NoExecute', 'os:PreferNoSchedule', 'x.io/os=four:NoSchedule', 'os=:NoExecute'],
  },
  timeout: {
    absent: {timeoutMs: 1_800_000},
    default: '30m',
    invalid: ['5', '0s'],
    key: 'timeout',
    valid: ['90s', '15m', '1h', '1h30m', '24h'],
  },
  token: {
    valid: [
      'aaaaaa.aaaaaaaaaaaaaaaa',
      'bbbbbb.bbbbbbbbbbbbbbbb',
      'cccccc.cccccccccccccccc',
      'dddddd.dddddddddddddddd',
      'eeeeee.eeeeeeeeeeeeeeee',
    ],
  },
  'token-file': {key: 'join.tokenFile', valid: files('token')},
  'token-from': {
    key: 'join.tokenFrom',
    valid: ['aws-ssm:/one', 'aws-sm:two', 'azure-kv:three/three', 'gcp-sm:project/four', 'gcp-sm:project/five#key'],
  },
  'trust-secret-endpoint': {
    absent: {secretHosts: []},
    invalid: ['https://one.example', 'one.example/x', 'one.example:8443', 'user@one.example'],
    valid: ['one.example', 'two.example', 'three.example', 'four.example', 'five.example'],
  },
  'unsafe-skip-ca-verification': {default: 'false', valid: SWITCH},
  watch: {default: 'true', invalid: ['perhaps'], key: 'watch.enabled', valid: SWITCH},
  yes: {default: 'false', valid: SWITCH},
}
