// A known failure: its pattern, its cause and its fix.
import {type Daemon, DAEMONS} from '../config/daemons.js'

export const SIGNATURE_SOURCES: readonly SignatureSource[] = [
  ...DAEMONS.map(({program}) => program),
  'docker',
  'hns',
  'service-manager',
  'shawl',
]

/** Files of a node whose absence daemons complain of, by their names. */
export type ComplainedFile = '10-flannel.conflist' | 'cni.conf' | 'subnet.env'

/** Where it appears: a daemon's log, a response of HNS or of a runtime, a code of the service manager. */
export type SignatureSource = Daemon['program'] | 'docker' | 'hns' | 'service-manager' | 'shawl'

export interface Signature {
  /** The file that is missing: where it is there, the line is of the time before it came. */
  readonly absent?: ComplainedFile
  /** Why it happens, in a sentence or two. */
  readonly cause: string
  /** What to do, with the command where there is one. */
  readonly fix: string
  /** Stable, kebab-case: JSON, docs anchor. */
  readonly id: string
  /** Tried on the message, without what a logger puts before it. Every repetition in it has an end. */
  readonly pattern: RegExp
  /** Of single pods, their images or their network: no daemon ends, or is unhealthy, because of it. */
  readonly ofPods?: true
  /** Also logged by every healthy daemon while it starts: a failure only as the last line. */
  readonly onlyAtTheEnd?: true
  /** Also logged by healthy daemons before they have started, and then over (STARTED in index.ts). */
  readonly overOnceStarted?: boolean
  readonly seenIn: readonly SignatureSource[]
  /**
   * Public sources: an issue (the newest that was read is among them), a page of documentation, a file of the program's source.
   * A list of codes alone does not say why it happens or what helps.
   */
  readonly sources: readonly string[]
}
