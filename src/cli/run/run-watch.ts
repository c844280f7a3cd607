// k8s-win run-watch: what the service k8s-win runs, and the child processes that it starts for repairs. The watch lives for as
// long as Windows does, so what it does not need is not loaded: neither oclif nor listr2, which the children use.
import {missingValue, unexpectedArgument} from '../../errors/usage.js'
import {WATCH_COMMAND} from '../../config/daemons.js'
import {openAssets, thisCaller} from '../../machine/real/assets.js'
import {openRealClock} from '../../machine/real/clock.js'
import {limitMemory} from '../../machine/real/memory.js'
import {openChildren, writeOutcome} from '../../runs/watch/child.js'
import {openReporters} from '../../runs/watch/reporters.js'
import {runWatch} from '../../runs/watch/watch.js'
import {redactor} from '../redactor.js'
import {watchSignals} from '../signals.js'
import {demandWindows} from '../this-machine.js'

/** Written by k8s-win alone, so they have one form. */
const ARGUMENT = /^--(?:(base-dir|repair)=(.+)|inspect)$/

/** The exit code. `argv`: after the command. */
export async function runWatchCommand(argv: readonly string[], packageRoot: string): Promise<number> {
  const {now} = openRealClock()
  const startedAt = now()
  // shawl ends it with Ctrl-C.
  const {close, signal} = watchSignals(process, () => {})
  try {
    const found = argv.map((argument) => ARGUMENT.exec(argument))
    const wrong = argv.find((_, index) => !found[index])
    if (wrong !== undefined) throw unexpectedArgument({argument: wrong, command: WATCH_COMMAND})
    const valueOf = (name: string): string | undefined => found.find((one) => one?.[1] === name)?.[2]
    const [baseDir, repair] = [valueOf('base-dir'), valueOf('repair')]
    if (baseDir === undefined) throw missingValue({flag: '--base-dir', value: '<folder>'})
    const machine = await demandWindows()
    const parts = {assets: openAssets(packageRoot), baseDir, machine, signal}
    if (!argv.includes('--inspect') && repair === undefined) {
      limitMemory()
      const reporters = openReporters({...parts, redact: redactor.redact})
      const {processStartedAt} = machine.win32
      const parentSince = await processStartedAt(process.ppid)
      // shawl that was killed leaves it behind: then it must not watch beside the next one.
      const isOrphan = async (): Promise<boolean> =>
        (await processStartedAt(process.ppid).catch(() => parentSince)) !== parentSince
      await runWatch({...parts, ...openChildren(parts), isOrphan, reporters})
      return 0
    }
    const child = {...parts, caller: thisCaller()}
    const work =
      repair === undefined
        ? (await import('../../runs/watch/inspect.js')).runInspect(child)
        : (await import('../../runs/watch/repair.js')).runRepair(child, repair.split(','))
    process.stdout.write(`${await writeOutcome(work)}\n`)
    return 0
  } catch (error) {
    const {reportError} = await import('../report-error.js')
    const {stderr, stdout} = process
    const report = {command: WATCH_COMMAND, format: 'text', now, simulated: false, verbose: true} as const
    return reportError(error, {...report, startedAt, stderr, stdout})
  } finally {
    close()
  }
}
