// How kube-proxy, flanneld and containerd start on Windows.
import {errorS, klog, shawl, shawlSays} from '../log-lines.js'
import type {HealthyStart} from './start.js'

const info = (source: string, message: string): string => klog('I', source, message)
const LATE = 'dial tcp 10.0.0.1:6443: connectex: A socket operation was attempted to an unreachable network.'
const SERVICES = 'Get "https://10.0.0.1:6443/api/v1/services?limit=500&resourceVersion=0": '

/** cmd/kube-proxy/app, pkg/proxy/winkernel, pkg/proxy/config; --v=2. */
const KUBE_PROXY_STARTS: readonly HealthyStart[] = [
  {
    at: 'kube-proxy 1.36.4',
    lines: [
      info('service.go:129', 'Running kube-proxy as a Windows service!'),
      info('flags.go:64', 'FLAG: --source-vip="10.244.3.2"'),
      info('flags.go:64', 'FLAG: --network-name="vxlan0"'),
      info('feature_gate.go:446', '"feature gates" enabled={}'),
      errorS('reflector.go:227', 'Failed to watch', `failed to list *v1.Node: ${SERVICES}${LATE}`),
      info('shared_informer.go:402', '"Waiting for caches to sync"'),
      info('shared_informer.go:409', '"Caches are synced"'),
      info('server.go:228', '"Successfully retrieved NodeIPs" NodeIPs=["10.0.0.5"]'),
      klog(
        'E',
        'server.go:265',
        `"Kube-proxy configuration may be incomplete or incorrect" err="nodePortAddresses is unset; NodePort connections will be accepted on all local IPs. Consider using \`--nodeport-addresses primary\`"`,
      ),
      info('server.go:276', '"kube-proxy running in single-stack mode" ipFamily="IPv4"'),
      info('proxier.go:728', '"Hns Network loaded" hnsNetworkInfo={"name":"vxlan0"}'),
      info('proxier.go:1800', '"Record Host MAC address" addr="00:15:5d:00:00:01"'),
      info('server.go:539', '"Version info" version="v1.36.4"'),
      info('config.go:200', '"Starting service config controller"'),
      info('config.go:106', '"Starting endpoint slice config controller"'),
      info('shared_informer.go:409', '"Caches are synced" controller="service config"'),
      info('proxier.go:1134', '"Not syncing hns until Services and Endpoints have been received from master"'),
      klog(
        'E',
        'proxier.go:1421',
        '"Endpoint information not available for service, not applying any policy" serviceName="default/empty"',
      ),
      info('proxier.go:1334', '"Could not find provider address, assuming it is a public IP" IP="10.0.0.1"'),
      info('proxier.go:1702', '"Policy successfully applied for service" serviceInfo="10.96.0.1:443/TCP"'),
    ],
    source: 'kube-proxy',
  },
  {
    at: 'kube-proxy 1.23.17',
    lines: [
      info(
        'server.go:224',
        '"Warning, all flags other than --config, --write-config-to, and --cleanup are deprecated, please begin using a config file ASAP"',
      ),
      klog(
        'E',
        'reflector.go:138',
        `k8s.io/client-go/informers/factory.go:134: Failed to watch *v1.Service: failed to list *v1.Service: ${SERVICES}${LATE}`,
      ),
      info('node.go:172', 'Successfully retrieved node IP: 10.0.0.5'),
      info('server_windows.go:108', '"Using Kernelspace Proxier."'),
      info('proxier.go:219', '"Winoverlay does not support dual-stack, falling back to single-stack"'),
      info('proxier.go:643', '"Hns Network loaded" hnsNetworkInfo={"name":"vxlan0"}'),
      info('shared_informer.go:240', 'Waiting for caches to sync for service config'),
      info('shared_informer.go:247', 'Caches are synced for service config '),
      info('proxier.go:1357', '"Policy successfully applied for service" serviceInfo="10.96.0.1:443/TCP"'),
    ],
    source: 'kube-proxy',
  },
]

