// Lines of daemons that do not reach the API server.
import {commandFailed, errorS, flannelBegins, flannelSays, klog, shawl} from '../log-lines.js'
import {line, type SignatureLine} from './line.js'

/** client-go 0.33 (flanneld 0.28.9) to 0.36: tools/cache/reflector.go. */
const unwatched = (err: string): string =>
  `${errorS('reflector.go:227', 'Failed to watch', `failed to list *v1.Node: ${err}`)} logger="UnhandledError" reflector="k8s.io/client-go/informers/factory.go:161" type="*v1.Node"`
const ASKED = 'Get "https://api.example:6443/api/v1/nodes?limit=500&resourceVersion=0": '
const X509 = `${ASKED}tls: failed to verify certificate: x509: certificate `

/** The words of Go and of client-go, which all daemons have inside. */
const NEWEST: readonly (readonly [id: string, is: string])[] = [
  [
    'certificate-expired',
    `${X509}has expired or is not yet valid: current time 2026-11-15T02:41:07Z is after 2026-01-01`,
  ],
  ['certificate-authority-unknown', `${X509}signed by unknown authority`],
  ['certificate-other-name', `${X509}is valid for 10.96.0.1, 10.0.0.1, not api.example`],
  ['api-server-unauthorized', 'Unauthorized'],
  [
    'api-server-forbids',
    'nodes is forbidden: User "system:node:win-9" cannot list resource "nodes" in API group "" at the cluster scope',
  ],
  ['api-server-name-unknown', `${ASKED}dial tcp: lookup api.example: no such host`],
  [
    'api-server-name-unknown',
    `${ASKED}dial tcp: lookup api.example: getaddrinfow: This is usually a temporary error during hostname resolution and means that the local server did not receive a response from an authoritative server.`,
  ],
  ['api-server-name-unknown', `${ASKED}dial tcp: lookup api.example: i/o timeout`],
  ['api-server-unreachable', `${ASKED}dial tcp 10.0.0.1:6443: connectex: Ein Socketvorgang betraf ein Netzwerk.`],
  ['api-server-silent', `${ASKED}net/http: TLS handshake timeout`],
]

export const CLUSTER_LINES: readonly SignatureLine[] = [
  ...NEWEST.flatMap(([id, is]) => [
    line('kubelet', id, 'kubelet 1.36.4', unwatched(is), unwatched(`${ASKED}context canceled`)),
    line('kube-proxy', id, 'kube-proxy 1.36.4', unwatched(is), unwatched(`${ASKED}EOF`)),
    line('flanneld', id, 'flanneld 0.28.9', shawl(unwatched(is)), shawl(unwatched(`${ASKED}EOF`))),
  ]),
  line(
    'kube-proxy',
    'feature-gate-refused',
    'kube-proxy 1.36.4',
    commandFailed('failed complete: cannot set feature gate WinOverlay to false, feature is locked to true'),
    commandFailed('failed complete: x'),
  ),
  line(
    'kubelet',
    'flag-unknown',
    'kubelet 1.36.4',
    commandFailed('failed to parse kubelet flag: unknown flag: --network-plugin'),
    commandFailed('unknown command x'),
  ),
  line(
    'kubelet',
    'certificate-expired',
    'kubelet 1.23.17',
    errorS(
      'reflector.go:138',
      'Failed to watch *v1.Service',
      'Get "https://10.0.0.1:6443/api/v1/services": x509: certificate has expired or is not yet valid: current time is after',
    ),
    klog('I', 'certificate_manager.go:437', 'Certificate rotation is enabled'),
  ),
  line(
    'kube-proxy',
    'certificate-authority-unknown',
    'kube-proxy 1.23.17',
    klog(
      'E',
      'reflector.go:138',
      'Failed to watch *v1.Service: Get "https://10.0.0.1:6443/": x509: certificate signed by unknown authority',
    ),
    klog('I', 'reflector.go:138', 'certificate signed by a known authority'),
  ),
  line(
    'flanneld',
    'certificate-other-name',
    'flanneld 0.20.0',
    shawl(
      klog(
        'E',
        'reflector.go:138',
        'Get "https://10.0.0.9:6443/": x509: certificate is valid for 10.96.0.1, 10.0.0.1, not 10.0.0.9',
      ),
    ),
    shawl(klog('I', 'reflector.go:138', 'certificate is valid for 30 days')),
  ),
  line(
    'kubelet',
    'api-server-unauthorized',
    'kubelet 1.36.4',
    errorS('kubelet_node_status.go:93', 'Unable to register node with API server', 'Unauthorized'),
    klog('I', 'server.go:100', '"Request" response="401 Unauthorized by us"'),
  ),
  line(
    'flanneld',
    'api-server-forbids',
    'flanneld 0.20.0',
    flannelSays(
      'E',
      'reflector.go:138',
      'failed to list *v1.Node: nodes is forbidden: User "system:node:win-9" cannot list resource "nodes" in API group "" at the cluster scope',
    ),
    errorS(
      'kubelet_node_status.go:93',
      'Unable to register node',
      'nodes "win-1" is forbidden: node "win-9" is not allowed to modify node "win-1"',
    ),
  ),
  line(
    'kubelet',
    'api-server-name-unknown',
    'kubelet 1.23.17',
    errorS(
      'reflector.go:138',
      'Failed to watch',
      'Get "https://api.example:6443/": dial tcp: lookup api.example: no such host',
    ),
    errorS('reflector.go:138', 'Failed to watch', 'lookup took too long'),
  ),
  line(
    'kube-proxy',
    'api-server-unreachable',
    'kube-proxy 1.23.17',
    klog(
      'E',
      'reflector.go:138',
      'Get "https://10.0.0.1:6443/": dial tcp 10.0.0.1:6443: connectex: Es konnte keine Verbindung hergestellt werden.',
    ),
    klog('I', 'reflector.go:138', 'dial tcp 10.0.0.1:6443: connected'),
  ),
  line(
    'flanneld',
    'api-server-silent',
    'flanneld 0.20.0',
    flannelSays(
      'E',
      'reflector.go:138',
      'failed to list *v1.Node: Get "https://10.0.0.1:6443/": net/http: TLS handshake timeout',
    ),
    flannelSays('I', 'reflector.go:138', 'net/http: TLS handshake done'),
  ),
  line(
    'flanneld',
    'kubeconfig-unreadable',
    'flanneld 0.28.9',
    flannelBegins(
      String.raw`fail to create kubernetes config: error loading config file "C:\k\kubeconfig": yaml: control characters are not allowed`,
    ),
    flannelSays('I', 'client_config.go:100', 'loading config file'),
  ),
  line(
    'kubelet',
    'port-taken',
    'kubelet 1.36.4',
    errorS(
      'server.go:168',
      'Failed to listen and serve',
      'listen tcp 0.0.0.0:10250: bind: Normalerweise darf jede Socketadresse nur einmal verwendet werden.',
    ),
    klog('I', 'server.go:144', '"Starting to listen" address="0.0.0.0" port=10250'),
  ),
  line(
    'kube-proxy',
    'feature-gate-refused',
    'kube-proxy 1.21.14',
    klog(
      'F',
      'server.go:489',
      'failed complete: cannot set feature gate IPv6DualStack to false, feature is locked to true',
    ),
    klog('I', 'feature_gate.go:243', 'feature gates: &{map[WinOverlay:true]}'),
  ),
  line(
    'kubelet',
    'flag-unknown',
    'kubelet 1.23.17',
    'Error: failed to parse kubelet flag: unknown flag: --network-plugin',
    'Error: unknown command "x"',
  ),
]
