// What the last run wrote of itself, and whether what the last setup stored is lost: its node.yaml is gone, and nobody
// knows any more which options the node has.
import {KUBELET} from '../../components/kubelet.js'
import {layoutOf} from '../../config/layout.js'
import {nodeOptionsLost} from '../../errors/configuration.js'
import {at, listAt, parseJson, textAt} from '../../host/document.js'
import type {Host} from '../../host/host.js'
import {trustedFiles} from '../../host/security/trust.js'
import {readUserFile} from '../../host/cluster/user-file.js'
import {FileError, type Files} from '../../machine/files.js'
import type {Journal} from '../ledger/journal.js'
import {servicesHere} from '../ledger/kinds/service.js'

/** Undefined where there is none, or nothing that can be read. */
export async function readRecord(files: Files, path: string): Promise<unknown> {
  const content = await readUserFile(files, path).catch(() => undefined)
  return content && parseJson(content.toString('utf8'))
}

/** It has stored its options then: where they are gone, somebody removed them. */
export function isEndedSetup(last: unknown): boolean {
  if (textAt(last, 'command') !== 'setup') return false
  // One that was refused because they are gone has not made it another node.
  const errors = [at(last, 'error'), ...listAt(last, 'errors')].map((error) => textAt(error, 'id'))
  return at(last, 'exitCode') === 0 || errors.includes(nodeOptionsLost.id)
}

/** False for a setup that did not come to its end, which has stored nothing: it is to be gone on with. */
export async function areOptionsLost(
  host: Pick<Host, 'files' | 'services' | 'trust'>,
  baseDir: string,
  journal: Pick<Journal, 'all'>,
): Promise<boolean> {
  const {nodeConfig, result} = layoutOf(baseDir)
  try {
    if (await host.files.status(nodeConfig)) return false
  } catch (error) {
    // That we are no administrator another check tells.
    if (error instanceof FileError) return false
    throw error
  }
  if (!(await servicesHere(host, baseDir)).includes(KUBELET)) return false
  return journal.all().length === 0 || isEndedSetup(await readRecord(trustedFiles(host.files, host.trust), result))
}
