// What a line of the journal can say: the kinds of entries, and the fields of each. What k8s-win does with a kind (which
// entries it accepts, how it finds and removes such things) is beside the code that creates them; owned/kinds.ts lists them.
import type {ContainerdPlace} from '../../config/model.js'
import type {StepId} from '../../config/step-ids.js'
import type {NetworkSnapshot} from '../../host/saved-network.js'

/** What was created or changed, with what is needed to undo it. */
interface Things {
  readonly directory: {readonly path: string}
  /** A network of Docker, not of HNS. Its ID is known only afterwards. */
  readonly 'docker-network': {readonly id?: string; readonly name: string}
  readonly download: {readonly path: string}
  readonly environment: {readonly name: string; readonly previous?: string}
  /** False before the environment is changed, true when running programs were notified. */
  readonly 'environment-notified': {readonly isNotified: boolean}
  readonly file: {
    readonly path: string
    /** Where a file that was there before setup is kept. */
    readonly previous?: string
    /** Of a verified program, in an entry of its own. */
    readonly sha256?: string
    readonly version?: string
  }
  /** What was in a folder before a daemon that adds to it was started: what was added since is k8s-win's. */
  readonly 'files-before': {readonly names: readonly string[]; readonly path: string}
  readonly 'firewall-rule': {readonly name: string}
  /** Images stay for the next setup, unless nothing is to stay. */
  readonly 'image-pull': {readonly reference: string}
  readonly 'image-tag': {
    /** Undefined where it is known only afterwards. */
    readonly id?: string
    /** The image that had this name before. */
    readonly previousId?: string
    readonly reference: string
  }
  /** Of HNS, which accepts several of one name. Its ID is known only afterwards. */
  readonly network: {readonly id?: string; readonly name: string}
  readonly 'network-before': {readonly adapter: string; readonly id: string; readonly snapshot: NetworkSnapshot}
  readonly 'network-verified': {readonly comparedAt: string; readonly id: string}
  readonly node: {readonly name: string}
  readonly 'path-entry': {readonly folder: string}
  /** The containerd that was on the host before, as setup found it. */
  readonly 'present-containerd': Omit<ContainerdPlace, 'isOurs'> & {readonly version: string}
  /** The address that kube-proxy holds on the overlay network. */
  readonly reservation: {readonly network: string; readonly subnet: string}
  /** An access list that was changed. */
  readonly security: {readonly path: string; readonly previous: string}
  readonly service: {readonly name: string}
  /** How a service that k8s-win did not create was started before --adopt had Windows start it. */
  readonly 'start-type': {readonly name: string; readonly previous: string}
  /** What a daemon creates by itself, with everything in it. */
  readonly tree: {readonly path: string}
}

/**
 * What was verified or run already, so that it is not done again. Nothing is created or removed by it, and it may be lost:
 * programs are then hashed again, and images are run once more, but no daemon is restarted.
 */
interface Memos {
  /** False before a file is replaced that this daemon reads only when it starts, true when it was started since. */
  /** `process`: the daemon's when the files were written; empty where none ran. */
  readonly 'configuration-read': {readonly name: string; readonly process?: string; readonly read: boolean}
  readonly 'image-proof': {
    readonly build: number
    /** What its tag meant when it was pulled: a registry may give the tag to another image. */
    readonly digest?: string
    readonly id: string
    readonly image: string
  }
  /** Recorded before a containerd of this version starts: from then on its root may be newer than an older one can use. */
  readonly 'root-opened': {
    /** Which one had opened it before, and when its database was last written then. */
    readonly over?: {readonly modifiedMs: number; readonly version: string}
    readonly version: string
  }
}

