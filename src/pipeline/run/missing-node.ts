// Why there is no node in a base directory, or not enough is known of it: one answer for all commands.
import {isSameHome} from '../../components/node-home.js'
import {layoutOf} from '../../config/layout.js'
import {KUBELET} from '../../config/model.js'
import {nodeOptionsLost} from '../../errors/configuration.js'
import {pasted} from '../../errors/define.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {noNode} from '../../errors/logs.js'
import {recordsLost} from '../../errors/unhealthy-node.js'
import type {Host} from '../../host/host.js'
import {FileError} from '../../machine/files.js'
import {keptFlag, keptName} from '../desired/cluster/node-cluster.js'
import {elsewhere, type NamedService, namedServices, servicesHere} from '../desired/services/own-services.js'
import type {Journal} from '../ledger/journal.js'
import {isBegun, isSetupOpen} from '../ledger/run-entries.js'

type Read = Pick<Journal, 'all' | 'damage' | 'entries'>

const NO_NODE = 9

/** `readBack`: the options that are still known. */
export function whyNoRecords(services: readonly NamedService[], baseDir: string, readBack: string): K8sWinError {
  const isHere = services.some(({home, isOurs}) => isOurs && isSameHome(home ?? '', baseDir))
  if (isHere) return recordsLost({folder: layoutOf(baseDir).state, options: readBack})
  // Whichever of the two: there is no node here (9).
  return elsewhere(services, baseDir)?.with({exitCode: NO_NODE}) ?? noNode({baseDir})
}

/** node.yaml is gone, and with it the options; or everything is. Undefined for an unfinished setup, which has stored nothing and is to be resumed. */
export async function whyOptionsLost(
  host: Pick<Host, 'files' | 'services'>,
  baseDir: string,
  journal: Read,
  node: string,
): Promise<K8sWinError | undefined> {
  const {nodeConfig, state} = layoutOf(baseDir)
  try {
    if (await host.files.status(nodeConfig)) return undefined
  } catch (error) {
    // Missing administrator rights are reported by another check.
    if (error instanceof FileError) return undefined
    throw error
  }
  if (isSetupOpen(journal) || !(await servicesHere(host, baseDir)).includes(KUBELET)) return undefined
  const options = await optionsReadBack(host, baseDir, journal, node)
  const isEmpty = journal.all().length === 0 && journal.damage?.message === undefined
  return isEmpty ? recordsLost({folder: state, options}) : nodeOptionsLost({node, options, path: nodeConfig})
}

/** Of a base directory without node.yaml: also where a setup has not finished. */
export async function whyNoNode(
  host: Pick<Host, 'files' | 'services'> & {readonly os: Pick<Host['os'], 'computerName'>},
  baseDir: string,
  journal: Read,
): Promise<K8sWinError> {
  const node = (await keptName(host)) ?? (await host.os.computerName()).toLowerCase()
  const lost = await whyOptionsLost(host, baseDir, journal, node)
  if (lost || isBegun(journal)) return lost ?? noNode({baseDir})
  return whyNoRecords(await namedServices(host), baseDir, await optionsReadBack(host, baseDir, journal, node))
}

/**
 * For a command to paste: the copy of node.yaml, which may be of an earlier setup; without it, what the kubelet's service and
 * the journal still show of the options.
 */
export async function optionsReadBack(
  host: Pick<Host, 'files' | 'services'>,
  baseDir: string,
  journal: Pick<Journal, 'entries'>,
  node?: string,
): Promise<string> {
  const {nodeConfigCopy} = layoutOf(baseDir)
  const name = node ?? (await keptName(host).catch(() => undefined)) ?? '<name>'
  const named = `--node-name ${pasted(name)}`
  const copy = await host.files.status(nodeConfigCopy).catch(() => undefined)
  if (copy?.kind === 'file') return `${named} --config ${pasted(nodeConfigCopy)}`
  const flag = (flagName: string): Promise<string> => keptFlag(host, flagName).catch(() => '')
  const [labels, taints] = [await flag('node-labels'), await flag('register-with-taints')]
  const release = journal.entries('base-dir', 'release')[0]?.version
  return [
    named,
    ...(release === undefined ? [] : [`--release ${pasted(release)}`]),
    ...listed('node-label', labels, '<key>=<value>'),
    ...listed('taint', taints, '<key>=<value>:<effect>'),
  ].join(' ')
}

const listed = (option: string, list: string, placeholder: string): string[] =>
  list.split(',').flatMap((one) => (one === '' ? [] : [`--${option} ${/^[\w./:=-]+$/.test(one) ? one : placeholder}`]))
