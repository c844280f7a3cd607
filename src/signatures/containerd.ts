// What containerd says, or the kubelet and crictl of it: its pipe, its plugins and configuration, pulls, snapshots.
import {AGAIN, RESTART_KUBELET} from './remedies.js'
import type {Signature} from './signature.js'

/** The kubelet hands containerd's words on. */
const ofContainerd = (signature: Omit<Signature, 'seenIn'>): Signature => ({
  ...signature,
  overOnceStarted: true,
  seenIn: ['containerd', 'kubelet'],
})

const IMAGE_PULL = 'containerd: internal/cri/server/images/image_pull.go'

export const CONTAINERD_SIGNATURES: readonly Signature[] = [
  {
    absent: '10-flannel.conflist' as const,
    cause: 'There is no CNI configuration, so the node is NotReady. Setup writes it in its second-to-last step.',
    fix: AGAIN,
    id: 'cni-conflist-missing',
    pattern: /\bcni plugin not initialized/,
    sources: ['containerd: internal/cri/server/status.go', 'containerd/go-cni: errors.go'],
  },
  {
    cause: 'The folder of the CNI configuration was deleted while containerd was running, which ends containerd.',
    fix: AGAIN,
    id: 'cni-folder-removed',
    pattern: /\bcni conf dir is removed, stop watching/,
    sources: ['containerd: internal/cri/server/cni_conf_syncer.go', 'containerd: plugins/cri/cri.go'],
  },
  {
    cause: 'containerd is not running: nothing has opened its pipe.',
    fix: `Start it ("net start containerd"), then ${RESTART_KUBELET}. If it stops again: "k8s-win logs containerd".`,
    id: 'containerd-not-running',
    // grpc-go before 1.56, which kubelets up to the first patches of 1.27 have, writes no colon (internal/transport/http2_client.go).
    pattern: /Error while dialing:? open \/\/\.\/pipe\/[^:\s]{0,100}containerd[^:\s]{0,100}: /,
    sources: ['kubernetes: staging/src/k8s.io/cri-client/pkg/util/util_windows.go', 'kubernetes-sigs/cri-tools#1426'],
  },
  {
    cause:
      'containerd runs without its CRI plugin, which the kubelet needs: the plugin is disabled, or rejected its configuration.',
    fix: `See "k8s-win logs containerd --grep plugin". ${AGAIN}`,
    id: 'cri-not-served',
    pattern:
      /code = Unimplemented desc = unknown service runtime\.v1(?:alpha2)?\.|CRI v1 (?:image|runtime) API is not implemented/,
    sources: ['kubernetes: pkg/kubelet/cri/remote/remote_runtime.go', 'kubernetes-sigs/cri-tools#1426'],
  },
  {
    cause: 'A plugin of containerd rejected its part of config.toml, so containerd runs without it.',
    fix: AGAIN,
    id: 'containerd-plugin-rejected',
    // 2.x has a plugin of its own for images.
    pattern: /^failed to load plugin\b[^]{0,600}\binvalid (?:plugin|cri image) config: /,
    sources: ['containerd: cmd/containerd/server/server.go', 'containerd: plugins/cri'],
  },
  {
    cause: 'containerd cannot read config.toml: it is damaged, or of a newer version than this containerd.',
    fix: AGAIN,
    id: 'containerd-config-unreadable',
    pattern:
      /^containerd: (?:failed to (?:load|unmarshal) TOML\b|invalid (?:disabled )?plugin URI|unsupported config version)/,
    sources: ['containerd: cmd/containerd/server/config/config.go'],
  },
  {
    cause: "Another program has opened containerd's pipe: usually a second containerd.",
    fix: 'Stop the other program ("tasklist /FI "IMAGENAME eq containerd.exe"" shows every containerd), then "net start containerd".',
    id: 'containerd-pipe-taken',
    pattern: /failed to get listener for main endpoint: /,
    sources: ['containerd: plugins/server/grpc/plugin.go', 'microsoft/go-winio: pipe.go'],
  },
  {
    cause:
      'containerd cancelled a pull that made no progress: the registry is slow, or unpacking a large layer took too long.',
    fix: 'Check the network and the disk, and exclude the folder of containerd from the antivirus program. Layers that are already downloaded are kept.',
    id: 'pull-without-progress',
    ofPods: true as const,
    pattern: /cancel pulling image \S{1,500} because of no progress in /,
    sources: [IMAGE_PULL, 'containerd#13909'],
  },
  {
    cause:
      'containerd cannot remove old snapshots, because a program holds files in them open. They fill the disk in the end.',
    fix: String.raw`Exclude containerd's folder from the antivirus program, in PowerShell: Add-MpPreference -ExclusionPath 'C:\ProgramData\containerd'. Drain the node and restart Windows to release the files.`,
    id: 'snapshot-in-use',
    ofPods: true as const,
    pattern: /(?:snapshot garbage collection failed|failed to remove snapshot)\b[^]{0,300}\brename /,
    sources: ['kubernetes#116020', 'microsoft/Windows-Containers#358', 'rke2#3090', 'containerd#9465'],
  },
  {
    cause: 'The disk is full: containerd cannot download or unpack an image.',
    fix: String.raw`Free up space on the drive of C:\ProgramData\containerd, where containerd keeps images and containers.`,
    id: 'containerd-disk-full',
    // Layers are first downloaded into the content store, then unpacked.
    pattern: /failed to (?:copy:|extract layer) [^]{0,800}(?:\(0x(?:27|70)\)|not enough space on the disk)/,
    sources: [
      'containerd: core/content/helpers.go',
      'containerd: core/unpack/unpacker.go',
      'Microsoft: system error codes',
      'rke2#3090',
    ],
  },
  {
    cause: "This host does not trust the registry's certificate: often a proxy that inspects TLS is the cause.",
    fix: "Add its certificate authority to the machine's store: certutil -addstore Root <file>. Then pull again.",
    id: 'containerd-registry-certificate',
    ofPods: true as const,
    pattern:
      /failed to (?:do request|fetch (?:anonymous|oauth) token): (?:Get|Head|Post) \\{0,3}"https:\/\/[^ "\\]{1,400}\\{0,3}": (?:tls: failed to verify certificate: )?x509: /,
    sources: [
      'containerd: core/remotes/docker/resolver.go',
      'containerd: core/remotes/docker/authorizer.go',
      'Go crypto/x509',
    ],
  },
  {
    cause: 'containerd cannot reach the registry, or the server that gives the token for it.',
    fix: 'Check that this host can reach it. Behind a proxy, set HTTPS_PROXY and NO_PROXY as variables of the machine and run "k8s-win setup" again: it gives them to containerd. Or pass a mirror to --image-registry.',
    id: 'containerd-registry-unreachable',
    ofPods: true as const,
    // The server that gives the token for a pull is often another one.
    pattern:
      /failed to (?:do request|fetch (?:anonymous|oauth) token): (?:Get|Head|Post) \\{0,3}"https?:\/\/[^ "\\]{1,400}\\{0,3}": (?:dial tcp|net\/http: |proxyconnect tcp)/,
    sources: ['containerd: core/remotes/docker/resolver.go', 'containerd: core/remotes/docker/authorizer.go'],
  },
  {
    cause: 'The image of pod sandboxes is missing, and containerd cannot pull it. No pod starts without it.',
    fix: AGAIN,
    id: 'sandbox-image-missing',
    ofPods: true as const,
    pattern: /failed to get sandbox image \\{0,3}"/,
    sources: ['containerd: internal/cri/server/podsandbox/sandbox_run.go'],
  },
].map(ofContainerd)

