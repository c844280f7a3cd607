// The page of a run: one file with everything in it, without a script, for a browser, a mail or a ticket.
import type {CheckResult, RunResultDocument, StepResult, TimedEvent} from '../../pipeline/run/events.js'
import {type CheckTally, errorsOf, MARKS, recapLine, tallyText, verdictLine} from '../run/verdict.js'
import {duration} from '../text/figures.js'
import {count} from '../text/problems.js'
import {truncate} from '../text/text-shape.js'
import {type Markup, markup, type Part} from './markup.js'
import {PAGE_STYLE} from './page-style.js'
import {type Needs, type StepRow, timelineOf} from './timeline.js'
import {timelineMarkup} from './timeline-svg.js'

export interface RunPage {
  readonly command: string
  /** None where the log of the run is gone. */
  readonly events: readonly TimedEvent[]
  /** Programs and images of the node. */
  readonly installed: readonly {readonly digest: string; readonly name: string; readonly version: string}[]
  readonly log?: string | undefined
  readonly needs: Needs
  /** Undefined where the run has left none: it is in progress, or was killed. */
  readonly result?: RunResultDocument | undefined
  readonly simulated: boolean
  /** Of a run that has left none; absent where its result cannot be read. `holder`: who started it. */
  readonly unfinished?: {readonly holder: string; readonly isRunning: boolean} | undefined
  /** Of k8s-win. */
  readonly version: string
}

/** How every page begins, by which it is recognised. */
export const PAGE_BEGINNING = '<!doctype html>\n<html lang="en"><head><meta name="generator" content="k8s-win'
const MOST_BYTES = 150_000
/** How many entries of a list, and letters of a text, a page has: fewer where it would be too large. */
const ROOMS = [
  [Infinity, Infinity],
  [200, 1000],
  [50, 200],
  [20, 40],
  [8, 20],
] as const

export function runPage(run: RunPage): string {
  const model = modelOf(run)
  let page = ''
  for (const [entries, letters] of ROOMS) {
    const shown = shortened(model, entries, letters)
    // No page is shorter than what it shows, and making a huge one takes time.
    if (JSON.stringify(shown).length > 2 * MOST_BYTES) continue
    page = PAGE_BEGINNING + pageMarkup(shown, entries < Infinity).text
    if (page.length <= MOST_BYTES) break
  }
  return page
}

function shortened<T>(value: T, entries: number, letters: number): T {
  const shorten = (one: unknown): unknown => {
    if (typeof one === 'string') return truncate(one, letters)
    if (Array.isArray(one)) return one.slice(0, entries).map((part) => shorten(part))
    if (typeof one !== 'object' || one === null) return one
    return Object.fromEntries(Object.entries(one).map(([key, part]) => [key, shorten(part)]))
  }
  return shorten(value) as T
}

/** Times are unknown where it did not run, or the log is gone. */
type ShownStep = Partial<StepRow> & Pick<StepRow, 'id' | 'label' | 'parts'>
type Model = ReturnType<typeof modelOf>

/** Everything that the page shows. Numbers are of the whole, however much of it is shown. */
function modelOf(run: RunPage) {
  const {events, needs, result, unfinished} = run
  const timeline = timelineOf(events, needs, result)
  // A plan has no times: nothing was done.
  const rows = result?.outcome === 'planned' ? [] : timeline.rows
  const others = (result?.steps ?? []).filter(({id}) => rows.every((row) => row.id !== id))
  const checks = result?.checks ?? events.flatMap((event) => (event.type === 'check' ? [event.check] : []))
  const tally: CheckTally = {fail: 0, 'not-checked': 0, pass: 0, warn: 0}
  for (const check of checks) tally[check.result] += 1
  const path = rows.filter(({isCritical}) => isCritical).map(({from, label, to}) => `${label} ${duration(to - from)}`)
  return {
    ...run,
    ...timeline,
    result: undefined,
    summary: result?.summary ?? [],
    verdict: result ? verdictLine(result) : unfinishedText(run),
    checks,
    errors: result ? errorsOf(result) : [],
    events: [],
    facts: factsOf(run, timeline),
    outcome: result?.outcome ?? (unfinished ? (unfinished.isRunning ? 'in progress' : 'killed') : 'unknown'),
    path: path.join(' \u2192 '),
    rows,
    steps: [...rows, ...others.map((step): ShownStep => ({id: step.id, label: step.title, parts: [], result: step}))],
    tally,
  }
}

