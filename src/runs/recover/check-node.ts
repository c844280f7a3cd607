// What is wrong with the node: the checks of status, and what of the host would stop any repair. Reads only.
import {refusedCopy} from '../../components/node-machine.js'
import {layoutOf} from '../../config/layout.js'
import {DAEMONS} from '../../config/daemons.js'
import {FLANNELD} from '../../config/model.js'
import {networkNotRestored} from '../../errors/health.js'
import {type K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import {nodeAddressLost} from '../../errors/unhealthy-node.js'
import {checkHealth} from '../../health/check-health.js'
import {hostOptions, openHost} from '../../host/host.js'
import {orGivenUp} from '../../host/wait.js'
import {rememberingMachine} from '../../machine/intercept.js'
import {reconnect} from '../../pipeline/desired/network/network-guard.js'
import {lostSteps} from '../../pipeline/owned/find-owned.js'
import type {DriftStatus} from '../../pipeline/run/status-report.js'
import {inPlace, type Step, type StepId} from '../../pipeline/run/step.js'
import {dependingOn} from '../../pipeline/run/step-needs.js'
import type {Check} from '../../preflight/check.js'
import {Facts} from '../../preflight/facts.js'
import {CHECKS, runChecks} from '../../preflight/index.js'
import {OWNERSHIP_CHECKS} from '../../preflight/checks/ownership-checks.js'
import {restoreStored} from '../configuration.js'
import {registerSecrets} from '../register-secrets.js'
import {tellingContext} from '../phases/apply.js'
import type {SetupRun} from '../phases/setup-run.js'
import {settleNode} from '../status/settle-node.js'

const SECRETS_MS = 3000
const DNS_MS = 3000
/** Times what status allows: after a restart Windows is slow, and a check without an answer would end the run. */
const PATIENCE = 4

/** Of the host only: of the node itself the checks of status are made. */
const HOST_CHECKS = CHECKS.filter(({cost, on}) => cost === 'cheap' && on === 'host')
/** Without administrator rights, against things that k8s-win did not create, or under another's identity nothing is repaired. */
const isDemanded = ({failsOnNode, id}: Check): boolean =>
  failsOnNode === true || id === 'node-copy' || OWNERSHIP_CHECKS.some((check) => check.id === id)

/** Not that of the original. Watch leaves what a user may have changed: it repairs a last line that a crash cut, before it adds to it. */
export async function repairJournal({config, host, input, journal: {damage}}: SetupRun): Promise<void> {
  if (!damage || (input.only && damage.message !== undefined)) return
  if (refusedCopy(config, await host.os.systemUuid()) === undefined) await damage.repair()
}

/** What is stored is what the node is to be: without it, no later run knows. */
export async function restoreOptions({bus, config, host, input, limited}: SetupRun): Promise<void> {
  const {baseDir, storedDamage} = config
  if (!storedDamage || input.only || refusedCopy(config, await host.os.systemUuid()) !== undefined) return
  await restoreStored(limited.machine, baseDir)
  bus.info(`restored ${layoutOf(baseDir).nodeConfig} from its copy`)
}

async function ownershipProblems({config, host, journal, signal}: SetupRun): Promise<readonly K8sWinError[]> {
  const checks = CHECKS.filter((one) => one.cost !== 'cluster' && isDemanded(one))
  return (await runChecks(new Facts(config, host, journal, {reviews: 'none'}), {checks, signal})).problems
}

/** Of commands that start and stop what is there. */
export async function demandOwnNode(run: SetupRun): Promise<void> {
  const {config, distrust, host, journal} = run
  if (distrust) throw distrust
  const problems = await ownershipProblems(run)
  if (problems.length > 0) throw new ProblemsError(problems)
  run.facts = new Facts(config, host, journal, {reviews: 'none'})
}

/** What cuts the host off from its cluster is put back first. What stays lost, or may not be repaired, is found by the checks. */
export async function reconnectHost(run: SetupRun): Promise<void> {
  const {distrust, input} = run
  // Routes are put back by this step.
  if (distrust || input.only?.includes('overlay-network') === false) return
  if ((await ownershipProblems(run)).length > 0) return
  await reconnect(tellingContext(run)).catch((error: unknown) => {
    if (!networkNotRestored.is(error)) throw error
  })
}

/** Leaves in the list what is to be run: a step that is in place, and needs nothing that is not, is not inspected again. */
export async function checkNode(run: SetupRun): Promise<void> {
  const {assets, bus, config, distrust, journal, limited, redactor, report, signal} = run
  if (distrust) throw distrust
  const machine = rememberingMachine(limited.machine)
  const host = openHost(machine, hostOptions(assets, config))
  const facts = new Facts(config, host, journal, {reviews: 'none'})
  const [settled] = await Promise.all([settleNode(facts), registerSecrets(facts, redactor, SECRETS_MS)])
  const unnoted = lostSteps(journal, config)
  const records = {isComparable: true, notChecked: [], problems: [], unfinished: undefined, unnoted, warnings: []}
  const [ofHost, health] = await Promise.all([
    runChecks(facts, {checks: HOST_CHECKS, signal}),
    checkHealth({
      assets,
      config: settled.config,
      facts,
      journal,
      machine,
      patience: PATIENCE,
      records,
      signal,
      steps: run.steps,
    }),
  ])
  // On a node it is only a warning that Windows would not be chosen for a new one.
  const rows = ofHost.judged.map(({check, row: {cause: _, ...row}}) =>
    row.result === 'fail' && !check.failsOnNode ? {...row, result: 'warn' as const} : row,
  )
  report.checks = [...rows, ...health.checks.map(({cause: _, ...row}) => row)]
  for (const check of report.checks) bus.emit({check, type: 'check'})
  const isWithoutHns = run.input.only?.every((id) => ['containerd-service', 'kubelet-service'].includes(id)) === true
  // An HNS that hangs must not keep watch from starting what does without it.
  const judged = [...ofHost.judged, ...health.judged].filter(
    ({check}) => isDemanded(check) && !(isWithoutHns && check.needs?.includes('hns')),
  )
  const problems = judged.flatMap((one) => one.problems)
  if (problems.length > 0) throw new ProblemsError(problems)
  const clusterDNS = await orGivenUp(machine.clock, DNS_MS, facts.clusterDNS())
  run.facts = facts
  run.node = {...settled.config, clusterDNS: clusterDNS ?? settled.config.clusterDNS}
  const {drift, node} = health.parts
  const isSilent = node === null
  const {only} = run.input
  const isMeant = ({step}: DriftStatus): boolean => only?.includes(step) ?? true
  // Without the kubelet's files only the cluster knows the address of its DNS, and only its answer proves the kubeconfig's CA.
  const isUnknown = !only && (run.node.clusterDNS === '' || run.node.clientCA === '')
  const isOpen = ({state, step}: DriftStatus): boolean =>
    state === 'not-checked' || (isUnknown && ['kubelet-config', 'kubelet-service'].includes(step))
  run.unasked = (drift ?? []).filter((one) => isSilent && isOpen(one) && isMeant(one)).map(({step}) => step)
  if (only) {
    run.node = {...run.node, revivesOnly: true}
    const isMoved = health.judged.some(({problems: its}) => its.some((one) => nodeAddressLost.is(one)))
    const left = isMoved ? only : await leftAlone(run)
    run.steps = run.steps.filter(({id}) => only.includes(id) && !left.includes(id))
  }
  run.steps = chosen(run.steps, (drift ?? []).filter(isMeant))
}

/** Of services that were deleted, that do not start with Windows, or that were there before setup. */
async function leftAlone({host}: SetupRun): Promise<StepId[]> {
  const isStarted = async (name: string): Promise<boolean> =>
    (await host.services.isOurs(name)) && (await host.services.startType(name)) === 'automatic'
  const left = await Promise.all(
    DAEMONS.map(async ({service, step}): Promise<StepId[]> => {
      if (await isStarted(service)) return []
      // It makes the network.
      return service === FLANNELD ? [step, 'overlay-network', 'source-vip'] : [step]
    }),
  )
  return left.flat()
}

/** Steps that could not be judged are inspected again. */
function chosen(steps: readonly Step[], drift: readonly DriftStatus[]): Step[] {
  const wrong = drift.filter(({state}) => !['in-place', 'skipped'].includes(state)).map(({step}) => step)
  const due = dependingOn(wrong, steps)
  return steps.map((step) =>
    due.has(step.id) || step.prove ? step : {...step, apply: async () => {}, inspect: async () => inPlace()},
  )
}
