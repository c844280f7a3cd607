// What keeps any of the three daemons from the API server. Go's own words, which are the same in every language of Windows.
import {DAEMONS} from './codes.js'
import {AGAIN, RESTART_KUBELET} from './remedies.js'
import type {Signature} from './signature.js'

const all = (signature: Omit<Signature, 'seenIn'>): Signature => ({...signature, seenIn: DAEMONS})

export const CLUSTER_SIGNATURES: readonly Signature[] = [
  {
    cause:
      'The certificate in the kubeconfig, or that of the API server, has ended; or the clock of this host is wrong.',
    fix: `Compare the clock ("w32tm /query /status"), get a fresh kubeconfig from the cluster, then run "k8s-win setup --kubeconfig <file>".`,
    id: 'certificate-expired',
    pattern: /x509: certificate has expired or is not yet valid/,
    sources: ['Go crypto/x509', 'Kubernetes: certificate management with kubeadm'],
  },
  {
    cause:
      "The kubeconfig's certificate authority did not sign the API server's certificate: it is the kubeconfig of another cluster, or the cluster was made anew.",
    fix: 'Get a fresh kubeconfig from the cluster, then run "k8s-win setup --kubeconfig <file>".',
    id: 'certificate-authority-unknown',
    pattern: /x509: certificate signed by unknown authority/,
    sources: ['Go crypto/x509'],
  },
  {
    cause: 'The kubeconfig names the API server by an address or name that its certificate does not have.',
    fix: 'Put an address of the certificate under "server:" of the kubeconfig, or add this one to the certificate on the control plane.',
    id: 'certificate-other-name',
    pattern: /x509: (?:certificate is valid for [^]{1,500}, not |cannot validate certificate for )/,
    sources: ['Go crypto/x509'],
  },
  {
    cause:
      'The API server does not know who asks: the token or certificate in the kubeconfig has ended or was revoked.',
    fix: 'Get a fresh kubeconfig from the cluster, then run "k8s-win setup --kubeconfig <file>".',
    id: 'api-server-unauthorized',
    pattern: /(?:: |err=\\?")Unauthorized\\?"?(?: |$)/,
    sources: ['Kubernetes: authentication'],
  },
  {
    cause: 'The identity in the kubeconfig may not do what this daemon needs.',
    fix: 'Run "k8s-win doctor": its check "permissions" names what is missing and the kubectl command that grants it.',
    id: 'api-server-forbids',
    pattern: /is forbidden: User \\?"[^"\\]{1,300}\\?" cannot [a-z]{3,20} resource/,
    sources: ['Kubernetes: RBAC'],
  },
  {
    cause: 'This host cannot resolve the name of the API server.',
    fix: 'See that a DNS server of this host knows it ("nslookup <name>"); the virtual switch may have lost the DNS servers of the adapter.',
    id: 'api-server-name-unknown',
    pattern: /dial tcp: lookup [^ ]{1,253}: no such host/,
    sources: ['Go net', 'sig-windows-tools#162'],
  },
  {
    cause:
      'No connection to the API server: it is down, a firewall is in between, or this host lost its route when the virtual switch was made.',
    fix: `Run "k8s-win doctor" (checks "api-server" and "metadata-routes"); when it answers again: ${RESTART_KUBELET}.`,
    id: 'api-server-unreachable',
    pattern: /dial tcp [\d.:[\]a-f]{7,60}: (?:connectex: |i\/o timeout)/,
    sources: ['Go net', 'hcsshim#299', 'sig-windows-tools#36'],
  },
  {
    cause:
      'The API server took the connection, but gave no answer in time: it is overloaded, or what listens there is none.',
    fix: 'Look at the control plane; a load balancer without a healthy API server behind it does this, too.',
    id: 'api-server-silent',
    pattern: /net\/http: (?:TLS handshake timeout|request canceled \(Client\.Timeout exceeded)/,
    sources: ['Go net/http'],
  },
  {
    cause: 'The kubeconfig cannot be read as one: it is damaged, or was written by PowerShell in UTF-16.',
    fix: `Put a good one in its place, in UTF-8. ${AGAIN}`,
    id: 'kubeconfig-unreadable',
    pattern:
      /(?:error loading config file|fail to create kubernetes config|invalid configuration: no configuration has been provided)/,
    sources: ['client-go: tools/clientcmd', 'flannel: pkg/subnet/kube/kube.go'],
  },
  {
    cause: 'Another program has the port: a second kubelet or kube-proxy, or a range that Windows keeps for others.',
    fix: 'See who has it ("netstat -ano") and what is kept ("netsh interface ipv4 show excludedportrange protocol=tcp").',
    id: 'port-taken',
    pattern: /listen (?:tcp|udp)4? [\d.:[\]]{1,50}: bind: /,
    sources: ['Go net', 'docker/for-win#3171'],
  },
  {
    cause: 'The program does not know a feature gate of its command line, or its release has locked it.',
    fix: `Somebody changed the service's command line, or its program is of another release. ${AGAIN}`,
    id: 'feature-gate-refused',
    pattern: /(?:unrecognized feature gate: |cannot set feature gate \w{1,80} to )/,
    sources: ['Kubernetes: feature gates removed', 'k8s.io/component-base/featuregate'],
  },
  {
    cause:
      'The program does not know a flag of its command line: its release is another than the one it was set up for.',
    fix: AGAIN,
    id: 'flag-unknown',
    pattern: /(?:unknown flag: --|flag provided but not defined: -)/,
    sources: ['spf13/pflag', 'Go flag'],
  },
].map(all)