function factsOf({log, result}: RunPage, {startedAt, totalMs}: {startedAt: number | undefined; totalMs: number}) {
  const {node, upgrade} = result ?? {}
  return Object.entries({
    Node: node && `${node.name} (${node.ready ? 'Ready' : 'not Ready'})`,
    Address: node?.ip,
    'Pod network': node?.podCIDR,
    Kubernetes: upgrade && `${upgrade.from} \u2192 ${upgrade.to}`,
    Started:
      startedAt === undefined ? undefined : `${new Date(startedAt).toISOString().slice(0, 19).replace('T', ' ')} UTC`,
    [result ? 'Took' : 'Known until']: duration(totalMs),
    'Exit code': result && String(result.exitCode),
    Steps: result && recapLine(result),
    Log: log,
  }).flatMap(([name, value]) => (value === undefined || value === '' ? [] : [{name, value}]))
}

const COLOURS: Readonly<Record<string, string>> = {
  changed: 'good',
  done: 'good',
  failed: 'bad',
  'in progress': 'info',
  interrupted: 'warn',
  killed: 'bad',
  planned: 'info',
  'restart-required': 'warn',
  'would-change': 'info',
} satisfies Partial<Record<RunResultDocument['outcome'] | StepResult['state'] | 'in progress' | 'killed', string>>

const badge = (state: string, kind = 'plain'): Markup =>
  markup`<span class="${kind} ${COLOURS[state] ?? 'idle'}">${state}</span>`

function pageMarkup(model: Model, isCut: boolean): Markup {
  const {command, outcome, simulated, summary, verdict, version} = model
  const title = `k8s-win ${command}`
  return markup` ${version}"/><meta charset="utf-8"/><meta name="viewport" content="width=device-width,initial-scale=1"/><meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;"/>
<title>${title}: ${outcome}</title>
${PAGE_STYLE}</head><body><main>
<h1>${title}${badge(outcome, 'state')}</h1>
${simulated ? markup`<p class="soft">On a simulated Windows Server: this is not about a real machine.</p>` : ''}
${isCut ? markup`<p class="warn">Long lists and texts are cut, so that this page stays small. The log has everything.</p>` : ''}
<p>${verdict}</p>
${model.errors.map(
  ({cause, command: fixing, fix, id, message}) =>
    markup`<div class="note bad"><p><strong>Error ${id}:</strong> ${message}</p><p><strong>Cause:</strong> ${cause}</p><p><strong>Fix:</strong> ${fix}</p>${fixing === null ? '' : markup`<pre>${fixing}</pre>`}</div>`,
)}
<dl>${model.facts.map(({name, value}) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${section('Plan', summary, markup`<ul>${summary.map((line) => markup`<li>${line}</li>`)}</ul>`)}
${timelineSection(model)}
${section(
  'Tries, warnings and notices',
  model.notes,
  table(['After (s)', 'Step', 'Message'], model.notes, ({at, label, text}) => [seconds(at), label, text]),
)}
${stepsSection(model)}
${checksSection(model)}
${section(
  'Versions and digests',
  model.installed,
  table(['Program or image', 'Version', 'Digest'], model.installed, ({digest, name, version: installed}) => [
    name,
    installed,
    markup`<code>${digest}</code>`,
  ]),
)}
</main><footer>Made by k8s-win ${version}. Known secrets, and values that look like one, are replaced by ***. This page loads nothing and runs no script.</footer></body></html>
`
}

function unfinishedText({command, unfinished}: RunPage): string {
  if (!unfinished) return `The result of this ${command} cannot be read: the page shows what its log has.`
  const {holder, isRunning} = unfinished
  if (isRunning)
    return `This ${command} is in progress: the page shows what it has done so far.${holder && ` It is ${holder}`}`
  return `This ${command} was killed, or Windows went down: it left no result. Run the same command again to resume it.${holder && ` It was ${holder}`}`
}

