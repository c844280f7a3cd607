// Whether the same command may simply be run again.
import {ERRORS} from './catalogue.js'

export const TRANSIENT_IDS: ReadonlySet<string> = new Set(
  ERRORS.filter(({isTransient: mayPass}) => mayPass).map(({id}) => id),
)

/** One error that time does not cure makes the whole run one. */
export const isTransient = (ids: readonly string[]): boolean =>
  ids.length > 0 && ids.every((id) => TRANSIENT_IDS.has(id))
