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

/** A newer major of containerd that has opened its root stays: there is no way back for its data. */
export function withOpened<T extends Decided>(config: T, opened: Version | undefined): T {
  const {versions} = config
  return config.containerd.isOurs && opened && opened.major > versions.containerd.major
    ? {...config, versions: {...versions, containerd: opened}}
    : config
}
