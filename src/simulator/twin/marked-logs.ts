// Marks log lines of the twin's daemons, which do not exist on the host.
import type {Files} from '../../machine/files.js'

const MARK = '(on the twin) '

/** The daemons append to logs only. */
export function withMarkedLogs(files: Files): Files {
  return {...files, append: (path, text) => files.append(path, text.replaceAll(/^(?=.)/gm, MARK))}
}
