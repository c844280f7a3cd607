// Does this host qualify? All checks, and a second look where an earlier run died while the network was cut.
import {layoutOf} from '../../config/layout.js'
import type {Decided} from '../../config/model.js'
import {serverUnreachable} from '../../errors/cluster.js'
import {type K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import type {Host} from '../../host/host.js'
import {orGivenUp} from '../../host/wait.js'
import type {Redactor} from '../../output/text/redact.js'
import {awaitNetwork, isNoteOpen} from '../../pipeline/desired/network/network-guard.js'
import {type Journal, openTrustedJournal} from '../../pipeline/ledger/journal.js'
import type {CheckResult, EventBus} from '../../pipeline/run/events.js'
import {HostFacts} from '../../preflight/facts.js'
import {runChecks} from '../../preflight/index.js'
import type {SetupRun} from './setup.js'

/** flanneld itself gives its adapter up to 45 s to come back (docs/facts.md#flannel). */
export const SETTLING_MS = 60_000
export const LOOK_AGAIN_MS = 2000
const SECRETS_MS = 30_000

/** As the journal notes it; one that is not trusted is reported by the checks. */
export async function isNetworkUnsettled(host: Host, baseDir: string): Promise<boolean> {
  const {journal} = await openTrustedJournal(host, layoutOf(baseDir).journal)
  return isNoteOpen({journal})
}

/** What is known of a host that qualifies. */
export async function preflightWithRetry(
  {bus, redactor, signal}: Pick<SetupRun, 'bus' | 'redactor' | 'signal'>,
  config: Decided,
  {host, journal, waitsFor}: {host: Host; journal: Journal; waitsFor: () => string | undefined},
  onChecks: (checks: readonly CheckResult[]) => void,
): Promise<HostFacts> {
  const progress = ({text: message}: {text: string}): void => bus.emit({level: 'info', message, type: 'log'})
  const report = (check: CheckResult): void => bus.emit({check, type: 'check'})
  // After a killed run flanneld may be creating its network: failed checks are repeated.
  const unsettled = isNoteOpen({journal})
  const settled = host.clock.now() + SETTLING_MS
  for (let looks = 1; ; looks++) {
    await awaitNetwork({host, journal, progress, signal})
    const facts = new HostFacts(config, host, journal)
    // What hangs here hangs in the checks too, which report it.
    await orGivenUp(host.clock, SECRETS_MS, registerSecrets(facts, redactor))
    const {problems, results} = await runChecks(facts, host.clock, unsettled ? () => {} : report, signal, waitsFor)
    if (unsettled && problems.length > 0 && (looks === 1 || (isCutOff(problems) && host.clock.now() < settled))) {
      await host.clock.sleep(LOOK_AGAIN_MS, signal)
      continue
    }
    if (unsettled) for (const check of results) report(check)
    onChecks(results)
    if (problems.length > 0) throw new ProblemsError(problems)
    await reportChoice(facts, bus)
    return facts
  }
}

/** The adapter may have its address back a while before connections go through again. */
function isCutOff(problems: readonly K8sWinError[]): boolean {
  return problems.some((problem) => serverUnreachable.is(problem))
}

/** A choice that the user did not make must be shown, not only logged. */
async function reportChoice(facts: HostFacts, bus: EventBus): Promise<void> {
  const {address, name, reason} = await facts.interface()
  if (reason === undefined) return
  bus.emit({level: 'info', message: `using the network adapter "${name}" with ${address}: ${reason}`, type: 'log'})
}

/** Before anything is reported: from here on no log, event or error can contain them. */
export async function registerSecrets(facts: HostFacts, redactor: Redactor): Promise<void> {
  for (const identity of ['kubelet', 'kube-proxy', 'flanneld'] as const) {
    const kubeconfig = await facts.kubeconfig(identity).catch(() => undefined)
    for (const secret of [kubeconfig?.token, kubeconfig?.tls.key]) if (secret !== undefined) redactor.register(secret)
  }
}
