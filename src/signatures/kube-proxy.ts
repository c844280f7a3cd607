// What kube-proxy says on Windows (kubernetes: pkg/proxy/winkernel).
import {AGAIN, RESTART_FLANNELD, RESTART_KUBE_PROXY} from './remedies.js'
import type {Signature} from './signature.js'

const PROXIER = 'kubernetes: pkg/proxy/winkernel/proxier.go'

const ofKubeProxy = (signature: Omit<Signature, 'seenIn'>): Signature => ({...signature, seenIn: ['kube-proxy']})

export const KUBE_PROXY_SIGNATURES: readonly Signature[] = [
  {
    cause: 'kube-proxy was started without a source VIP (--source-vip).',
    fix: AGAIN,
    id: 'kube-proxy-without-source-vip',
    pattern: /source-vip flag not set/,
    sources: ['kubernetes#78338', PROXIER],
  },
  {
    cause: 'HNS refused the endpoint for the source VIP: the address is outside the network, or in use by a pod.',
    fix: AGAIN,
    id: 'kube-proxy-source-vip-refused',
    pattern: /^"?Source Vip endpoint creation failed/,
    sources: ['kubernetes#100962', 'sig-windows-tools#71', PROXIER],
  },
  {
    cause:
      'No adapter has the address that kube-proxy was given (--bind-address): the host lost it, or has another one now.',
    fix: `Check "ipconfig". With a new address: "k8s-win setup --node-ip <address>".`,
    id: 'kube-proxy-host-mac-not-found',
    pattern: /[Cc]ould not find host mac address for /,
    sources: [PROXIER],
  },
  {
    cause: 'The overlay network does not exist. kube-proxy waits for it forever, while its service is Running.',
    fix: `Find out why flanneld does not create it ("k8s-win logs flanneld"), then ${RESTART_FLANNELD}.`,
    id: 'kube-proxy-network-not-found',
    pattern: /[Uu]nable to find HNS Network specified|Unable to find Hns Network specified/,
    sources: [PROXIER, 'kubernetes#79515', 'sig-windows-tools#61'],
  },
  {
    cause: 'kube-proxy was started without the name of its network.',
    fix: AGAIN,
    id: 'kube-proxy-without-network-name',
    pattern: /[Ee]nvironment variable KUBE_NETWORK and network-flag not initialized/,
    sources: [PROXIER],
  },
  {
    cause: 'kube-proxy was started without the feature gate that overlays need.',
    fix: AGAIN,
    id: 'kube-proxy-overlay-gate-off',
    pattern: /WinOverlay feature gate not enabled/,
    sources: [PROXIER],
  },
  {
    cause:
      'The cluster has no node with the name that kube-proxy uses: it treats endpoints of local pods as remote, and deletes them.',
    fix: `Check that "kubectl get nodes" shows the same name. ${AGAIN}`,
    id: 'kube-proxy-node-unknown',
    // From 1.29 on "loopback"; from 1.34 on it waits for its Node, and 1.34 and 1.35 print the verb %q as it is.
    pattern:
      /(?:[Cc]an't determine this node's IP, assuming (?:127\.0\.0\.1|loopback)|Timed out waiting for node (?:%q )?to exist|Failed to retrieve node info(?:: |" err=")nodes? \\?"[^"\\]{1,253}\\?" not found)/,
    sources: [
      'kubernetes#71799',
      'kubernetes#85616',
      'kubernetes: pkg/util/node/node.go',
      'kubernetes: pkg/proxy/node.go',
    ],
  },
  {
    cause: 'kube-proxy was started in a mode that this Windows or this release does not have.',
    fix: AGAIN,
    id: 'kube-proxy-mode-refused',
    pattern: /ProxyMode: Invalid value: /,
    sources: ['kubernetes: pkg/proxy/apis/config/validation'],
  },
  {
    cause: 'HNS refused the rule of a service, so its address does not work from this node.',
    fix: `Restart kube-proxy: ${RESTART_KUBE_PROXY}. If it fails again, check for 64 consecutive free ports: "netsh interface ipv4 show excludedportrange protocol=tcp".`,
    id: 'kube-proxy-policy-refused',
    // From 1.31 on it names the kind of address.
    pattern:
      /^"?(?:(?:ClusterIP |Nodeport |ExternalIP |IngressIP |(?:Healthcheck )?loadbalancer )?policy creation|Update loadbalancer policy) failed/i,
    sources: [PROXIER, 'kubernetes/website#17930'],
  },
  {
    cause:
      'HNS has no endpoint for a pod of this node, so Services do not reach this pod: Docker deleted the endpoint when it started, or created it with an interface of HNS that this release of kube-proxy does not read.',
    fix: 'Stop and disable Docker ("net stop docker", "sc.exe config docker start= disabled"), and delete the pod: its controller creates it again with a new endpoint.',
    id: 'kube-proxy-local-endpoint-missing',
    pattern: /^"?Local endpoint not found: on network/,
    sources: [PROXIER, 'moby#45462', 'kubernetes#110591'],
  },
].map(ofKubeProxy)
