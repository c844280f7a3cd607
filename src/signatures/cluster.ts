// What keeps any of the three daemons from the API server. Go's own words, which are the same in every language of Windows.
import {DAEMONS} from './codes.js'
import {AGAIN, RESTART_KUBELET} from './remedies.js'
import type {Signature} from './signature.js'

const all = (signature: Omit<Signature, 'seenIn'>): Signature => ({
  ...signature,
  overOnceStarted: true,
  seenIn: DAEMONS,
})

export const CLUSTER_SIGNATURES: readonly Signature[] = [
  {
    cause:
      'The certificate in the kubeconfig, or that of the API server, has expired, or the clock of this host is wrong.',
    fix: `Compare the clock ("w32tm /query /status"), get a new kubeconfig from the cluster, then run "k8s-win setup --kubeconfig <file>".`,
    id: 'certificate-expired',
    pattern: /x509: certificate has expired or is not yet valid/,
    sources: ['Go crypto/x509', 'Kubernetes: certificate management with kubeadm'],
  },
  {
    cause:
      "The kubeconfig's certificate authority did not sign the API server's certificate: it is the kubeconfig of another cluster, or the cluster was created again.",
    fix: 'Get a new kubeconfig from the cluster, then run "k8s-win setup --kubeconfig <file>".',
    id: 'certificate-authority-unknown',
    pattern: /x509: certificate signed by unknown authority/,
    sources: ['Go crypto/x509'],
  },
  {
    cause: 'The kubeconfig names the API server by an address or name that its certificate does not have.',
    fix: 'Use an address of the certificate as "server:" in the kubeconfig, or add this address to the certificate on the control plane.',
    id: 'certificate-other-name',
    pattern: /x509: (?:certificate is valid for [^]{1,500}, not |cannot validate certificate for )/,
    sources: ['Go crypto/x509'],
  },
  {
    cause:
      'The API server rejects the credentials: the token or certificate in the kubeconfig has expired or was revoked.',
    fix: 'Get a new kubeconfig from the cluster, then run "k8s-win setup --kubeconfig <file>".',
    id: 'api-server-unauthorized',
    pattern: /(?:: |err=\\?")Unauthorized\\?"?(?: |$)/,
    sources: ['Kubernetes: authentication'],
  },
  {
    cause: 'The identity in the kubeconfig lacks permissions that this daemon needs.',
    fix: 'Run "k8s-win doctor": its check "permissions" names what is missing and the kubectl command that grants it.',
    id: 'api-server-forbids',
    pattern: /is forbidden: User \\?"[^"\\]{1,300}\\?" cannot [a-z]{3,20} resource/,
    sources: ['Kubernetes: RBAC'],
  },
  {
    cause: 'This host cannot resolve the name of the API server: no DNS server knows it, or none responds.',
    fix: 'Check that a DNS server of this host resolves it ("nslookup <name>"); the virtual switch may have lost the DNS servers of the adapter.',
    id: 'api-server-name-unknown',
    pattern: /dial tcp: lookup [^ ]{1,253}: (?:no such host|getaddrinfow: |i\/o timeout)/,
    sources: ['Go net: lookup_windows.go', 'sig-windows-tools#162'],
  },
  {
    cause:
      'No connection to the API server: it is down, a firewall blocks it, or this host lost its route when the virtual switch was created.',
    fix: `Run "k8s-win doctor" (checks "api-server" and "metadata-routes"); when it responds again: ${RESTART_KUBELET}.`,
    id: 'api-server-unreachable',
    pattern: /dial tcp [\d.:[\]a-f]{7,60}: (?:connectex: |i\/o timeout)/,
    sources: ['Go net', 'hcsshim#299', 'sig-windows-tools#36'],
  },
  {
    cause:
      'The API server accepted the connection but did not respond in time: it is overloaded, or another program is listening there.',
    fix: 'Check the control plane; a load balancer without a healthy API server also causes this.',
    id: 'api-server-silent',
    pattern: /net\/http: (?:TLS handshake timeout|request canceled \(Client\.Timeout exceeded)/,
    sources: ['Go net/http'],
  },
  {
    cause: 'The kubeconfig is not valid: it is damaged, or PowerShell saved it as UTF-16.',
    fix: `Replace it with a valid one in UTF-8. ${AGAIN}`,
    id: 'kubeconfig-unreadable',
    pattern:
      /(?:error loading config file|fail to create kubernetes config|invalid configuration: no configuration has been provided)/,
    sources: ['client-go: tools/clientcmd', 'flannel: pkg/subnet/kube/kube.go'],
  },
  {
    cause:
      'The port is in use by another program, such as a second kubelet or kube-proxy, or is in a range reserved by Windows.',
    fix: 'Find the program ("netstat -ano") and the reserved ranges ("netsh interface ipv4 show excludedportrange protocol=tcp").',
    id: 'port-taken',
    pattern: /listen (?:tcp|udp)4? [\d.:[\]]{1,50}: bind: /,
    sources: ['Go net', 'docker/for-win#3171'],
  },
  {
    cause: 'The program does not know a feature gate of its command line, or its release has locked it.',
    fix: `The command line of the service was changed, or its program is from another release. ${AGAIN}`,
    id: 'feature-gate-refused',
    pattern: /(?:unrecognized feature gate: |cannot set feature gate \w{1,80} to )/,
    sources: ['Kubernetes: feature gates removed', 'k8s.io/component-base/featuregate'],
  },
  {
    cause: 'The program does not know a flag of its command line: it is not the release that was configured.',
    fix: AGAIN,
    id: 'flag-unknown',
    pattern: /(?:unknown flag: --|flag provided but not defined: -)/,
    sources: ['spf13/pflag', 'Go flag'],
  },
].map(all)
