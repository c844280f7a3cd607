// Which known failure is this? The lines of daemons, the answers of HNS and of runtimes and the codes of Windows, looked up.
import {CLUSTER_SIGNATURES} from './cluster.js'
import {CONTAINERD_SIGNATURES, CRI_KUBELET_SIGNATURES} from './containerd.js'
import {DOCKER_SIGNATURES} from './docker.js'
import {FLANNELD_SIGNATURES} from './flanneld.js'
import {HNS_SIGNATURES} from './hns.js'
import {KUBE_PROXY_SIGNATURES} from './kube-proxy.js'
import {KUBELET_SIGNATURES} from './kubelet.js'
import {isLaunch, messageOf, processOf} from './message.js'
import {SERVICE_SIGNATURES} from './services.js'
import type {ComplainedFile, Signature, SignatureSource} from './signature.js'

export {isEnd, isLaunch} from './message.js'
export type {ComplainedFile, Signature, SignatureSource} from './signature.js'

/** In the order they are tried: a signature with a reason comes before one that only says that something failed. */
export const SIGNATURES: readonly Signature[] = [
  ...HNS_SIGNATURES,
  ...FLANNELD_SIGNATURES,
  ...CONTAINERD_SIGNATURES,
  ...CRI_KUBELET_SIGNATURES,
  ...KUBELET_SIGNATURES,
  ...KUBE_PROXY_SIGNATURES,
  ...DOCKER_SIGNATURES,
  ...CLUSTER_SIGNATURES,
  ...SERVICE_SIGNATURES,
]

/**
 * The node is registered (kubernetes: pkg/kubelet/kubelet_node_status.go), the cluster has answered kube-proxy (client-go:
 * tools/cache/shared_informer.go), flanneld has its network (flannel: main.go; that its list of nodes is complete comes before
 * most of its failures), containerd serves (containerd: cmd/containerd/command/main.go): the same words in all releases.
 */
const STARTED =
  /^"?(?:Successfully registered node|Caches are synced|Wrote subnet file to |Running backend\.|containerd successfully booted )/

/**
 * What the program of a pod answers to the kubelet's probes and hooks, or that it does not: "dial tcp 10.244.3.5:8080:
 * connectex" is not about the API server (kubernetes: pkg/kubelet/prober, pkg/kubelet/lifecycle, pkg/kubelet/kuberuntime).
 */
const OF_A_POD = /^"?(?:Probe failed|HTTP lifecycle hook|PreStop hook failed)/

/** An informational line that ends complaints. */
export const hasStarted = (line: string): boolean => STARTED.test(messageOf(line))

/** The newest line that is known decides: a log is a story, and its end is what counts. */
export function recognise(
  text: string,
  source: SignatureSource,
  there: readonly ComplainedFile[] = [],
): Signature | undefined {
  return recogniseAll(text, source, there)[0]
}

/**
 * All that is known in it, each once, the newest first; without complaints of files that are there by now. A line counts for the
 * process that wrote it: what was said before the newest process that has started is over.
 */
export function recogniseAll(
  text: string,
  source: SignatureSource,
  there: readonly ComplainedFile[] = [],
): readonly Signature[] {
  const isOver = ({absent}: Signature): boolean => absent !== undefined && there.includes(absent)
  let candidates = SIGNATURES.filter((one) => one.seenIn.includes(source) && !isOver(one))
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  const found = new Set<Signature>()
  // A daemon repeats itself: what was read is not read again.
  const read = new Set<string>()
  let started: {readonly process: string | undefined} | undefined
  for (const [age, line] of lines.reverse().entries()) {
    const process = processOf(line)
    const isOfFormer = process !== undefined && started?.process !== undefined && process !== started.process
    if (started && (isOfFormer || isLaunch(line))) break
    const message = messageOf(line)
    if (STARTED.test(message)) {
      started ??= {process}
      candidates = candidates.filter(({overOnceStarted}) => !overOnceStarted)
    }
    if (read.has(message)) continue
    read.add(message)
    if (OF_A_POD.test(message)) continue
    const known = candidates.find(({onlyAtTheEnd, pattern}) => pattern.test(message) && (age === 0 || !onlyAtTheEnd))
    if (known) found.add(known)
  }
  return [...found]
}
