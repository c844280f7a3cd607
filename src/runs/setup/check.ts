// The phases of setup and upgrade that check the host. They change nothing but the run's records, and what a killed run has left.
import {layoutOf} from '../../config/layout.js'
import {orGivenUp} from '../../host/wait.js'
import {openTrustedJournal} from '../../pipeline/ledger/journal.js'
import {HostFacts} from '../../preflight/facts.js'
import {resolveNode} from '../../preflight/node-config.js'
import {openRecords, RECORDS_MS} from '../run.js'
import {demandDrained} from '../upgrade/find-upgrade.js'
import {removeKilledWrites} from './killed-writes.js'
import {planSteps} from './plan.js'
import {checkHost} from './preflight-with-retry.js'
import type {SetupPhase, SetupRun} from './run.js'

export const openLog: SetupPhase = {
  async run(run) {
    const open = () => orGivenUp(run.machine.clock, RECORDS_MS, openRecords(run, run.config.baseDir))
    run.bus.listen((event) => {
      // A base directory that was not there is made by its step.
      if (event.type === 'step-finished' && event.step.id === 'base-dir') void open()
    })
    await open()
  },
  title: 'Open the log',
}

export const readJournal: SetupPhase = {
  async run(run) {
    const {bus, config, host} = run
    const {distrust, journal} = await openTrustedJournal(host, layoutOf(config.baseDir).journal)
    const message = journal.damage?.message
    if (message !== undefined) bus.emit({level: 'warn', message, type: 'log'})
    Object.assign(run, {distrust, journal})
  },
  title: 'Read the journal',
}

export const demandQualified: SetupPhase = {
  async run(run) {
    run.facts = await checkHost(run)
    // The check of the folders has said so, with all that is wrong beside it, unless it is ignored.
    if (run.distrust) throw run.distrust
  },
  title: 'Check the host',
}

export const completeConfig: SetupPhase = {
  async run(run) {
    const {config, host, journal} = run
    run.node = await resolveNode(run.facts)
    await demandDrained({config: run.node, host})
    if (config.upgrade) run.back = await resolveNode(new HostFacts(config.upgrade.from, host, journal))
  },
  title: 'Check the host',
}

export const removeLeftovers: SetupPhase = {
  run: removeKilledWrites,
  title: 'Remove leftovers of a killed run',
}

export const planOnTwin: SetupPhase = {
  async run(run) {
    const {assets, bus, facts, limited, node: config, report, signal, steps} = run
    const {machine} = limited
    const kubeconfig = await facts.kubeconfig('kubelet')
    const onLoss = (message: string | undefined): void => reportLoss(run, message)
    const plan = await planSteps({assets, bus, config, kubeconfig, machine, onLoss, signal, steps})
    Object.assign(report, {node: plan.node, steps: plan.results})
    if (plan.error !== undefined) throw plan.error as Error
    return 'ended'
  },
  title: 'Plan',
  when: ({dryRun}) => dryRun,
}

/** An unreadable journal was reported already. */
export function reportLoss({bus, journal}: SetupRun, message: string | undefined): void {
  if (message !== undefined && journal.damage?.message === undefined) bus.emit({level: 'warn', message, type: 'log'})
}
