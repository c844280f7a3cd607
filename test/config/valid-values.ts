// Five different valid values of every option, as text: one each for the command line, the environment, the file, what
// the last setup stored, and to spare. A test holds the table complete.
import type {OptionFlag} from '../../src/config/options.js'

type Five = readonly [string, string, string, string, string]

const files = (name: string): Five => [1, 2, 3, 4, 5].map((index) => `D:\\files\\${name}-${index}`) as unknown as Five
const hex = (digit: string): string => `sha256:${digit.repeat(64)}`

export const VALID: Readonly<Record<OptionFlag, Five>> = {
  adopt: ['true', 'false', 'true', 'false', 'true'],
  'base-dir': [String.raw`D:\one`, String.raw`D:\two`, String.raw`D:\three`, String.raw`D:\four`, String.raw`D:\five`],
  'base-images': ['nanoserver', 'nanoserver', 'nanoserver', 'nanoserver', 'nanoserver'],
  'ca-cert-hash': [hex('1'), hex('2'), hex('3'), hex('4'), hex('5')],
  'client-ca-file': files('ca'),
  'cluster-cidr': ['10.1.0.0/16', '10.2.0.0/16', '10.3.0.0/16', '10.4.0.0/16', '10.5.0.0/16'],
  'cluster-dns': ['10.10.0.11', '10.10.0.12', '10.10.0.13', '10.10.0.14', '10.10.0.15'],
  'cluster-domain': ['one.local', 'two.local', 'three.local', 'four.local', 'five.local'],
  'cni-version': ['1.0.1', '1.0.2', '1.0.3', '1.0.4', '1.0.5'],
  'containerd-version': ['1.7.21', '1.7.22', '1.7.23', '1.7.24', '1.7.25'],
  'crictl-version': ['1.32.0', '1.33.0', '1.34.0', '1.35.0', '1.36.0'],
  config: files('node.yaml'),
  digest: [
    `shawl=${hex('1')}`,
    `flanneld=${hex('2')}`,
    `kubernetes=${hex('3')}`,
    `cni-plugins=${hex('4')}`,
    `flannel-cni=${hex('5')}`,
  ],
  'docker-endpoint': [
    'npipe:////./pipe/one',
    'npipe:////./pipe/two',
    'npipe:////./pipe/three',
    'npipe:////./pipe/four',
    'npipe:////./pipe/five',
  ],
  'dry-run': ['true', 'false', 'true', 'false', 'true'],
  'enable-dsr': ['true', 'false', 'true', 'false', 'true'],
  'feature-gate': [
    'NodeLogQuery=true',
    'NodeLogQuery=false',
    'CloudDualStackNodeIPs=true',
    'KubeletTracing=true',
    'KubeletTracing=false',
  ],
  'flannel-cni-version': ['1.1.1', '1.1.2', '1.1.3', '1.1.4', '1.1.5'],
  'flannel-version': ['0.21.1', '0.21.2', '0.21.3', '0.21.4', '0.21.5'],
  'flanneld-kubeconfig': files('flanneld'),
  'ignore-check': ['ports', 'disk', 'memory', 'docker', 'services'],
  'image-registry': ['one.example', 'two.example', 'three.example', 'four.example', 'five.example'],
  'interface-name': ['Ethernet 1', 'Ethernet 2', 'Ethernet 3', 'Ethernet 4', 'Ethernet 5'],
  'kube-proxy-kubeconfig': files('kube-proxy'),
  kubeconfig: files('kubeconfig'),
  'kubelet-kubeconfig': files('kubelet'),
  'nanoserver-tag': ['1809', '1810', '1811', '1812', '1813'],
  'node-ip': ['10.0.0.11', '10.0.0.12', '10.0.0.13', '10.0.0.14', '10.0.0.15'],
  'node-label': ['disk=one', 'disk=two', 'disk=three', 'disk=four', 'disk='],
  'node-name': ['win-11', 'win-12', 'win-13', 'win-14', 'win-15'],
  release: ['1.22.1', '1.22.2', '1.22.3', '1.22.4', 'v1.22.5'],
  reset: ['true', 'false', 'true', 'false', 'true'],
  runtime: ['docker', 'auto', 'docker', 'auto', 'docker'],
  server: [
    'https://one.example:6443',
    'https://two.example:6443',
    'https://three.example:6443',
    'https://four.example:6443',
    'https://five.example:6443',
  ],
  'servercore-tag': ['ltsc1', 'ltsc2', 'ltsc3', 'ltsc4', 'ltsc5'],
  'service-cidr': ['10.101.0.0/16', '10.102.0.0/16', '10.103.0.0/16', '10.104.0.0/16', '10.105.0.0/16'],
  skip: ['docker', 'net-conf', 'base-images', 'cni-config', 'node-ready'],
  taint: ['os=one:NoSchedule', 'os=two:NoExecute', 'os:PreferNoSchedule', 'x.io/os=four:NoSchedule', 'os=:NoExecute'],
  timeout: ['90s', '15m', '1h', '1h30m', '24h'],
  token: [
    'aaaaaa.aaaaaaaaaaaaaaaa',
    'bbbbbb.bbbbbbbbbbbbbbbb',
    'cccccc.cccccccccccccccc',
    'dddddd.dddddddddddddddd',
    'eeeeee.eeeeeeeeeeeeeeee',
  ],
  'token-file': files('token'),
  'unsafe-skip-ca-verification': ['true', 'false', 'true', 'false', 'true'],
  yes: ['true', 'false', 'true', 'false', 'true'],
}
