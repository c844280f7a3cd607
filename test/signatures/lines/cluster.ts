// Lines of daemons that do not reach the API server.
import {errorS, flannelBegins, flannelSays, klog, shawl} from '../log-lines.js'
import {line, type SignatureLine} from './line.js'

export const CLUSTER_LINES: readonly SignatureLine[] = [
  line(
    'kubelet',
    'certificate-expired',
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
    errorS('kubelet_node_status.go:93', 'Unable to register node with API server', 'Unauthorized'),
    klog('I', 'server.go:100', '"Request" response="401 Unauthorized by us"'),
  ),
  line(
    'flanneld',
    'api-server-forbids',
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
    flannelBegins(
      String.raw`fail to create kubernetes config: error loading config file "C:\k\kubeconfig": yaml: control characters are not allowed`,
    ),
    flannelSays('I', 'client_config.go:100', 'loading config file'),
  ),
  line(
    'kubelet',
    'port-taken',
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
    'Error: failed to parse kubelet flag: unknown flag: --network-plugin',
    'Error: unknown command "x"',
  ),
]