function timelineSection({command, interruptions, outcome, path, rows, totalMs}: Model): Part {
  if (outcome === 'planned') return ''
  if (rows.length === 0)
    return markup`<section><h2>Timeline</h2><p>Not available: the log of this run has no steps, or cannot be read.</p></section>`
  const cuts = interruptions.map(({from, text}) => `After ${duration(from)}: ${text}.`)
  const summary = `${count(rows.length, 'row')} in ${duration(totalMs)}. Critical path: ${path}. ${cuts.join(' ')} The table of steps has the same numbers.`
  const title = `Timeline of k8s-win ${command}`
  return markup`<section><h2>Timeline</h2><div class="wide">${timelineMarkup(rows, {interruptions, summary, title, totalMs})}</div>
<p><span class="path">Critical path:</span> ${path}</p>
${cuts.map((cut) => markup`<p>${cut} Windows creates or removes the virtual switch of the overlay network then.</p>`)}</section>`
}

function stepsSection({outcome, steps}: Model): Part {
  const title = outcome === 'planned' ? 'What would change' : 'Steps and changes'
  return section(
    title,
    steps,
    table(['Step', 'State', 'Began (s)', 'Took (s)', 'What it did'], steps, (step: ShownStep) => {
      const {from, id, isCritical, label, parts, result, to} = step
      const {changes = [], durationMs, error, state} = result ?? {}
      const done = parts.filter(({text}) => text !== label)
      return [
        markup`${label}<br/><code class="soft">${id}</code>${isCritical ? markup`<br/><span class="path">critical path</span>` : ''}`,
        state === undefined ? '' : badge(state),
        from === undefined ? '' : seconds(from),
        seconds(durationMs ?? (to ?? 0) - (from ?? 0)),
        [
          error ? markup`<div class="bad">${error.id}: ${error.message}</div>` : '',
          done.map((part) => markup`<div>${part.text}: ${seconds(part.to - part.from)} s</div>`),
          changes.length === 0
            ? ''
            : markup`<details><summary>${count(changes.length, 'change')}</summary>${changes.map((change) => markup`<pre>${change}</pre>`)}</details>`,
        ],
      ]
    }),
  )
}

/** What passed is folded. */
function checksSection({checks, tally}: Model): Part {
  const rowsOf = (isOpen: boolean): readonly CheckResult[] =>
    checks.filter(({result}) => ['fail', 'warn'].includes(result) === isOpen)
  const tableOf = (of: readonly CheckResult[]): Part =>
    of.length === 0
      ? ''
      : table(['Check', 'Result', 'Took (s)', 'Message'], of, ({durationMs, fix, id, message, result, title}) => [
          markup`${title}<br/><code class="soft">${id}</code>`,
          markup`<span class="${MARKS[result]}">${result}</span>`,
          seconds(durationMs),
          [message, fix === undefined ? '' : markup`<br/><strong>Fix:</strong> ${fix}`],
        ])
  return section('Checks', checks, [
    markup`<p>${tallyText(tally)}</p>`,
    tableOf(rowsOf(true)),
    markup`<details><summary>Passed and not checked</summary>${tableOf(rowsOf(false))}</details>`,
  ])
}

const section = (title: string, list: readonly unknown[], content: Part): Part =>
  list.length === 0 ? '' : markup`<section><h2>${title}</h2>\n${content}</section>\n`

const table = <T>(heads: readonly string[], list: readonly T[], cells: (one: T) => readonly Part[]): Markup =>
  markup`<div class="wide"><table><thead><tr>${heads.map((head) => markup`<th scope="col">${head}</th>`)}</tr></thead><tbody>
${list.map((one) => markup`<tr>${cells(one).map((cell, index) => (index === 0 ? markup`<th scope="row">${cell}</th>` : markup`<td>${cell}</td>`))}</tr>\n`)}</tbody></table></div>`

const seconds = (ms: number): string => (ms / 1000).toFixed(1)
