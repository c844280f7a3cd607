// What the twin's daemons write into logs was never written on the host: whoever quotes it must see that.
import type {Files} from '../../machine/files.js'

const MARK = '(on the twin) '

/** The drive as the daemons have it: nothing but logs is appended to. */
export function withMarkedLogs(files: Files): Files {
  return {...files, append: (path, text) => files.append(path, text.replaceAll(/^(?=.)/gm, MARK))}
}
