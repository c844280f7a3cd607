// The first phases of setup and upgrade: what was asked for, the lock, and what the host and the cluster say. Changes nothing.
import {loadDigests} from '../../artifacts/digests.js'
import {loadUnpacker} from '../../artifacts/unpack.js'
import {layoutOf} from '../../config/layout.js'
import {type Decided, NETWORK_NAME, type SecretSource} from '../../config/model.js'
import type {GivenOptions} from '../../config/options/options.js'
import {secretsOf} from '../../config/options/parse-join.js'
import {hostOptions, openHost} from '../../host/host.js'
import {demandOwnCloud, fetchSecret} from '../../host/secrets/fetch-secret.js'
import {rememberingMachine} from '../../machine/intercept.js'
import {isRecordOpen} from '../../pipeline/desired/network/network-records.js'
import {openTrustedJournal} from '../../pipeline/ledger/journal.js'
import {stepsFor} from '../../steps/index.js'
import {readAsked} from '../configuration.js'
import {decideConfig, withSecrets} from '../decide-config.js'
import {limitTime} from '../run.js'
import {newerRelease} from '../upgrade/newer-release.js'
import {findUpgrade} from '../phases/find-upgrade.js'
import {reportDecision, reportRelease, reportUpgrade} from './report-decision.js'
import type {SetupRun} from '../phases/setup-run.js'
import {untilSettled} from '../phases/settling.js'

export async function readOptions(run: SetupRun): Promise<void> {
  const {assets, input, redactor} = run
  run.asked = await read(run, input.given)
  const {allowRestart, baseDir, dockerPipe, join, timeoutMs} = run.asked
  for (const secret of secretsOf(join?.token ?? '')) redactor.register(secret)
  run.baseDir = baseDir
  run.allowsRestart = allowRestart
  input.onConfig?.(run.asked)
  limitTime(run, timeoutMs)
  run.host = openHost(run.limited.machine, {assets, baseDir, dockerPipe})
  // Loading is not an effect of the machine: no step may wait for it.
  await Promise.all([loadDigests(), loadUnpacker()])
}

const read = ({input: {dockerHost}, environment, machine, signal}: SetupRun, flags: GivenOptions) =>
  readAsked({dockerHost, environment, flags, machine, signal})

export async function chooseNewerRelease(run: SetupRun): Promise<void> {
  const chosen = await newerRelease(run.asked, run.host, run.signal)
  if (chosen === undefined) return
  run.asked = await read(run, {...run.input.given, release: String(chosen.value)})
  run.chosenFor = chosen.where
}

/**
 * After a killed run flanneld may be creating its network. With defaults in place of what the cluster says, a run could only
 * fail.
 */
export async function askHostAndCluster(run: SetupRun): Promise<void> {
  const {asked, host, signal} = run
  const isUnsettled = async (): Promise<boolean> => {
    // One that is not trusted is reported by the checks.
    const {journal} = await openTrustedJournal(host, layoutOf(asked.baseDir).journal)
    return isRecordOpen({journal})
  }
  const isEnough = async ({unasked}: Decided): Promise<boolean> => unasked === undefined || !(await isUnsettled())
  run.config = await untilSettled(host.clock, signal, () => decide(run), isEnough)
}

async function decide(run: SetupRun): Promise<Decided> {
  const {asked, assets, bus, input, limited, redactor, signal} = run
  const {baseDir, dockerPipe} = asked
  // What several questions need is asked once, each time.
  const host = openHost(rememberingMachine(limited.machine), {assets, baseDir, dockerPipe})
  const {register} = redactor
  // Its requests are repeated, and their answers must not be remembered.
  const {clock, http} = run.host
  const {secretEndpoint, secretHosts} = asked
  const fetch = async (source: SecretSource): Promise<string> => {
    const hardware = await run.host.condition.hardware().catch(() => undefined)
    if (hardware) demandOwnCloud(hardware, source)
    const {waitsFor} = run
    let waiting: string | undefined
    const inform = (what: string): void => {
      waiting = what
      bus.info(`waiting for ${what}`)
    }
    const ours = (): string | undefined => waitsFor() ?? waiting
    run.waitsFor = ours
    try {
      return await fetchSecret({clock, http, inform, register, secretHosts, signal}, source, secretEndpoint)
    } finally {
      // At the end of its time the run has noted what it waited for.
      if (run.waitsFor === ours) run.waitsFor = waitsFor
    }
  }
  const from = {fetch, input: input.input, register, warn: (message: string) => bus.warn(message)}
  const decided = await decideConfig(asked, host, signal, from)
  run.asked = withSecrets(asked, decided)
  return decided
}

export async function compareWithNode(run: SetupRun): Promise<void> {
  const {former, upgrade} = await findUpgrade(run)
  if (upgrade) run.config = {...run.config, upgrade}
  if (former) run.former = former
}

export async function chooseDetachment(run: SetupRun): Promise<void> {
  const {host, input, signal} = run
  // The network is interrupted for seconds where the overlay network is created: a remote session ends there. Without the
  // library of HNS there is no network either.
  const interrupts = async () => (await host.hns.network(NETWORK_NAME).catch(() => undefined)) === undefined
  run.detaching = (await input.detaches?.(await interrupts(), signal)) ?? 'no'
}

export async function announce(run: SetupRun): Promise<void> {
  const {assets, bus, command, config, input, limited} = run
  run.host = openHost(limited.machine, hostOptions(assets, config))
  run.steps = stepsFor(config)
  bus.emit({command, steps: run.steps.map(({id, title}) => ({id, title})), type: 'run-started'})
  reportDecision(config, bus)
  if (input.upgrade) reportRelease(config, run.chosenFor, bus)
  run.report.upgrade = reportUpgrade(config, bus)
}

/** The cluster may have been unreachable only while it was asked: then the answers must be the defaults that were checked. */
export async function demandDecided(run: SetupRun): Promise<void> {
  const {config} = run
  const again = await decide(run)
  if (again.unasked !== undefined) throw again.unasked as Error
  const valuesOf = (one: Decided): string =>
    JSON.stringify({...one, origin: undefined, unasked: undefined, upgrade: undefined})
  if (valuesOf(again) !== valuesOf(config)) throw config.unasked as Error
}
