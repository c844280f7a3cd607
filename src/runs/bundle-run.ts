// What the making of a support bundle is given.
import type {Assets} from '../machine/assets.js'
import type {Files} from '../machine/files.js'
import type {Redactor} from '../output/text/redact.js'
import type {NodeRequest} from './known-node.js'

export interface BundleRun extends NodeRequest {
  readonly assets: Assets
  /** Of all members together, before they are packed. */
  readonly limitBytes?: number
  readonly redactor: Redactor
  /** The target may be there already. */
  readonly replace: boolean
  /** Where the bundle goes, and whose files these are: the machine's, or in a rehearsal those of the one we run on. */
  readonly target: {readonly files: Files; readonly path: string}
  /** A simulated machine's record of all that was asked of it. */
  readonly transcript?: string
  readonly version: string
}
