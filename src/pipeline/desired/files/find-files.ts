// Searches for files that setup wrote where the journal is lost. What may have been there before setup is reported, and stays.
import {
  ASIDE,
  conflistOf,
  FLANNEL_CONFIG_FOLDER,
  identityFile,
  layoutOf,
  NET_CONF,
  ownPrograms,
} from '../../../config/layout.js'
import {keyOf} from '../../../host/security/known-paths.js'
import type {StepId} from '../../run/step.js'
import {writtenFiles} from './file.js'
import {claimFolders, readText, type Search} from '../../ledger/kind.js'
import {cniConflist, cniFileOf} from '../../../components/cni.js'
import {netConf} from '../../../components/flanneld.js'
import {isWithin} from '../../../config/base-dir.js'
import {parseCidr} from '../../../config/cidr.js'
import {parseJson, textAt} from '../../../host/document.js'
import {isWrittenByKubelet} from '../cluster/join-state.js'
import {IDENTITIES} from '../../../config/model.js'

/** Setup overwrites every program and configuration in a base directory of k8s-win. */
export async function findFiles(search: Search): Promise<void> {
  const {config} = search
  const isInside = (path: string): boolean => isWithin(keyOf(path), keyOf(config.baseDir))
  /** Kubeconfigs may be the user's, and so may what only the other runtime would have. */
  const isDoubtful = (path: string, step: StepId): boolean =>
    (step === 'base-dir' && !ownPrograms(config.baseDir).includes(path)) ||
    (step === 'cni-config' && path !== cniFileOf(config)) ||
    (step === 'containerd-config' && config.runtime !== 'containerd')
  for (const [path, steps] of new Map(writtenFiles(config).map(({path, steps}) => [path, steps]))) {
    for (const step of steps) if (isInside(path) && !isDoubtful(path, step)) await claimFound(search, step, path)
  }

  if (!isInside(cniFileOf(config))) await findInPresent(search)
  await reportKubeconfigs(search)
}

/** In the folders of a containerd that was there before: only what exactly k8s-win would have written. */
async function findInPresent(search: Search): Promise<void> {
  const {config} = search
  const conflist = conflistOf(config.containerd)
  if ((await readText(search, conflist)) === cniConflist(config)) await claimFound(search, 'cni-config', conflist)
}

/** Only the journal knew whether it is a copy that setup made, or the user's own. */
async function reportKubeconfigs(search: Search): Promise<void> {
  const {claim, config, host, isNamed, leave} = search
  const {baseDir} = config
  const {kubeconfig} = layoutOf(baseDir)
  const written = {kind: 'tree', path: kubeconfig} as const
  // The kubelet of a node that joined with a token writes it.
  const isKubelets = config.join !== undefined && isWrittenByKubelet((await readText(search, kubeconfig)) ?? '')
  if (isKubelets) claim('kubelet-service', written)
  const closed = [baseDir, kubeconfig].map((path) => ({kind: 'security', path, previous: ''}) as const)
  const isFirstNamed = [...closed, {kind: 'directory', path: baseDir} as const].some((entry) => isNamed(entry))
  const copies = new Map<string, unknown>([
    [kubeconfig, config.kubeconfig],
    ...IDENTITIES.map((identity) => [identityFile(baseDir, identity), config.identityFiles[identity]] as const),
  ])
  for (const [path, given] of copies) {
    if (isNamed({kind: 'file', path}) || !(await host.files.status(path))) continue
    if (path === kubeconfig && (isKubelets || isNamed(written))) continue
    // Where the journal still has the entries of the first step, one that setup was not asked to copy is the user's.
    if (isFirstNamed && given === undefined) continue
    const aside = `${path}${ASIDE}`
    const isCopy = (await host.files.status(aside)) !== undefined
    leave(
      isCopy
        ? `${path}, a copy that setup created, and ${aside}, which existed before. Both may contain a private key: keep the one that you need, and remove the other by hand`
        : `${path}, which may be yours, or a copy that setup created. It may contain a private key: if you do not need it, remove it by hand`,
    )
  }
}

/** Whether it is exactly what k8s-win would have written: it is outside of the base directory. */
export async function findNetConf(search: Search): Promise<boolean> {
  const written = (await readText(search, NET_CONF)) ?? ''
  const network = textAt(parseJson(written), 'Network')
  const isOurs = parseCidr(network) !== undefined && written === netConf({...search.config, clusterCIDR: network})
  if (!isOurs) return false
  await claimFolders(search, 'net-conf', FLANNEL_CONFIG_FOLDER)
  await claimFound(search, 'net-conf', NET_CONF)
  return true
}

async function claimFound({claim, host}: Search, step: StepId, path: string): Promise<void> {
  const previous = `${path}${ASIDE}`
  const isKept = (await host.files.status(previous)) !== undefined
  const kind = (await host.files.status(path))?.kind
  if (kind === 'file' || isKept) claim(step, {kind: 'file', path, ...(isKept && {previous})})
}
