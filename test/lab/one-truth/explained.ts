// The differences between the simulator and the lab that are known and meant, each with its reason. Nothing else may differ,
// and each of these must be met somewhere: one that is gone is taken off this list.
import type {Difference} from '../../one-truth/observation.js'

export interface Explained {
  readonly heading: string
  readonly line: RegExp
  /** What may be another: without it both sides have the same line. */
  readonly differs: RegExp | 'only in the lab' | 'only on the simulator'
  /** A question of how fast the lab's machine is: it need not be met. */
  readonly isOfTime?: true
  readonly reason: string
}

export const EXPLAINED: readonly Explained[] = [
  {
    differs: / (?:sha256 [0-9a-f]{64}|"MZ\\nk8s-win-simulator-stand-in .*")$/g,
    heading: 'files',
    line: /^C:\\.*\\(?:flanneld\.exe|(?:bin|cni|containerd|downloads)\\[\w.-]+\.(?:exe|gz|tgz)) /,
    reason: 'The lab runs programs; those of the simulator are names only. shawl.exe is the real one in both.',
  },
  {
    differs: /"sha256":"[0-9a-f]{64}"/g,
    heading: 'journal',
    line: /^(?:cni-binaries|containerd-binaries|flannel-binary|kubernetes-binaries) \{"kind":"file"/,
    reason: 'The journal has the digests of those programs.',
  },
  {
    differs: /"options":"[0-9a-f]{64}"/g,
    heading: 'journal',
    line: /^base-dir \{"kind":"setup"/,
    reason: 'The stored options name the machine that they were made on: another one in the lab.',
  },
  {
    differs: /"adapter":"(?:vEthernet \()?|\)?"(?=,"id")|"snapshot":\[.*\]/g,
    heading: 'journal',
    line: /^flanneld-service .*"kind":"network-before"/,
    reason:
      'Wine gives every adapter the DNS servers, the loopback too, where the API server of the lab lives; and has no switch.',
  },
  {
    differs: /^check interface: pass, "(?:vEthernet \()?|\)?" with/g,
    heading: 'ending',
    line: /^check interface: pass, ".*" with 10\.0\.0\.5$/,
    reason: 'Wine has no virtual switch: the adapter keeps its name (docs/facts.md#virtual-switch).',
  },
  {
    differs: / \(\d+ MB\)|, to be sha(?:256|512):[0-9a-f]+$/g,
    heading: 'ending',
    line: /^step (?:cni-binaries|containerd-binaries|flannel-binary|kubernetes-binaries) would: download https:/,
    reason: 'What the lab has to download is smaller, and has other digests.',
  },
  {
    differs: /"(?:False|True|Unknown|NodeStatusUnknown|Kubelet\w+|[Kk]ubelet [\w ]+\.?)"$/g,
    heading: 'cluster: the node',
    line: /^status conditions \d+ (?:message|reason|status) = /,
    reason:
      'A node that reset may not remove is lost 40 s after its kubelet stopped: that much time passes in the lab only.',
  },
  {
    differs: 'only in the lab',
    heading: 'asked, and what was last answered',
    isOfTime: true,
    line: /^http read GET \["https:\/\/10\.0\.0\.10:6443\/api(?:s\/discovery\.k8s\.io)?\/v1\/(?:endpointslices|services)\?limit=500"\]/,
    reason:
      'The Services of a kube-proxy that has run for a while are compared: in a slow lab it has, before the next setup.',
  },
  {
    differs: 'only on the simulator',
    heading: 'asked, and what was last answered',
    isOfTime: true,
    line: /^win32 read portOwners \["tcp","10256"\]/,
    reason: 'Whose the port is, is asked where a connection was refused: in the lab kube-proxy listens by then.',
  },
  {
    differs: / (?:sha256 [0-9a-f]{64}|"opened by v[\d.]+")$/g,
    heading: 'files',
    line: /\\io\.containerd\.metadata\.v1\.bolt\\meta\.db /,
    reason: "What the lab's containerd has is in the world's model; it writes only which version has opened its root.",
  },
  {
    differs: /"REG_(?:EXPAND_)?SZ"/g,
    heading: 'services',
    line: /in the registry ImagePath type = /,
    reason: 'Wine stores the command line of a service as REG_SZ (assumed: scm-registry-key).',
  },
  {
    differs: 'only in the lab',
    heading: 'services',
    line: /in the registry PreshutdownTimeout (?:data = 180000|type = "REG_DWORD")$/,
    reason: 'Wine stores the default of this setting with every service (assumed: scm-registry-key).',
  },
  ...programFolder(),
  {
    differs: 'only on the simulator',
    heading: 'asked, and what was last answered',
    line: /^win32 read survey .*kubelet-client-<time>\.pem/,
    reason: "Wine makes no links: the kubelet's store has a copy there, and no target to be judged.",
  },
]

/** On the simulator k8s-win is a file of the machine that simulates, which no account of the host can change. */
function programFolder(): Explained[] {
  const reason = "The lab's k8s-win is on the host, in folders that Wine does not restrict to administrators."
  const [ending, asked] = ['ending', 'asked, and what was last answered']
  return [
    {differs: 'only on the simulator', heading: ending, line: /^check program-folder: pass, k8s-win runs on /, reason},
    {
      differs: 'only in the lab',
      heading: ending,
      line: /^check program-folder: warn, .* C:\\lab\\node22\\node\.exe /,
      reason,
    },
    {
      differs: 'only in the lab',
      heading: asked,
      line: /^win32 read survey .*(?:k8s-win\\+bin\\+run\.js|lab\\+node22\\+node\.exe)/,
      reason,
    },
    {differs: 'only in the lab', heading: asked, line: /^win32 read accountSid \[\] -> ok$/, reason},
  ]
}

export interface Judgement {
  readonly met: readonly Explained[]
  readonly unexplained: readonly Difference[]
}

/** `found` are the differences of a simulated host, which is first, and the lab. */
export function judge(found: readonly Difference[]): Judgement {
  const met = new Set<Explained>()
  const unexplained = found.filter((difference) => {
    const explanation = EXPLAINED.find((one) => explains(one, difference, found))
    if (explanation) met.add(explanation)
    return !explanation
  })
  return {met: [...met], unexplained}
}

function explains({differs, heading, line}: Explained, difference: Difference, found: readonly Difference[]): boolean {
  if (!difference.heading.endsWith(`: ${heading}`) || !line.test(difference.line)) return false
  if (differs === 'only in the lab') return difference.only === 'second'
  if (differs === 'only on the simulator') return difference.only === 'first'
  const rest = (text: string): string => text.replaceAll(differs, '')
  const pair = found.filter((one) => one.heading === difference.heading && rest(one.line) === rest(difference.line))
  // A setup that was repeated with other options has a line of each.
  return pair.filter(({only}) => only === 'first').length * 2 === pair.length
}