/** main.go, pkg/subnet/kube, pkg/backend/vxlan, in the log of shawl. */
const FLANNELD_STARTS: readonly HealthyStart[] = [
  {
    at: 'flanneld 0.28.9',
    lines: [
      shawlSays('INFO', 'Launching command'),
      ...[
        info(
          'main.go:229',
          'CLI flags config: {etcdEndpoints:http://127.0.0.1:4001 kubeSubnetMgr:true iface:[10.0.0.5]}',
        ),
        info('kube.go:139', 'Waiting 10m0s for node controller to sync'),
        info('kube.go:537', 'Starting kube subnet manager'),
        errorS('reflector.go:200', 'Failed to watch', `failed to list *v1.Node: ${SERVICES}${LATE}`),
        info('kube.go:561', 'Creating the node lease for IPv4. This is the n.Spec.PodCIDRs: [10.244.0.0/24]'),
        info('kube.go:163', 'Node controller sync successful'),
        info('main.go:255', 'Created subnet manager: Kubernetes Subnet Manager - win-1'),
        info('main.go:258', 'Installing signal handlers'),
        info('main.go:540', 'Found network config - Backend type: vxlan'),
        info('kube.go:743', 'List of node(win-1) annotations: map[string]string{}'),
        info('match.go:74', 'Searching for interface using 10.0.0.5'),
        info('match.go:269', 'Using interface with name Ethernet0 and address 10.0.0.5'),
        info('match.go:291', 'Defaulting external address to interface address (10.0.0.5)'),
        info(
          'vxlan_windows.go:127',
          'VXLAN config: Name=vxlan0 MacPrefix=0E-2A VNI=4096 Port=4789 GBP=false DirectRouting=false',
        ),
        info('device_windows.go:128', 'Attempting to create HostComputeNetwork &{ vxlan0 Overlay [] {[] [] [] []}}'),
        info('device_windows.go:136', 'Waiting to get ManagementIP from HostComputeNetwork vxlan0'),
        info('device_windows.go:234', 'Waiting to get net interface for HostComputeNetwork vxlan0 (10.0.0.5)'),
        info('device_windows.go:243', 'Host interface: vEthernet (Ethernet0) bound by vxlan0 ready'),
        info('device_windows.go:155', 'Created HostComputeNetwork vxlan0'),
        info('main.go:392', 'Cleaning-up unused traffic manager rules'),
        klog('W', 'main.go:610', 'no subnet found for key: FLANNEL_SUBNET in file: /run/flannel/subnet.env'),
        info('main.go:481', 'Wrote subnet file to /run/flannel/subnet.env'),
        info('main.go:484', 'flannel is ready'),
        info('main.go:488', 'Running backend.'),
      ].map((line) => shawl(line)),
    ],
    source: 'flanneld',
  },
]

const logrus = (level: 'info' | 'warning', rest: string): string =>
  shawl(`time="2026-11-15T02:41:07.123456789Z" level=${level} ${rest}`)

/** cmd/containerd, plugins/cri, internal/cri/server; the last lines are before setup has written the CNI configuration. */
const CONTAINERD_STARTS: readonly HealthyStart[] = ['2.3.4', '1.7.25'].map((version) => ({
  at: `containerd ${version}`,
  lines: [
    logrus('info', `msg="starting containerd" revision=1 version=v${version}`),
    ...(version.startsWith('1')
      ? [
          logrus(
            'info',
            'msg="loading plugin \\"io.containerd.snapshotter.v1.windows\\"..." type=io.containerd.snapshotter.v1',
          ),
          logrus(
            'info',
            'msg="skip loading plugin \\"io.containerd.tracing.processor.v1.otlp\\"..." error="no OpenTelemetry endpoint: skip plugin" type=io.containerd.tracing.processor.v1',
          ),
        ]
      : [
          logrus(
            'info',
            'msg="loading plugin" id=io.containerd.snapshotter.v1.windows type=io.containerd.snapshotter.v1',
          ),
          logrus(
            'info',
            'msg="skip loading plugin" error="skip plugin: tracing endpoint not configured" id=io.containerd.tracing.processor.v1.otlp type=io.containerd.tracing.processor.v1',
          ),
        ]),
    logrus('info', 'msg="Connect containerd service"'),
    logrus('info', 'msg="Start subscribing containerd event"'),
    logrus('info', 'msg="Start recovering state"'),
    logrus(
      'warning',
      String.raw`msg="failed to load cni during init, please check CRI plugin status before setting up network for pods" error="cni config load failed: no network config found in C:\\k\\cni\\config: cni plugin not initialized: failed to load cni config"`,
    ),
    logrus('info', 'msg="Start cni network conf syncer for default"'),
    logrus('info', String.raw`msg=serving... address="\\\\.\\pipe\\containerd-containerd"`),
    logrus('info', 'msg="containerd successfully booted in 0.512345s"'),
  ],
  source: 'containerd',
}))

export const OTHER_STARTS: readonly HealthyStart[] = [...KUBE_PROXY_STARTS, ...FLANNELD_STARTS, ...CONTAINERD_STARTS]
