// When each check passes, and the errors that it raises otherwise: for docs/checks.md. A test compares the errors with those
// that the checks import.
import type {CheckId, NodeCheckId, SmokeCheckId} from './src/config/check-ids.js'

/** Without errors, a check warns at most. Those of files that cannot be trusted stand for all of their topic. */
type Limit = readonly [passes: string, errors?: string]

export const CHECK_LIMITS: Readonly<Record<CheckId | NodeCheckId | SmokeCheckId, Limit>> = {
  // Windows
  administrator: ['k8s-win runs in an elevated console', 'NOT_ADMINISTRATOR'],
  antivirus: ['Microsoft Defender excludes the base directory and the data of the container runtime, or does not run'],
  architecture: ['x64', 'ARCHITECTURE_UNSUPPORTED'],
  disk: [
    'drive C has 30 GB (a warning below 50 GB); after setup, which writes 1 GB of programs and, for each image that is missing, 6.3 GB (servercore) or 0.4 GB, or upgrade, 2 GB, 10 percent of each drive stay free (a warning below 15 percent)',
    'DISK_FULL DISK_TOO_SMALL',
  ],
  memory: ['2.5 GB in total; a warning if less than 0.6 GB are free', 'MEMORY_TOO_SMALL'],
  'newer-patch': [
    'dl.k8s.io names the newest patch of the release; a notice if k8s-win does not know it. Asked for 3 seconds; not with --image-registry, and not by status',
  ],
  'pending-restart': [
    'no update, feature or computer name waits for a restart; a warning for files that are replaced at the next one',
    'RESTART_REQUIRED',
  ],
  processors: ['two logical processors'],
  'release-windows': [
    'the release of Kubernetes and of flannel runs on this Windows; a warning if it is not tested upstream, upstream does not support it any more, it has a known bug, or its digest is not known',
    'FLANNEL_UNSUPPORTED WINDOWS_UNSUPPORTED',
  ],
  'virtual-machine': ['no hypervisor that may drop the frames of pods: Hyper-V, VMware, VirtualBox, OpenStack'],
  'windows-patch': [
    'Server 2019: 17763.379 (a warning below 1554); Server 2022: a warning below 20348.681 and from 2582 to 2761; Server 2025: a warning below 26100.6585',
    'WINDOWS_PATCH_MISSING',
  ],
  'windows-version': ['Windows Server 2019, 2022 or 2025, not Nano Server', 'WINDOWS_UNSUPPORTED'],
  // Folders
  'base-dir': [
    'a folder, or it can be created, because a kubeconfig or a token is passed',
    'BASE_DIR_MISSING BASE_DIR_NOT_FOLDER DRIVE_MISSING',
  ],
  'cni-folder': ['no CNI configuration of another tool comes first', 'FOREIGN_CNI_CONFIG OTHER_CNI_CONFIG'],
  'credential-provider': [
    '--kubelet-arg names no credential provider, or one whose configuration and programs only administrators can change',
    'CREDENTIAL_PROVIDER_UNUSABLE',
  ],
  drive: ['the base directory is on a fixed drive with NTFS or ReFS', 'DRIVE_MISSING DRIVE_UNSUITABLE'],
  'log-folders': ['at most 1 GB of logs per folder'],
  'long-paths': ['long paths are enabled, or the base directory has at most 150 characters'],
  'metrics-file': [
    '--metrics-file is not given, or in an existing folder that only administrators can write to',
    'METRICS_FILE_REFUSED',
  ],
  'program-folder': [
    'only administrators can change k8s-win, and nobody has put a library beside k8s-win.exe',
    'FOREIGN_LIBRARY',
  ],
  'safe-folders': [
    'only administrators can replace what runs as SYSTEM; setup restricts what others could change',
    'LINK_IN_THE_WAY PARENT_OPEN_TO_OTHERS PLANTED_PROGRAM',
  ],
  // Docker
  docker: [
    'up to 1.23 it responds on its pipe; from 1.24 on it does not run',
    'DOCKER_ABSENT DOCKER_BESIDE_CONTAINERD DOCKER_STOPPED PIPE_TAKEN',
  ],
  'docker-api': ['it accepts API 1.41, which Docker 29 does not', 'DOCKER_TOO_NEW'],
  'docker-disk': [
    'its data is on a fixed drive with NTFS and enough room, outside of the base directory',
    'BASE_DIR_WITH_DOCKER DISK_FULL DRIVE_MISSING DRIVE_UNSUITABLE',
  ],
  'docker-logs': ['the logs of containers are rotated'],
  'docker-mode': ['Windows containers', 'DOCKER_LINUX_MODE'],
  'docker-proxy': ['Docker has the proxy of this host, or there is none'],
  'docker-service': ['the service docker exists and starts with Windows', 'DOCKER_ABSENT'],
  // containerd
  containerd: [
    'none is installed, it is managed by k8s-win, or the one that is there can be used',
    'CONTAINERD_CHANGED CONTAINERD_PRESENT CONTAINERD_UNFIT PIPE_TAKEN',
  ],
  'containerd-disk': ['its data is on a drive with NTFS and enough room', 'DISK_FULL DRIVE_MISSING DRIVE_UNSUITABLE'],
  'containerd-folder': ['only administrators can change its data, programs and configuration', 'FILE_IN_THE_WAY'],
  'containerd-proxy': ['the proxy of this host has no password'],
  'containerd-versions': [
    'containerd 1.6, crictl 1.32 and CNI plugins 1.2, or newer; a warning if containerd is not supported upstream, or not tested with the release',
    'VERSION_UNSUPPORTED',
  ],
  registries: [
    '--registry-config is not given, or for a containerd that setup installs and that knows every capability in it',
    'REGISTRY_CONFIG_FOREIGN VERSION_UNSUPPORTED',
  ],
  // Network
  'containers-feature': ['the Windows feature Containers is installed', 'CONTAINERS_MISSING RESTART_REQUIRED'],
  'firewall-policy': ['no group policy ignores the rules that the node needs', 'FIREWALL_POLICY'],
  'firewall-rules': ["no other program has rules with k8s-win's names", 'FOREIGN_FIREWALL_RULE'],
  'hns-service': ['the service hns runs', 'HNS_MISSING HNS_STOPPED'],
  'hns-version': ['9.2 or newer', 'HNS_TOO_OLD'],
  'host-networks': ['no adapter, gateway, DNS server or narrower route is in the ranges of the cluster', 'CIDR_IN_USE'],
  interface: [
    'the adapter of `--interface-name`, or the only one with a default gateway, is up and has an IPv4 address',
    'INTERFACE_AMBIGUOUS INTERFACE_DOWN INTERFACE_MISSING INTERFACE_WITHOUT_ADDRESS NODE_IP_ELSEWHERE',
  ],
  'interface-address': ['the address is static; a warning for DHCP'],
  'metadata-routes': ['routes to cloud metadata are as before setup', 'METADATA_ROUTES_LOST'],
  networks: ['no other program has a network vxlan0', 'FOREIGN_NETWORK'],
  'node-address': ['an adapter has the address that the daemons use', 'NODE_ADDRESS_LOST'],
  'other-networks': ['no other overlay, transparent or l2 network is on the adapter', 'OTHER_NETWORK'],
  ports: ['TCP 10248, 10250, 10256 and UDP 4789 are free, or used by this node', 'PORT_TAKEN'],
  'reserved-ports': [
    'Windows has not reserved the ports of the daemons; a warning if no 64 consecutive ports are free',
    'PORTS_RESERVED',
  ],
  // Identity
  'client-ca': [
    'the authority whose certificates the kubelet accepts can be read; a warning if it is that of the kubeconfig, and has not signed the client certificate in it',
    'CLIENT_CA_UNKNOWN',
  ],
  'cluster-administrator': ['no daemon is in the group system:masters or kubeadm:cluster-admins'],
  credentials: ['valid now; a warning if they expire within 30 days', 'CREDENTIALS_LAPSED'],
  kubeconfig: [
    'the kubeconfig of every daemon exists, can be read and can be trusted',
    'KUBECONFIG_MISSING KUBECONFIG_UNREADABLE KUBECONFIG_UNTRUSTED',
  ],
  'kubelet-access': [
    "no setting of the user's lets requests to the kubelet pass unauthorized, or turns its read-only port on; otherwise a warning",
  ],
  'node-copy': ['the UUID of the machine is the one on which setup stored its configuration', 'NODE_IS_A_COPY'],
  'node-identities': [
    'kubeconfigs and certificates are there and valid; a certificate that was not renewed in time is reported',
    'CREDENTIALS_LAPSED KUBECONFIG_MISSING KUBECONFIG_UNREADABLE KUBELET_CERTIFICATE_LAPSED KUBELET_CERTIFICATE_STALE',
  ],
  'node-identity': ["the kubelet's certificate is for the name of this node"],
  permissions: ['every daemon may do in the cluster what it must', 'NODE_ACCESS_MISSING PERMISSIONS_MISSING'],
  // Cluster
  'cluster-dns': ['the address of the cluster DNS is known', 'CLUSTER_DNS_UNKNOWN'],
  'flannel-config': [
    'flannel has VXLAN, VNI 4096, port 4789 and the network of `--cluster-cidr`',
    'FLANNEL_NETWORK_ELSEWHERE FLANNEL_UNFIT',
  ],
  'flannel-daemonset': ['the flannel DaemonSet for Linux does not run on Windows nodes'],
  'host-process-daemonsets': ['no DaemonSet runs flannel or kube-proxy on this node', 'HOST_PROCESS_NETWORK'],
  'linux-daemonsets': ['no other DaemonSet without a node selector would run on this node'],
  'node-name': ['the name of the node is known', 'NODE_OPTIONS_LOST'],
  'node-object': ['no other machine has the name of this node', 'NODE_NAME_TAKEN'],
  'pod-network': [
    'the node (before it is registered: the other nodes) has a pod network inside of `--cluster-cidr`',
    'POD_CIDR_ELSEWHERE',
  ],
  'server-clock': ["within 30 seconds of the API server's; a failure from 5 minutes on", 'CLOCK_WRONG'],
  'service-network': ['the Services of the API server and of DNS are in `--service-cidr`', 'SERVICE_CIDR_ELSEWHERE'],
  'version-skew': [
    'not newer than the API server, and at most three minor versions older (before 1.25: two)',
    'VERSION_SKEW',
  ],
  // Node
  'cni-duplicates': ['one CNI configuration'],
  'csi-proxy': ['on Server 2025, an installed csi-proxy has wmic, which older ones need'],
  'dns-backends': ['the load balancers of the cluster DNS have its endpoints', 'SERVICE_BACKENDS_WRONG'],
  drift: ['every step is as setup left it', 'DRIFTED'],
  'image-build': ['the images are there, and for this Windows build', 'IMAGE_MISSING IMAGE_OF_OTHER_BUILD'],
  'node-condition': [
    'the node is registered and Ready, with the version and address of this host',
    'API_SERVER_UNREACHABLE NODE_AT_OTHER_ADDRESS NODE_DELETED NODE_OF_OTHER_VERSION NODE_UNREADY NO_POD_CIDR VTEP_MAC_MISSING',
  ],
  'node-programs': [
    'every program has the digest that was verified',
    'PROGRAM_CHANGED PROGRAM_MISSING PROGRAM_OF_OTHER_VERSION',
  ],
  'node-records': [
    'the last run finished, and its records and journal are complete',
    'JOURNAL_DAMAGED JOURNAL_LOST NODE_OPTIONS_LOST RECORDS_LOST SETUP_UNFINISHED UPGRADE_UNFINISHED RESET_UNFINISHED',
  ],
  'node-runtime': [
    'containerd runs, and is ready for pods and their network',
    'CONTAINERD_ABSENT CONTAINERD_STOPPED PIPE_TAKEN RUNTIME_UNREADY',
  ],
  'node-services': [
    'the services run, start with Windows, and their health endpoints respond within 2 seconds',
    'DAEMON_UNWELL DAEMON_WITHOUT_RUNNER FOREIGN_SERVICE PORT_OWNER_UNKNOWN PORT_TAKEN SERVICE_DISABLED SERVICE_DOWN SERVICE_MISSING WATCH_SILENT',
  ],
  'overlay-network': [
    'the network vxlan0, subnet.env and the source VIP are as flanneld creates them',
    'FLANNEL_LEASE_MISSING FOREIGN_NETWORK OVERLAY_NETWORK_ABSENT OVERLAY_UNSOUND SOURCE_VIP_NOT_RESERVED',
  ],
  'pod-addresses': ['no two pods have the same address', 'POD_ADDRESS_TWICE'],
  'service-backends': [
    'the load balancers of the cluster IPs of all Services have their endpoints',
    'SERVICE_BACKENDS_WRONG',
  ],
  'service-wrapper': ['always; it shows which version of shawl runs the daemons'],
  services: ["no other program has services with k8s-win's names", 'FOREIGN_SERVICE NODE_ELSEWHERE'],
  'services-proof': [
    'kube-proxy has created the load balancers of DNS and of the API server',
    'LOAD_BALANCER_MISSING SERVICES_UNREADABLE SOURCE_VIP_MISSING',
  ],
  'stale-endpoints': ['no endpoint of HNS is left from a removed container'],
  // Ports and peers
  'api-server': [
    'it responds over TLS',
    'API_SERVER_FORBIDS API_SERVER_REFUSES API_SERVER_UNREACHABLE API_SERVER_UNTRUSTED',
  ],
  'kubelet-port': ["the kubelet's port accepts connections on the node's address", 'KUBELET_PORT_CLOSED'],
  'node-firewall': ['the rules are as setup created them', 'FIREWALL_RULE_MISSING FOREIGN_FIREWALL_RULE'],
  'peer-addresses': ['flannel on the other nodes reports an address that the Node has, unless a person has set it'],
  peers: ['flannel on the other nodes has the same backend, and one address per node'],
  'vxlan-port': ['packets to UDP 4789 of other nodes leave this host; their arrival cannot be checked'],
  // From a pod
  'smoke-dns': ['the name of the API server is resolved by the cluster DNS', 'SMOKE_DNS_FAILED SMOKE_POD_NOT_RUN'],
  'smoke-pods': ['a pod on another node responds', 'SMOKE_PODS_FAILED SMOKE_POD_NOT_RUN'],
  'smoke-service': ['the API server responds on the address of its Service', 'SMOKE_POD_NOT_RUN SMOKE_SERVICE_FAILED'],
}