/** What kubelets say since 1.24, which speak to their runtime through the CRI only. */
export const CRI_KUBELET_SIGNATURES: readonly Signature[] = [
  {
    cause:
      'The kubelet looks for a Unix socket, which is its default on Windows too: it was started without the address of containerd.',
    fix: AGAIN,
    id: 'kubelet-without-endpoint',
    pattern: /failed to run Kubelet: [^]{0,200}protocol \\{0,3}"unix\\{0,3}" not supported/,
    sources: ['kubernetes#129952', 'kubernetes: pkg/kubelet/apis/config/v1beta1/defaults.go'],
  },
  {
    cause:
      'csi-proxy, which a storage driver uses, runs wmic: Windows Server 2025 does not have it by default, or its folder is not in PATH.',
    fix: String.raw`Use a newer csi-proxy, which does not need it; or install it ("dism /online /add-capability /capabilityname:WMIC~~~~") and add C:\Windows\System32\wbem to PATH.`,
    id: 'csi-proxy-needs-wmic',
    ofPods: true as const,
    pattern: /RegisterPlugin (?:error|failed)[^]{0,600}exec: \\{0,3}"wmic\\{0,3}": executable file not found/,
    sources: ['sig-windows-tools#358', 'kubernetes-csi/csi-proxy#408'],
  },
  {
    cause: 'This release of the kubelet runs wmic, which Windows Server 2025 does not have by default.',
    fix: 'Use a newer release: 1.28.13, 1.29.8, 1.30.4 or 1.31.1 and later do not need it ("k8s-win setup --release <version>").',
    id: 'kubelet-needs-wmic',
    pattern: /exec: \\{0,3}"wmic\\{0,3}": executable file not found/,
    sources: ['kubernetes#126012', 'kubernetes: pkg/kubelet/winstats/perfcounter_nodestats.go'],
  },
  {
    cause: 'The kubelet of 1.31.0 does not remove its old socket, so that it starts only once.',
    fix: 'Use 1.31.1 or later: "k8s-win setup --release <version>".',
    id: 'kubelet-socket-left',
    pattern: /listen unix \S{0,100}device-plugins\\{1,4}kubelet\.sock: bind: /,
    sources: ['kubernetes#126965', 'kubernetes#126976'],
  },
].map((signature) => ({...signature, overOnceStarted: true, seenIn: ['kubelet']}))
