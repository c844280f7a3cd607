// The end of setup: the node is called Ready only where the same model that status and doctor use says that it is healthy.
import {healthUnknown} from '../../errors/health.js'
import {K8sWinError} from '../../errors/k8s-win-error.js'
import {checkHealth, type Health} from '../../health/check-health.js'
import {NODE_CHECKS} from '../../health/health-checks.js'
import {isSilence} from '../../health/root-cause.js'
import {hostOptions, openHost} from '../../host/host.js'
import {rememberingMachine} from '../../machine/intercept.js'
import {isJoined} from '../../pipeline/desired/cluster/join-state.js'
import {problemText} from '../../pipeline/run/status-report.js'
import {Facts} from '../../preflight/facts.js'
import {WATCH} from '../run.js'
import type {SetupRun} from './setup-run.js'

/**
 * An API server that restarts, or a daemon that reports in a moment, must not end a setup that has done its work. Nor must a
 * slow host: what takes longer than the deadlines of status, which a user waits for, does so at each try. So each one
 * has twice the time of the one before.
 */
const TRIES = 3
const PAUSE_MS = 5000
export const NOT_HEALTHY_EXIT = 6

/**
 * Throws the root cause where the node is not healthy. Where setup skips steps the user knows better: a warning. recover
 * skips what setup had skipped, so only that is one.
 */
export async function demandHealth(run: SetupRun): Promise<void> {
  const {bus, command, config, machine, signal} = run
  const report = (text: string): void => bus.emit({id: 'node-health', text, type: 'progress'})
  report('checking the health of the node')
  let health = await ask(run, 1)
  for (let tries = 1; health.verdict !== 'healthy' && tries < TRIES; tries++) {
    const [root] = health.problems
    report(`waiting for the node to become healthy${root ? `: ${problemText(root)}` : ''}`)
    await machine.clock.sleep(PAUSE_MS, signal)
    health = await ask(run, 2 ** tries)
  }
  for (const message of warningsOf(health)) bus.warn(message)
  // What recover could not repair without the cluster may look like a cause of its own.
  const roots = [...health.roots.filter(isSilence), ...health.roots]
  const unskipped = ['recover', WATCH].includes(command) ? whyUnhealthy({...health, problems: roots}) : undefined
  const error = unskipped ?? whyUnhealthy(health)
  if (!error) return
  if (unskipped || config.skip.length === 0) throw error
  bus.warn(`${error.message}. ${error.reason} ${error.fix}`)
}

async function ask({assets, config, journal, limited, node, signal}: SetupRun, patience: number): Promise<Health> {
  // As status does: what several checks ask for is asked once.
  const machine = rememberingMachine(limited.machine)
  const host = openHost(machine, hostOptions(assets, config))
  // The token may have ended since the node has its certificate, and a token may see little of the cluster.
  const {bootstrap: _, ...joined} = config
  const identified = (await isJoined(host, node)) ? joined : config
  return checkHealth({
    assets,
    config: node,
    facts: new Facts(identified, host, journal, {reviews: 'none'}),
    // Every step has inspected its own thing a moment ago, programs with their digests too.
    isJustSetUp: true,
    journal,
    machine,
    patience,
    records: {isComparable: true, problems: [], unfinished: undefined, unnoted: [], notChecked: [], warnings: []},
    signal,
    steps: [],
  })
}

/** Of what only a running node shows: of the rest the checks and steps of this run have warned already. */
const warningsOf = ({checks}: Health): string[] =>
  checks
    .filter(({id, result}) => result === 'warn' && NODE_CHECKS.some((check) => check.id === id))
    .map(({fix = '', message}) => `${message}. ${fix}`.trim())

function whyUnhealthy({problems: [root], notChecked: [notChecked], verdict}: Health): K8sWinError | undefined {
  if (root) {
    const {cause, consequences = 0, id, next} = root
    const more =
      consequences === 0
        ? ''
        : ` (${consequences} more ${consequences === 1 ? 'problem depends' : 'problems depend'} on this)`
    const text = {
      cause,
      exitCode: NOT_HEALTHY_EXIT,
      fix: next,
      message: `The node is not healthy: ${problemText(root)}${more}`,
    }
    return new K8sWinError(id, text)
  }
  return verdict === 'unknown' && notChecked ? healthUnknown({what: notChecked.what, why: notChecked.why}) : undefined
}