/** What the runs record about themselves. */
interface Runs {
  /**
   * A run that changes the node began; only the newest counts. Forgotten at the end of a setup, upgrade or reset: what is
   * still here did not finish.
   */
  readonly began: {
    /** It failed on a node that stays as it was set up: what is stored of the node counts. */
    readonly failed?: true
    /** Of a reset: the flags that decide what it removes. */
    readonly flags?: readonly string[]
    /** A setup of a node that a reset had left half removed: until it finishes there is no node. */
    readonly overReset?: true
    readonly run: 'reset' | 'setup' | 'upgrade'
    /** The step that failed or was interrupted. A run that was killed has recorded none. */
    readonly stoppedAt?: StepId
  }
  /** Lines were lost before this one: setup may have created things that the journal does not name. */
  readonly loss: object
  /** What setup decided on, before it creates anything: the runtime follows from it. node.yaml is written at the end. */
  readonly release: {readonly version: string}
  /** A reset finished: the entries before this one are what it left. */
  readonly reset: object
  /** A setup finished: recorded before node.yaml is written, so that a journal without it has lost its end. */
  readonly setup: {
    /** The SHA-256 of node.yaml, and so of its copy: lines are numbered again when others are forgotten. */
    readonly options?: string
    /** By its user: no later run makes them without being asked. */
    readonly skip?: readonly StepId[]
  }
  /** Programs of another release are about to be installed: forgotten when one of the two releases is proven. */
  readonly upgrade: {
    /** The version that is about to be installed, where the release stays: then `from` and `to` are equal. */
    readonly containerd?: string
    /** By k8s-win; false where the node was cordoned before. */
    readonly cordoned: boolean
    /** With --drain, which a run that resumes needs too. */
    readonly drain?: true
    readonly from: string
    readonly to: string
  }
}

type Fields = Memos & Runs & Things

export type JournalKind = keyof Fields
export type JournalEntry = {[K in JournalKind]: Fields[K] & {readonly kind: K}}[JournalKind]
export type EntryOf<K extends JournalKind> = Extract<JournalEntry, {kind: K}>

/** There is one of these on a host, and nothing to name it by. */
type Nameless = keyof Runs | 'environment-notified' | 'root-opened'

/**
 * The field that names the thing: only the newest entry of a thing is valid. What is named by its path is not touched
 * where a link is on the way (owned/journal-guard.ts).
 */
export const NAMED_BY: Readonly<Record<Exclude<JournalKind, Nameless>, string>> = {
  'configuration-read': 'name',
  directory: 'path',
  'docker-network': 'name',
  download: 'path',
  environment: 'name',
  file: 'path',
  'files-before': 'path',
  'firewall-rule': 'name',
  'image-proof': 'image',
  'image-pull': 'reference',
  'image-tag': 'reference',
  network: 'name',
  'network-before': 'id',
  'network-verified': 'id',
  node: 'name',
  'path-entry': 'folder',
  'present-containerd': 'service',
  reservation: 'network',
  security: 'path',
  service: 'name',
  'start-type': 'name',
  tree: 'path',
}

/** The kind may be anything, also the name of a method of objects. */
const fieldOf = ({kind}: JournalEntry): string | undefined =>
  Object.hasOwn(NAMED_BY, kind) ? NAMED_BY[kind as keyof typeof NAMED_BY] : undefined
const valueIn = (entry: JournalEntry, field = ''): unknown => (entry as unknown as Record<string, unknown>)[field]

/** What an entry is about. Windows ignores case in names. */
export function subjectOf(entry: JournalEntry): string {
  const name = valueIn(entry, fieldOf(entry))
  return `${entry.kind} ${typeof name === 'string' ? name : ''}`.toLowerCase()
}

/** Has it the text that names its thing, where its kind has one? */
export function isNamed(entry: JournalEntry): boolean {
  const field = fieldOf(entry)
  return field === undefined || typeof valueIn(entry, field) === 'string'
}

/** The path that an entry names. A forged entry may have one that its kind knows nothing of. */
export const pathOf = (entry: JournalEntry): string | undefined =>
  fieldOf(entry) === 'path' ? (entry as {readonly path?: string}).path : undefined
