// Which kubeconfig a daemon uses: its own, or the one they share; and where setup gets them from.
import {identityFile, layoutOf} from '../config/layout.js'
import {type Decided, type FetchedKubeconfig, IDENTITIES, type Identity} from '../config/model.js'

export function kubeconfigOf(config: Pick<Decided, 'baseDir' | 'identityFiles'>, identity: Identity): string {
  return config.identityFiles[identity] === undefined
    ? layoutOf(config.baseDir).kubeconfig
    : identityFile(config.baseDir, identity)
}

type Given = Pick<Decided, 'baseDir' | 'identityFiles' | 'kubeconfig'>

/** The kubeconfigs that setup was given, and where it copies them to. */
export function copiedKubeconfigs(config: Given): {from: FetchedKubeconfig | string; to: string}[] {
  const shared =
    config.kubeconfig === undefined ? [] : [{from: config.kubeconfig, to: layoutOf(config.baseDir).kubeconfig}]
  const own = IDENTITIES.flatMap((identity) => {
    const from = config.identityFiles[identity]
    return from === undefined ? [] : [{from, to: kubeconfigOf(config, identity)}]
  })
  return [...shared, ...own]
}
