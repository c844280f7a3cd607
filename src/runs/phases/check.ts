// The phases of setup and upgrade that check the host. They change nothing but the run's records.
import {layoutOf} from '../../config/layout.js'
import {serverUnreachable} from '../../errors/cluster.js'
import {K8sWinError} from '../../errors/k8s-win-error.js'
import {openTrustedJournal} from '../../pipeline/ledger/journal.js'
import {toUserError} from '../../pipeline/run/to-user-error.js'
import {Facts} from '../../preflight/facts.js'
import {resolveNode} from '../../preflight/node-config.js'
import {openRecords} from '../run.js'
import {demandDrained} from './find-upgrade.js'
import {planSteps} from './plan.js'
import type {SetupRun} from './setup-run.js'

export async function openLog(run: SetupRun): Promise<void> {
  const open = () => openRecords(run, run.config.baseDir)
  run.bus.listen((event) => {
    // A base directory that was not there is made by its step.
    if (event.type === 'step-finished' && event.step.id === 'base-dir') void open()
  })
  await open()
}

export async function readJournal(run: SetupRun): Promise<void> {
  const {bus, config, host} = run
  const {distrust, journal} = await openTrustedJournal(host, layoutOf(config.baseDir).journal)
  run.distrust = distrust
  run.journal = journal
  const message = journal.damage?.message
  if (message !== undefined) bus.warn(message)
}

export async function completeConfig(run: SetupRun): Promise<void> {
  const {config, facts, host, journal} = run
  run.node = await resolveNode(facts)
  await demandDrained({config: run.node, host})
  const from = config.upgrade?.from ?? run.former
  if (from) run.back = await resolveNode(new Facts(from, host, journal))
}

export async function planOnTwin(run: SetupRun): Promise<'ended'> {
  const {assets, bus, facts, limited, node: config, report, signal, steps} = run
  const {machine} = limited
  const kubeconfig = await facts.kubeconfig('kubelet')
  const onLoss = (message: string | undefined): void => reportLoss(run, message)
  const isUnjudged = run.command === 'recover' && {isUnjudged: isSilence}
  const plan = await planSteps({assets, bus, config, ...isUnjudged, kubeconfig, machine, onLoss, signal, steps})
  Object.assign(report, {node: plan.node, steps: plan.results, summary: plan.summary})
  if (plan.error !== undefined) throw run.command === 'recover' ? named(plan.error) : (plan.error as Error)
  return 'ended'
}

/** What only the cluster can judge, while it does not respond. */
export const isSilence = (error: unknown): boolean => serverUnreachable.is(toUserError(error, ''))

/** Of recover: what it does not repair, like a Docker that is stopped, is only named. */
export const named = (error: unknown): Error =>
  error instanceof K8sWinError && error.exitCode === 3 ? error.with({exitCode: 6}) : (error as Error)

/** An unreadable journal was reported already. */
export function reportLoss({bus, journal}: SetupRun, message: string | undefined): void {
  if (message !== undefined && journal.damage?.message === undefined) bus.warn(message)
}
