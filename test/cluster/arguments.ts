// The command lines of a control plane as kubeadm writes them (cmd/kubeadm/app/phases/controlplane/manifests.go), on
// loopback; and the configuration that its phases get.
import path from 'node:path'

export interface Place {
  /** Port of etcd. */
  readonly client: number
  readonly folder: string
  /** Port of kube-controller-manager. */
  readonly manager: number
  /** Of Kubernetes 1.x. */
  readonly minor: number
  readonly peer: number
  /** Port of kube-apiserver. */
  readonly port: number
  /** "v1.20.2" */
  readonly release: string
}

/** Ports without TLS, which 1.24 no longer has, not even to turn them off. */
const without = ({minor}: Place, flag: string): string[] => (minor < 24 ? [flag] : [])

/** The version of kubeadm's configuration; each is read for some releases after the next one came. */
const configurationOf = (minor: number): string => (minor < 22 ? 'v1beta2' : minor < 31 ? 'v1beta3' : 'v1beta4')

/** kube-apiserver and kubeadm refuse to advertise loopback. Nothing connects to this address. */
const ADVERTISED = '10.0.0.10'
const SERVICE_CIDR = '10.10.0.0/16'
/** Those that joining and draining need. Others would taint nodes whose kubelet does not report, and evict their pods. */
const CONTROLLERS = [
  ...['bootstrapsigner', 'tokencleaner', 'csrapproving', 'csrsigning', 'csrcleaner', 'disruption', 'replicaset'],
  ...['serviceaccount', 'serviceaccount-token', 'clusterrole-aggregation'],
]

const pki = ({folder}: Place, name: string): string => path.join(folder, 'pki', name)

export const ETCD = ({client, folder, peer}: Place): string[] => [
  ...['--data-dir', path.join(folder, 'etcd'), '--name', 'lab', '--log-level', 'error'],
  ...['--listen-client-urls', `http://127.0.0.1:${client}`, '--advertise-client-urls', `http://127.0.0.1:${client}`],
  ...['--listen-peer-urls', `http://127.0.0.1:${peer}`, '--initial-advertise-peer-urls', `http://127.0.0.1:${peer}`],
  ...['--initial-cluster', `lab=http://127.0.0.1:${peer}`],
  // Nothing of it outlives the test.
  '--unsafe-no-fsync',
]

export const API_SERVER = (place: Place): string[] => [
  ...[
    `--advertise-address=${ADVERTISED}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${place.port}`,
    ...without(place, '--insecure-port=0'),
  ],
  ...[`--etcd-servers=http://127.0.0.1:${place.client}`, `--service-cluster-ip-range=${SERVICE_CIDR}`],
  ...[`--tls-cert-file=${pki(place, 'apiserver.crt')}`, `--tls-private-key-file=${pki(place, 'apiserver.key')}`],
  ...[`--client-ca-file=${pki(place, 'ca.crt')}`, '--enable-bootstrap-token-auth=true'],
  ...['--allow-privileged=true', '--authorization-mode=Node,RBAC', '--enable-admission-plugins=NodeRestriction'],
  ...['--service-account-issuer=https://kubernetes.default.svc.cluster.local'],
  `--service-account-key-file=${pki(place, 'sa.pub')}`,
  `--service-account-signing-key-file=${pki(place, 'sa.key')}`,
]

export const CONTROLLER_MANAGER = (place: Place): string[] => [
  ...[
    '--bind-address=127.0.0.1',
    `--secure-port=${place.manager}`,
    ...without(place, '--port=0'),
    '--leader-elect=false',
  ],
  // kubeadm's kubeconfig for it names the advertised address.
  ...[`--kubeconfig=${path.join(place.folder, 'controller-manager.conf')}`, `--master=https://127.0.0.1:${place.port}`],
  ...[`--controllers=${CONTROLLERS.join(',')}`, '--use-service-account-credentials=true'],
  ...[`--cluster-signing-cert-file=${pki(place, 'ca.crt')}`, `--cluster-signing-key-file=${pki(place, 'ca.key')}`],
  ...[`--root-ca-file=${pki(place, 'ca.crt')}`, `--service-account-private-key-file=${pki(place, 'sa.key')}`],
]

export const KUBEADM_CONFIG = ({folder, minor, port, release}: Place, token: string): string => `\
apiVersion: kubeadm.k8s.io/${configurationOf(minor)}
kind: InitConfiguration
bootstrapTokens:
  - token: ${token}
    ttl: 24h0m0s
    groups: ['system:bootstrappers:kubeadm:default-node-token']
    usages: [signing, authentication]
localAPIEndpoint: {advertiseAddress: ${ADVERTISED}, bindPort: ${port}}
nodeRegistration: {name: control-plane, criSocket: unix:///run/containerd/containerd.sock}
---
apiVersion: kubeadm.k8s.io/${configurationOf(minor)}
kind: ClusterConfiguration
kubernetesVersion: ${release}
controlPlaneEndpoint: 127.0.0.1:${port}
certificatesDir: ${path.join(folder, 'pki')}
networking: {dnsDomain: cluster.local, podSubnet: 10.244.0.0/16, serviceSubnet: ${SERVICE_CIDR}}
---
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupDriver: systemd
`
