// What the journal can name: one shape per kind of thing.
import type {NetworkSnapshot} from '../../host/network.js'
import type {StepId} from '../run/step-id.js'

/** What was created or changed, with what is needed to undo it. */
export type JournalEntry =
  /** False before a file is replaced that this daemon reads at its start only, true when it was started since. */
  | {readonly kind: 'configuration-read'; readonly name: string; readonly read: boolean}
  | {readonly kind: 'directory'; readonly path: string}
  /** Fetched by us. Downloads stay, as images do. */
  | {readonly kind: 'download'; readonly path: string}
  | {readonly kind: 'environment'; readonly name: string; readonly previous?: string}
  /** False before the environment is changed, true when running programs were told of it. */
  | {readonly kind: 'environment-told'; readonly told: boolean}
  | {
      readonly kind: 'file'
      readonly path: string
      /** Where a file that was there before us is kept. */
      readonly previous?: string
      readonly sha256?: string
      readonly version?: string
    }
  /** What was in a folder before a daemon that adds to it was started: what it has added since is ours. */
  | {readonly kind: 'files-before'; readonly names: readonly string[]; readonly path: string}
  /** A network of Docker's, not of HNS' own. Its ID is known afterwards only. */
  | {readonly kind: 'docker-network'; readonly id?: string; readonly name: string}
  | {readonly kind: 'firewall-rule'; readonly name: string}
  /** Pulled by us, where it was not there. Images stay, unless somebody wants nothing to stay. */
  | {readonly kind: 'image-pull'; readonly reference: string}
  | {
      readonly kind: 'image-proof'
      readonly build: number
      /** What its tag meant when it was pulled: it is pulled by tag, and a registry may give the tag to another image. */
      readonly digest?: string
      readonly id: string
      readonly image: string
    }
  | {
      readonly kind: 'image-tag'
      /** Undefined where it is known only afterwards. */
      readonly id?: string
      /** The image of somebody else that had this name. */
      readonly previousId?: string
      readonly reference: string
    }
  /** Lines were lost before this one: what the journal does not name may have been created by setup all the same. */
  | {readonly kind: 'loss'}
  | {readonly kind: 'network'; readonly name: string}
  | {
      readonly adapter: string
      readonly id: string
      readonly kind: 'network-before'
      readonly snapshot: NetworkSnapshot
    }
  | {readonly kind: 'network-verified'; readonly id: string}
  | {readonly kind: 'node'; readonly name: string}
  | {readonly kind: 'path-entry'; readonly folder: string}
  | {readonly kind: 'reservation'; readonly network: string; readonly subnet: string}
  /** A reset finished; what is named before this is what it has left. */
  | {readonly kind: 'reset'}
  | {readonly kind: 'security'; readonly path: string; readonly previous: string}
  | {readonly kind: 'service'; readonly name: string}
  /** A setup finished: noted before node.yaml is written, so that a journal without it has lost its end. */
  | {readonly kind: 'setup'}
  /** What a daemon makes, with everything in it. */
  | {readonly kind: 'tree'; readonly path: string}

export type JournalKind = JournalEntry['kind']
export type EntryOf<K extends JournalKind> = Extract<JournalEntry, {kind: K}>

export interface JournalLine {
  readonly entry: JournalEntry
  readonly step: StepId
}
