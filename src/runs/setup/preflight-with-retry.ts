// Does this host qualify? All checks, and once more if an earlier run died while the network was cut.
import {serverUnreachable} from '../../errors/cluster.js'
import {type K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import {awaitNetwork} from '../../pipeline/desired/network/network-guard.js'
import {isRecordOpen} from '../../pipeline/desired/network/network-records.js'
import type {EventBus} from '../../pipeline/run/events.js'
import type {Row} from '../../preflight/check-row.js'
import {Facts} from '../../preflight/facts.js'
import {runChecks} from '../../preflight/index.js'
import {registerSecrets} from '../register-secrets.js'
import type {SetupRun} from '../phases/setup-run.js'
import {untilSettled} from '../phases/settling.js'

const SECRETS_MS = 30_000

/** Throws everything that is wrong. After a killed run, while its network settles, failed checks are repeated. */
export async function checkHost(run: SetupRun): Promise<void> {
  const {bus, config, distrust, dryRun, host, journal, redactor, report, signal} = run
  const waitsFor = (): string | undefined => run.waitsFor()
  const progress = ({text: message}: {text: string}): void => bus.info(message)
  const reporting = {changed: (text: string) => bus.info(text), warn: (text: string) => bus.warn(text)}
  const show = ({cause: _, ...check}: Row): void => bus.emit({check, type: 'check'})
  const isUnsettled = isRecordOpen({journal})
  const check = async () => {
    await awaitNetwork({config, host, journal, progress, signal, ...(!dryRun && !distrust && reporting)})
    const facts = new Facts(config, host, journal)
    // What hangs here hangs in the checks too, which report it.
    await registerSecrets(facts, redactor, SECRETS_MS)
    return {facts, ...(await runChecks(facts, {...(!isUnsettled && {onRow: show}), signal, waitsFor}))}
  }
  const isEnough = ({problems}: {problems: readonly K8sWinError[]}, tries: number): boolean =>
    !isUnsettled || problems.length === 0 || (tries > 1 && !isCutOff(problems))
  const {facts, problems, results} = await untilSettled(host.clock, signal, check, isEnough)
  if (isUnsettled) for (const one of results) show(one)
  report.checks = results
  if (problems.length > 0) throw new ProblemsError(problems)
  await reportChoice(facts, bus)
  // The choice of the release may have said the same.
  const said = `Kubernetes ${config.release.text}: ${String(run.chosenFor ?? config.origin.where.release)}`
  for (const {notice = said} of results) if (notice !== said) bus.info(notice)
  // The check of the folders has said so, with all that is wrong beside it, unless it is ignored.
  if (distrust) throw distrust
  run.facts = facts
}

/** The adapter may have its address back a while before connections go through again. */
function isCutOff(problems: readonly K8sWinError[]): boolean {
  return problems.some((problem) => serverUnreachable.is(problem))
}

/** A choice that the user did not make must be shown, not only logged. */
async function reportChoice(facts: Facts, bus: EventBus): Promise<void> {
  const {address, name, reason} = await facts.interface()
  if (reason === undefined) return
  bus.info(`using the network adapter "${name}" with ${address}: ${reason}`)
}
