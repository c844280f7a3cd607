// --log-file of reset, and the trace beside it: new files in a folder that is there and stays, or those of an earlier run, which
// are added to.
import {win32} from 'node:path'
import {isWithin} from '../../config/base-dir.js'
import {layoutOf} from '../../config/layout.js'
import {DAEMON_PLACES} from '../../config/places.js'
import {badValue} from '../../errors/input.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {openTrust} from '../../host/security/trust.js'
import type {Files} from '../../machine/files.js'
import {LOG_BEGINNING, traceOf} from '../../output/run/run-log.js'
import type {ResetRun} from './reset-run.js'

/** Enough to recognise a log of k8s-win by its first line. */
const BEGINNING_BYTES = 128

/** Undefined where it may be used. Asked before anything is changed. */
export async function whyNoLogFile({config: {baseDir}, input, machine}: ResetRun): Promise<K8sWinError | undefined> {
  const {logFile: value, purge} = input.options
  if (value === undefined) return undefined
  const gone = whyGone(value, baseDir, purge)
  if (gone !== undefined) return refusal(value, gone)
  for (const file of [value, traceOf(value)]) {
    // Checked before anything of it is read.
    const untrusted = await whyUntrusted(machine, file)
    if (untrusted) return untrusted
    const reason = await whyNot(machine.files, file)
    if (reason !== undefined) return refusal(file, reason)
  }
  return undefined
}

/** Lines are added to it with the rights of an administrator: into whatever another name or a link makes of it. */
export async function whyUntrusted(
  {win32: calls}: ResetRun['machine'],
  path: string,
): Promise<K8sWinError | undefined> {
  const problem = await openTrust(calls).problem(path)
  return problem && refusal(path, `${problem.message}.`)
}

function refusal(value: string, reason: string): K8sWinError {
  const wanted = String.raw`a new file in an existing folder, such as c:\reset.log`
  return badValue({flag: 'log-file', reason, value, wanted, where: '--log-file'})
}

/** What reset removes, or empties, is not a place for its log. */
function whyGone(path: string, baseDir: string, purge: boolean): string | undefined {
  const isIn = (folder: string): boolean => isWithin(path.toLowerCase(), folder.toLowerCase())
  if (isIn(baseDir) && purge) return `It is in ${baseDir}, which --purge removes.`
  const {logs} = layoutOf(baseDir)
  if (isIn(baseDir) && !isIn(logs)) return `It is in ${baseDir}, of which only ${logs} stays as it is.`
  const place = DAEMON_PLACES.find(({path: folder}) => isIn(folder))
  return place && `It is in ${place.path}, which reset removes.`
}

async function whyNot(files: Files, path: string): Promise<string | undefined> {
  const folder = win32.dirname(path)
  const [above, there] = await Promise.all([files.status(folder), files.status(path)])
  if (!above) return `Folder not found: ${folder}.`
  // Behind a link there may be a folder; if there is none, a warning says that the log could not be written.
  if (above.kind !== 'directory' && above.kind !== 'link') return `${folder} is not a folder.`
  if (!there) return undefined
  if (there.kind === 'directory') return 'It is a folder.'
  if (there.kind !== 'file') return 'It exists and is not a file.'
  const beginning = await files.readRange(path, 0, BEGINNING_BYTES)
  const isOurs = beginning !== undefined && LOG_BEGINNING.test(Buffer.from(beginning.bytes).toString('latin1'))
  return isOurs ? undefined : 'A file that is not a log of k8s-win exists there, and is not overwritten.'
}
