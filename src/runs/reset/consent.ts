// Before anything is removed: is there anything, is it wanted, and what would it be.
import {layoutOf} from '../../config/layout.js'
import type {Decided} from '../../config/model.js'
import type {ResetOptions} from '../../config/options/reset-options.js'
import {interruptedAtQuestion} from '../../errors/health.js'
import {resetEndsPods, yesNeeded} from '../../errors/reset.js'
import {pasted} from '../../errors/define.js'
import {isOwnProgram} from '../../host/security/known-paths.js'
import {podsAfterDrain} from '../../pipeline/leave/ending-pods.js'
import {reportResults} from '../../pipeline/run/task-list.js'
import {InterruptedError} from '../../pipeline/run/to-user-error.js'
import type {Owned} from '../../pipeline/owned/find-owned.js'
import type {StepContext} from '../../pipeline/run/step.js'
import {shortList} from '../../pipeline/short-list.js'
import {keepsImages} from './removals.js'
import type {Answer, Question, ResetRun} from './reset-run.js'

const MOST_NAMES = 10

export const hasNothing = ({foundByMarks, journal}: Owned): boolean =>
  journal.all().length === 0 && foundByMarks.length === 0

/** False if there is nothing to remove, and if the prompt is cancelled; both are reported. */
export async function isWanted(run: ResetRun): Promise<boolean> {
  const {bus, config, hasRecords, own, plan} = run
  const {asker, options} = run.input
  const isNothing = hasNothing(own)
  if (isNothing && options.purge && hasRecords) return true
  if (isNothing) {
    tellUnproven(run)
    bus.info(`k8s-win has set up nothing in ${config.baseDir}: there is nothing to remove`)
    return false
  }

  const isLost = own.isDoubtful
  const {summary: lines} = plan
  if (options.dryRun || options.yes) return true
  const isShown = isLost || asker?.isTerminal === true
  if (isShown && lines.length === 0) return true
  if (asker?.isTerminal) tellRemarks(run)
  else if (!isLost) for (const line of lines) bus.info(`reset will ${line}`)
  const lost = isLost ? 'The journal is lost, and this list is based on the marks of k8s-win only. ' : ''
  const answer = await answerTo(
    {lines, stays: [...staying(options, config, own), ...own.unproven], text: `${lost}Remove all of this?`},
    run,
  )
  if (answer === 'none' && isLost) {
    throw yesNeeded({found: lines.join('; '), journal: layoutOf(config.baseDir).journal})
  }

  if (answer === 'none') demandAgreement(run)
  if (answer === 'yes') run.endingPods = undefined

  // Scripts rely on it: without an answer, reset continues if no pod ends that is not recreated here by itself.
  if (answer !== 'no') return true
  bus.info('cancelled: nothing was changed')
  return false
}

function demandAgreement({endingPods}: ResetRun): void {
  if (!endingPods || endingPods.names.length === 0) return
  const {areEvictable, names} = endingPods
  const error = resetEndsPods({pods: shortList(names, MOST_NAMES)})
  throw areEvictable ? error : error.with({fix: 'Run the same command with --yes, which ends them.'})
}

/** A drain evicts only what the cluster knows, and the node stays cordoned. */
export async function demandNoPodsLeft(context: StepContext): Promise<void> {
  const left = await podsAfterDrain(context)
  if (left.length === 0) return
  const {nodeName} = context.config
  throw resetEndsPods({pods: shortList(left, MOST_NAMES)}).with({
    fix: `Run the same command with --yes, which ends them. The node is cordoned now; "kubectl uncordon ${pasted(nodeName)}" allows new pods again.`,
  })
}

async function answerTo(question: Question, {input: {asker}, signal}: ResetRun): Promise<Answer> {
  try {
    return (await asker?.ask(question, signal)) ?? 'none'
  } catch (error) {
    throw error instanceof InterruptedError ? interruptedAtQuestion({}, {cause: error}) : error
  }
}

/** --dry-run: the steps, with what each would remove. */
export async function tellPlan(run: ResetRun): Promise<void> {
  const {bus, plan, report} = run
  const {steps, summary} = plan
  bus.emit({command: 'reset', steps: steps.map(({id, title}) => ({id, title})), type: 'run-started'})
  await reportResults(bus, steps)
  tellRemarks(run)
  tellUnproven(run)
  tellStaying(run)
  report.steps = steps
  // The summary of a plan has ten lines at most; what matters most is first.
  report.summary = summary.length > 10 ? [...summary.slice(0, 9), 'and more: see below'] : summary
}

function tellRemarks({bus, plan}: ResetRun): void {
  for (const message of plan.remarks) bus.warn(message)
}

/** Where no error will name it. */
function tellUnproven({bus, own}: ResetRun): void {
  for (const one of own.unproven) bus.warn(`stays: ${one}`)
}

/** At the end, in a line. */
export function tellStaying({bus, config, input: {options}, own}: ResetRun): void {
  const stays = staying(options, config, own).join(', ')
  const more = own.notRemoved.length > 0 ? ['what the warnings above name'] : []
  const parts = [...(stays === '' ? [] : [`${stays}${options.purge ? '' : ' (--purge removes them)'}`]), ...more]
  if (parts.length > 0) bus.info(`this stays: ${parts.join('; and ')}`)
}

/** Without a whole journal --purge removes no image but those that are proven. */
function staying(options: ResetOptions, config: Decided, {isIncomplete, journal}: Owned): string[] {
  const {keepDownloads, purge} = options
  const images = isIncomplete ? 'images that k8s-win can prove it created' : 'images'
  const hasCopy = journal.entries('base-dir', 'file').some(({path}) => isOwnProgram(path, config.baseDir))
  return [
    ...(keepsImages(options, config) ? [images] : []),
    ...(keepDownloads ? ['downloads'] : []),
    ...(purge || !hasCopy ? [] : ['the copy of k8s-win']),
    ...(purge ? [] : ['logs']),
  ]
}
