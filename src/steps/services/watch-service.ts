// The service that watches the node: k8s-win itself, under shawl. --no-watch removes it.
import {win32} from 'node:path'
import {proxiesOf} from '../../components/machine-proxy.js'
import {underShawl} from '../../components/shawl.js'
import {WATCH, WATCH_COMMAND} from '../../config/daemons.js'
import {layoutOf} from '../../config/layout.js'
import {programNotInstalled} from '../../errors/detach.js'
import {splitCommandLine} from '../../machine/command-line.js'
import {applyMetrics, metricsDrift} from '../../pipeline/desired/files/metrics-file.js'
import {removePath} from '../../pipeline/desired/files/remove-path.js'
import {isSame} from '../../pipeline/desired/programs/own-program.js'
import {demandProgram, isInstalled, placeProgram, placeShawl} from '../../pipeline/desired/programs/service-program.js'
import {applyService, type DesiredService, inspectService} from '../../pipeline/desired/services/service.js'
import {callService} from '../../pipeline/desired/services/stop-service.js'
import type {JournalLine} from '../../pipeline/ledger/journal.js'
import {drifted, type Finding, inPlace, type StepContext} from '../../pipeline/run/step.js'
import {serviceStep} from './service-step.js'

export const watchServiceStep = serviceStep(WATCH, {
  // Undefined on a node of before there was a watch, and where the program cannot be a service.
  applies: ({watch}) => watch !== undefined,
  async apply(context) {
    const {config, host} = context
    if (!config.watch) return removeWatch(context)
    const program = await placeProgram(context, true).catch((error: unknown) => orPresent(context, error))
    const shawl = await placeShawl(context)
    for (const path of [...program, shawl]) await host.trust.demand(path, 'program')
    await applyMetrics(context)
    await applyService(context, WATCH.step, wanted(context, program))
  },
  deadlineMs: 5 * 60_000,
  driftCause: 'The service, its program or its metrics file was changed or removed.',
  async inspect(context): Promise<Finding> {
    const {config, host, journal} = context
    if (!config.watch) {
      const isRecorded = journal.all().some(isOfWatch)
      const isThere = isRecorded || (await host.services.isOurs(WATCH.service))
      return isThere ? drifted(`the service ${WATCH.service} exists`) : inPlace('the node is not watched')
    }
    // Which k8s-win it is does not matter here: what runs status may be another one.
    const program = (await present(context)) ?? [layoutOf(config.baseDir).program]
    const gone = await absentOf(context, program)
    if (gone !== undefined) return drifted(`${gone} does not exist`)
    const {runShawl} = layoutOf(config.baseDir)
    if (!(await host.files.read(runShawl).catch(() => undefined))?.equals(await host.assets.shawl()))
      return drifted(`${runShawl} is missing, or is not shawl of k8s-win`)
    const [found, metrics] = [await inspectService(context, wanted(context, program)), await metricsDrift(context)]
    return found.state === 'in-place' && metrics.length > 0 ? drifted(...metrics) : found
  },
  needs: ['node-ready', 'uncordon-node'],
  /** The k8s-win that runs setup is the one that watches. */
  async prove(context): Promise<Finding> {
    const {config, host} = context
    if (!config.watch) return inPlace()
    const program = await demandProgram(context, true).catch((error: unknown) => orPresent(context, error))
    const found = await inspectService(context, wanted(context, program))
    const {file} = host.assets.program
    const isCopy = file !== undefined && program[0] === layoutOf(config.baseDir).program
    if (found.state !== 'in-place' || !isCopy || (await isSame(context, file, program[0] ?? ''))) return found
    return drifted(`${program[0]} is not the k8s-win that runs`)
  },
  title: `Configure service ${WATCH.service}`,
})

/** What another start would end with, too: it was stopped, its arguments are refused, another watch runs (WATCH_RUNNING). */
const FINAL = [0, 2, 11]

function wanted({config}: StepContext, program: readonly string[]): DesiredService {
  const {baseDir} = config
  const {logs, runShawl: shawl} = layoutOf(baseDir)
  const {service: name} = WATCH
  return {
    daemon: WATCH,
    spec: {
      command: [...underShawl({logs, shawl}, name, FINAL), ...program, WATCH_COMMAND, `--base-dir=${baseDir}`],
      description: 'Keeps this Kubernetes node alive: starts daemons that have ended, and repairs the overlay network.',
      environment: proxiesOf(config),
      name,
    },
    wrapped: win32.basename(program[0] ?? '').toLowerCase(),
  }
}

/** The k8s-win that the service runs, where that is in a place that only administrators can change. */
async function present({config: {baseDir}, host}: StepContext): Promise<readonly string[] | undefined> {
  const words = splitCommandLine((await host.services.imagePath(WATCH.service)) ?? '')
  const program = words.slice(words.indexOf('--') + 1, words.lastIndexOf(WATCH_COMMAND))
  return program.length > 0 && isInstalled(program, baseDir) ? program : undefined
}

/** A k8s-win that cannot be a service leaves the one that is. */
async function orPresent(context: StepContext, error: unknown): Promise<readonly string[]> {
  const program = programNotInstalled.is(error) ? await present(context) : undefined
  if (!program || (await absentOf(context, program)) !== undefined) throw error
  return program
}

async function absentOf({host: {files}}: StepContext, paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if ((await files.status(path))?.kind !== 'file') return path
  return undefined
}

const isOfWatch = ({entry, step}: JournalLine): boolean => step === WATCH.step && entry.kind !== 'directory'

async function removeWatch(context: StepContext): Promise<void> {
  const {changed, config, host, journal, signal} = context
  const {service: name} = WATCH
  if (await host.services.isOurs(name)) {
    await callService(name, 'removed', () => host.services.remove(name, signal))
    changed(`remove the service ${name}`)
  }
  await applyMetrics(context)
  await removePath(context, layoutOf(config.baseDir).health)
  await journal.forget(isOfWatch)
}
