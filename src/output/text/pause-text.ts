// What `pause` and `resume` print, and what status says of a pause.
import type {PauseStatus} from '../../pipeline/run/status-report.js'

/** `pause` and `resume`: --output json and ndjson. */
export interface PauseDocument {
  readonly baseDir: string
  /** False where it was so already. */
  readonly changed: boolean
  readonly command: 'pause' | 'resume'
  /** Null after `resume`. */
  readonly paused: PauseStatus | null
  readonly schemaVersion: 1
  readonly simulated: boolean
  readonly warnings: readonly string[]
}

/** After "until". */
export const pauseEnd = ({stopped, until}: PauseStatus): string =>
  stopped ? `"k8s-win start" (stopped by "k8s-win stop": ${stopped.join(', ')})` : (until ?? '"k8s-win resume"')

export const pausedText = (pause: PauseStatus): string =>
  `Paused until ${pauseEnd(pause)}: the service k8s-win repairs nothing on this node`

export function pauseLine({changed, paused}: Pick<PauseDocument, 'changed' | 'paused'>): string {
  if (paused) return `${pausedText(paused)}.`
  return changed ? 'Resumed: the service k8s-win repairs this node again.' : 'Nothing to resume: it is not paused.'
}
