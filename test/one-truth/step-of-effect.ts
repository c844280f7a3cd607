// Whose work a change is. Steps run side by side and the log names none, so it is derived from what is changed.
import {DAEMONS, SERVED} from '../../src/config/daemons.js'
import type {StepId} from '../../src/pipeline/run/step.js'
import {effectText, type LoggedEffect} from './log-lines.js'

/** Several steps need these, and whichever comes first makes them; the journal says on its own lines whose they are. */
export const SHARED =
  /^files change (?:makeDirectory \["[^"]*\\\\(?:downloads|k8s-win)"\]|append \["[^"]*\\\\journal\.ndjson"\])/

/** The run's own, after the last step: what the node is set up with, and the pod of the smoke test. */
const OWN =
  /^files change write \["[^"]*\\\\k8s-win\\\\node(?:-copy)?\.yaml"\]|^http change (?:POST|DELETE) \["[^"]*\/pods(?:\/k8s-win-verify-[\w-]+)?"\]/

/** The run's own where no step is at work: the line with which it began is taken out of the journal, and the others are written again. */
const AT_THE_END = /^files change write \["[^"]*\\\\journal\.ndjson"\]/

/** In the order of the steps: kube-proxy is stopped by the step that replaces the network it is on. */
const SERVICE_STEPS: readonly StepId[] = DAEMONS.flatMap(({step}) =>
  step === 'flanneld-service' ? [step, 'overlay-network'] : [step],
)
/** A program that runs is replaced when its service has stopped. */
const STOPPING_STEPS: readonly StepId[] = [
  'containerd-binaries',
  'kubernetes-binaries',
  'flannel-binary',
  ...SERVICE_STEPS,
]

const ofService = (name: string): RegExp =>
  new RegExp(String.raw` (?:create|change|start)Service \["${name}"|Services\\\\${name}"|\\\\logs\\\\${name}"\]`)

/** Matched against the effect as the log has it, backslashes doubled: the first that fits. */
const OWNERS: readonly (readonly [RegExp, readonly StepId[]])[] = [
  // Nobody starts it again while it is to rest.
  [/ changeService \[.*\\"restartDelaysMs\\":\[\]/, STOPPING_STEPS],
  [/\\\\ProgramData\\\\containerd"\]/, ['containerd-service']],
  // Also the step of its network starts it again.
  [/ startService \["flanneld"/, ['flanneld-service', 'overlay-network']],
  // The copy of k8s-win and its shawl; the first step copies it too, where it lies in a folder that is emptied.
  [/\\\\k8s-win\\\\bin(?:\\\\|"\])/, ['watch-service', 'base-dir']],
  ...SERVED.map(({service, step}) => [ofService(service), [step]] as const),
  [/ stopService \["containerd"/, ['containerd-binaries', 'containerd-service']],
  [/ stopService \[/, STOPPING_STEPS],
  [/\\\\downloads\\\\[\w-]+\.previous(?:\\\\|"\])/, ['fetch-binaries', 'uncordon-node']],
  [/ DOWNLOAD \["https:\/\/dl\.k8s\.io\//, ['fetch-binaries', 'kubernetes-binaries']],
  // The record of an upgrade, or of the bootstrap kubeconfig, is taken out of the journal, and the others are written again.
  [/ write \["[^"]*\\\\journal\.ndjson"\]/, ['drain-node', 'uncordon-node', 'node-certificate']],
  [/\\\\bootstrap-kubeconfig"\]/, ['kubelet-config', 'node-certificate']],
  [/ PATCH \["[^"]*\/api\/v1\/nodes\//, ['drain-node', 'uncordon-node']],
  [/\\\\(?:kubernetes\.staged|kubernetes\\\\node\\\\bin)(?:\\\\|"\])/, ['kubernetes-binaries']],
  [/\\\\(?:cni-plugins|flannel-cni)\.staged|\\\\downloads\\\\(?:cni-plugins|flannel-amd64)-/, ['cni-binaries']],
  [/ makeDirectory \["(?!C:\\\\var\\\\)[^"]*\\\\cni"\]/, ['cni-binaries']],
  // Of a containerd of the host.
  [/ makeDirectory \["[^"]*\\\\cni\\\\bin"\]/, ['cni-binaries']],
  [/\\\\config\.toml\.before-k8s-win"\]/, ['containerd-config']],
  [/\\\\cni\\\\conf(?:"\]|\\\\10-flannel\.conflist)/, ['containerd-config', 'cni-config']],
  [
    /\\\\(?:containerd|crictl)\.staged|\\\\downloads\\\\(?:containerd|crictl)-|\\\\containerd\\\\bin"\]/,
    ['containerd-binaries'],
  ],
  // The first step whose service runs under it installs it.
  [/\\\\shawl\.staged|\\\\downloads\\\\shawl-/, ['containerd-binaries', 'flannel-binary']],
  [/\\\\flanneld\.staged|\\\\downloads\\\\flanneld-/, ['flannel-binary']],
  [/\\crictl\.exe .*"pull","registry\.k8s\.io\/pause:/, ['sandbox-image']],
  [/\\(?:crictl|ctr)\.exe /, ['base-images']],
  [/\\\\containerd\\\\certs\.d/, ['containerd-config']],
  [/\\\\containerd(?:\\\\config\.toml|\\\\crictl\.yaml|\\\\lib)?"\]/, ['containerd-config']],
  [/\/images\/create\?fromImage=|\/images\/[^?]*\/tag\?|\/containers\//, ['base-images']],
  [/\/build\?t=|\/networks\/create/, ['pause-image']],
  [/Session Manager\\\\Environment|broadcastEnvironmentChange/, ['machine-environment']],
  [
    / makeDirectory \["C:\\\\(?:(?:usr|var\\\\lib\\\\kubelet|var\\\\log)(?:\\\\|"\])|var\\\\lib"\])/,
    ['kubelet-service'],
  ],
  [/ makeDirectory \["C:\\\\run(?:\\\\|"\])/, ['flanneld-service']],
  [/ makeDirectory \["C:\\\\var\\\\lib\\\\cni"\]/, ['source-vip']],
  [/\\\\etc(?:"\]|\\\\kube-flannel)/, ['net-conf']],
  [/\\\\(?:client-ca\.crt|kubelet-config\.yaml)"\]/, ['kubelet-config']],
  [/netsh\.exe/, ['firewall-rules']],
  [/host-local\.exe/, ['source-vip']],
  [/\\\\cni\\\\config(?:"|\\\\cni\.conf|\\\\10-flannel\.conflist)/, ['containerd-config', 'cni-config']],
  [/ setSecurity | write \["[^"]*\\\\(?:kubeconfig|registries\.json)"\]| makeDirectory \[/, ['base-dir']],
]

/** Undefined where it is no one's, or its step is not at work. */
function stepOfEffect(effect: LoggedEffect, atWork: ReadonlySet<string>): StepId | undefined {
  const text = effectText(effect)
  const owners = OWNERS.find(([pattern]) => pattern.test(text))?.[1] ?? []
  return owners.find((step) => atWork.has(step))
}

export function ownerOf(effect: LoggedEffect, atWork: ReadonlySet<string>): string {
  const text = effectText(effect)
  if (OWN.test(text)) return 'the run itself'
  return stepOfEffect(effect, atWork) ?? (AT_THE_END.test(text) ? 'the run itself' : 'no step at work')
}
