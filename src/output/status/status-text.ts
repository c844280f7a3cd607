// The text of status: one line per part, then the problems with their fixes, and the verdict.
import {type HandedOverRun, type OpenRun, problemText, type StatusDocument} from '../../pipeline/run/status-report.js'
import type {Screen} from '../screen.js'
import {duration} from '../text/figures.js'
import {pausedText} from '../text/pause-text.js'
import {count, hanging, problemLines} from '../text/problems.js'
import {truncate, wrap} from '../text/text-shape.js'
import {statusRows, type StatusRow} from './status-rows.js'

const LABEL_COLUMNS = 10

export function statusLines(document: StatusDocument, screen: Screen, isWide = false): string[] {
  const {handedOver, launcher, paused} = document
  const open = [
    ...(launcher ? [openRunText(launcher)] : []),
    ...(handedOver ? [handedOverText(handedOver)] : []),
    ...(paused ? [pausedText(paused)] : []),
  ].flatMap((text) => hanging(`${screen.theme.symbols.warn} `, text, screen, screen.theme.warn))
  if (document.verdict === 'not set up') return [...open, ...trouble(document, screen)]
  return [
    ...statusRows(document).flatMap((row) => partLines(row, screen)),
    ...(isWide ? ['', ...detailLines(document, screen)] : []),
    '',
    ...open,
    ...trouble(document, screen),
  ]
}

/** "setup, started by ssm, waits for a restart of Windows: RESTART_REQUIRED (restarts left: 2)" */
function openRunText(run: OpenRun): string {
  const {active, attemptsLeft, command, error, exitCode, name, outcome, restartsLeft} = run
  const by = name === 'none' ? '' : `, started by ${name},`
  if (outcome === 'unfinished')
    return active
      ? `Open run: ${command}${by} has not finished yet (a run is active)`
      : `Open run: ${command}${by} did not finish: it was killed, or Windows was shut down (run the same command again)`
  if (outcome === 'restart-required')
    return `Open run: ${command}${by} waits for a restart of Windows: ${error} (restarts left: ${restartsLeft})`
  const ended = outcome === 'interrupted' ? 'was interrupted' : `failed with exit code ${exitCode}: ${error}`
  const next = attemptsLeft > 0 ? `tries left: ${attemptsLeft}` : 'it is not started again by itself'
  return `Open run: ${command}${by} ${ended} (${next})`
}

/** "Open run: the service k8s-win-run continues setup. Follow it with k8s-win attach" */
function handedOverText({command, state}: HandedOverRun): string {
  return state === 'running'
    ? `Open run: the service k8s-win-run continues ${command}; follow it with "k8s-win attach"`
    : `Open run: the service k8s-win-run continues ${command} when Windows starts the next time`
}

/** As much as fits into a window: at least the first problems and the verdict. */
export function fittedLines(
  document: StatusDocument,
  screen: Screen,
  {isWide, room}: {readonly isWide: boolean; readonly room: number},
): string[] {
  const {theme, width} = screen
  const rows = document.verdict === 'not set up' ? [] : statusRows(document)
  const parts = (some: readonly StatusRow[]): string[] =>
    some.map((row) => {
      const [line = '', ...more] = partLines(row, {...screen, width: width - theme.ellipsis.length - 1})
      return more.length > 0 ? `${line} ${theme.ellipsis}` : line
    })
  const short = shortTrouble(document, screen).map((line) => truncate(line, width, theme.ellipsis))
  const verdict = verdictLines(document, screen)
  const fitting = [
    statusLines(document, screen, isWide),
    statusLines(document, screen),
    [...parts(rows), '', ...trouble(document, screen)],
    [...parts(rows), '', ...short, '', ...verdict],
    [...parts(rows), ...short, ...verdict],
    [...parts(rows.filter(({mark}) => mark !== 'good')), '', ...short, '', ...verdict],
    [...short, ...verdict],
  ].find((lines) => lines.length <= room)
  if (fitting) return fitting
  const first = short.slice(0, Math.max(0, room - verdict.length - 1))
  return [...first, `(${count(short.length - first.length, 'more line')}: k8s-win status)`, ...verdict].slice(-room)
}

/** The problems in a few long lines. */
function shortTrouble({problems, notChecked, warnings}: StatusDocument, {clean, theme}: Screen): string[] {
  const {bad, warn} = theme.symbols
  const roots = problems.filter(({explainedBy}) => explainedBy === undefined)
  return [
    ...roots.flatMap((problem) => [
      `${bad} ${clean(`Error: ${problemText(problem)} (${problem.id})`)}`,
      `  ${clean(`Fix: ${problem.next.replaceAll('\n', ' ')}`)}`,
    ]),
    ...notChecked.map(({what, why}) => `${warn} ${clean(`Not checked: ${what}: ${why}`)}`),
    ...warnings.map((text) => `${warn} ${clean(`Warning: ${text}`)}`),
  ]
}

