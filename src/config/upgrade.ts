// When setup replaces a release or a containerd that runs: only then are the steps of an upgrade in its plan.
import {hasOwnContainerd} from './daemons.js'
import type {Decided} from './model.js'
import type {Version} from './version.js'

type Installed = Pick<Decided, 'containerd' | 'release' | 'runtime' | 'versions'>

export const isOther = (from: Installed, to: Installed): boolean =>
  from.release.text !== to.release.text ||
  (hasOwnContainerd(to) && from.versions.containerd.text !== to.versions.containerd.text)

/** Kubernetes does not support it under running pods (kubernetes.io, releases/version-skew-policy). */
export const isOtherMinor = (from: Pick<Decided, 'release'>, to: Pick<Decided, 'release'>): boolean =>
  from.release.minor !== to.release.minor

/** False also where an upgrade that did not finish is taken back. */
export const replacesPrograms = (config: Decided): boolean =>
  config.upgrade !== undefined && isOther(config.upgrade.from, config)

/** From 1.31 on the kubelet computes another hash of a container (kubernetes#124220), and restarts one whose hash is another. */
const OTHER_HASH_SINCE = 31

export interface Restart {
  /** Containers end: more than k8s-win's own services. */
  readonly isOfPods: boolean
  readonly text: string
}

/** What an upgrade restarts, and why: the services of k8s-win, and of the pods those that a drain leaves on the node. */
export function restartsOf(config: Decided): readonly Restart[] {
  const {release, upgrade, versions} = config
  if (!upgrade || !replacesPrograms(config)) return []
  const {from} = upgrade
  const own = {isOfPods: false, text: 'the services of k8s-win restart: their programs are replaced'}
  if (hasOwnContainerd(config) && from.versions.containerd.text !== versions.containerd.text) {
    const text = `every pod that stays on the node, such as those of DaemonSets, is stopped and created again: containerd ${from.versions.containerd.text} is replaced`
    return [own, {isOfPods: true, text}]
  }
  const isOtherHash = from.release.minor < OTHER_HASH_SINCE !== release.minor < OTHER_HASH_SINCE
  if (!isOtherHash) return [own]
  const text = `every container that stays on the node, such as those of DaemonSets, restarts: kubelets up to 1.${OTHER_HASH_SINCE - 1} and from 1.${OTHER_HASH_SINCE} on compare containers differently (kubernetes#124220)`
  return [own, {isOfPods: true, text}]
}

/** A newer major of containerd that has opened its root stays: there is no way back for its data. */
export function withOpened<T extends Decided>(config: T, opened: Version | undefined): T {
  const {versions} = config
  return config.containerd.isOurs && opened && opened.major > versions.containerd.major
    ? {...config, versions: {...versions, containerd: opened}}
    : config
}