/** The problems and the verdict. */
function trouble(document: StatusDocument, screen: Screen): string[] {
  const {notices, problems, notChecked, warnings} = document
  const {theme} = screen
  return [
    ...problemLines(problems, screen),
    ...notChecked.flatMap(({what, why}) =>
      hanging(`${theme.symbols.warn} `, `Not checked: ${what}: ${why}`, screen, theme.warn),
    ),
    ...warnings.flatMap((text) => hanging(`${theme.symbols.warn} `, `Warning: ${text}`, screen, theme.warn)),
    ...notices.flatMap((text) => hanging(`${theme.symbols.idle} `, `Notice: ${text}`, screen, theme.dim)),
    ...(notChecked.length + notices.length + warnings.length > 0 ? [''] : []),
    ...verdictLines(document, screen),
  ]
}

function partLines({label, mark, text}: StatusRow, screen: Screen): string[] {
  const {theme} = screen
  const shown = mark === 'not-checked' ? 'warn' : mark
  return hanging(`${theme.symbols[shown]} ${label.padEnd(LABEL_COLUMNS)} `, text, screen, theme[shown])
}

const detailLines = (document: StatusDocument, screen: Screen): string[] =>
  statusDetails(document).flatMap((text) => wrap(screen.clean(text), screen.width, '    '))

function verdictLines(document: StatusDocument, screen: Screen): string[] {
  const {theme} = screen
  const {durationMs, exitCode, problems, notChecked, verdict} = document
  const took = duration(durationMs)
  const roots = problems.filter(({explainedBy}) => explainedBy === undefined).length
  const rest = problems.length - roots
  const counted = [
    count(roots, 'problem'),
    ...(rest === 0 ? [] : [`${rest} that ${rest === 1 ? 'depends' : 'depend'} on ${roots === 1 ? 'it' : 'them'}`]),
    ...(notChecked.length === 0 ? [] : [`${notChecked.length} not checked`]),
  ]
  const [paint, text] = {
    degraded: [theme.bad, `Degraded: ${counted.join(', ')} (exit code ${exitCode}, ${took})`] as const,
    healthy: [theme.good, `Healthy; the pod network was not tested (${took})`] as const,
    'not set up': [theme.bad, `Not set up (exit code ${exitCode})`] as const,
    unknown: [
      theme.warn,
      `Unknown: no problem found, but ${count(notChecked.length, 'thing')} could not be checked (exit code ${exitCode}, ${took})`,
    ] as const,
  }[verdict]
  return wrap(text, screen.width).map((line) => paint(line))
}

/** What --output wide adds: every part in full, one object per line. */
function statusDetails(document: StatusDocument): string[] {
  const {drift, firewall, identities, images, network, node, programs, runtime, services} = document
  return [
    `base directory: ${document.baseDir}, Kubernetes ${document.release}`,
    ...(node ? [`API server: ${node.server}`] : []),
    ...(node && node.readyMessage !== '' ? [`node: ${node.readyMessage}`] : []),
    ...(identities ?? []).map(
      ({file, usedBy, validUntil}) =>
        `kubeconfig: ${file}, of ${usedBy.join(', ')}, valid until ${validUntil ?? 'unknown'}`,
    ),
    // With containerd the service is one of the node's own, below.
    ...(runtime?.running && runtime.name === 'docker'
      ? [`docker: API ${runtime.apiVersion}, service ${runtime.service}`]
      : []),
    ...services.map(
      ({exitCode, name, processId, serviceExitCode, since, startType}) =>
        `${name}: process ${processId || 'none'}, since ${since ?? 'unknown'}, start ${startType}, exit codes ${exitCode} and ${serviceExitCode}`,
    ),
    ...(network?.present
      ? [
          `network: HNS id ${network.id}, type ${network.type}, host ${network.managementIP || 'unknown'}, lease ${network.subnetEnv ?? 'none'}`,
        ]
      : []),
    ...(firewall ?? []).map(({name, state}) => `firewall: "${name}" ${state}`),
    ...(programs ?? []).map(({path, state, version}) => `program: ${path} ${version} ${state}`),
    ...(images ?? []).map(
      ({digest, id, osVersion, reference, state}) =>
        `image: ${reference} ${state} ${osVersion} ${id.slice(0, 19)}${digest && ` pulled as ${digest}`}`,
    ),
    ...(drift ?? []).map(
      ({evidence, state, step}) => `step ${step}: ${state.replace('-checked', ' checked')}: ${evidence.join('; ')}`,
    ),
  ]
}
