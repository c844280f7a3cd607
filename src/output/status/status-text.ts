// The status of a node as people read it: a line for each part, then what is not right and what to do, the verdict last.
import type {StatusDocument} from '../../pipeline/run/status-report.js'
import type {Screen} from '../screen.js'
import {duration} from '../text/figures.js'
import {count, hanging, problemLines} from '../text/problems.js'
import {wrap} from '../text/text-shape.js'
import {statusRows, type StatusRow} from './status-rows.js'

const LABEL_COLUMNS = 10

export function statusLines(document: StatusDocument, screen: Screen, isWide = false): string[] {
  if (document.verdict === 'not set up') return trouble(document, screen)
  return [
    ...partLines(document, screen),
    ...(isWide ? ['', ...detailLines(document, screen)] : []),
    '',
    ...trouble(document, screen),
  ]
}

/** Only what is not right, and the verdict: for a window that has no room for more. */
export function trouble(document: StatusDocument, screen: Screen): string[] {
  const {problems, unseen, warnings} = document
  const {theme} = screen
  return [
    ...problemLines(problems, screen),
    ...unseen.flatMap(({what, why}) =>
      hanging(`${theme.symbols.warn} `, `Not checked: ${what}: ${why}`, screen, theme.warn),
    ),
    ...warnings.flatMap((text) => hanging(`${theme.symbols.warn} `, `Warning: ${text}`, screen, theme.warn)),
    ...(unseen.length + warnings.length > 0 ? [''] : []),
    ...verdictLines(document, screen),
  ]
}

function partLines(document: StatusDocument, screen: Screen): string[] {
  const {theme} = screen
  const paint = {bad: theme.bad, good: theme.good, unseen: theme.warn}
  const symbol = {bad: theme.symbols.bad, good: theme.symbols.good, unseen: theme.symbols.warn}
  return statusRows(document).flatMap(({label, mark, text}: StatusRow) =>
    hanging(`${symbol[mark]} ${label.padEnd(LABEL_COLUMNS)} `, text, screen, paint[mark]),
  )
}

const detailLines = (document: StatusDocument, screen: Screen): string[] =>
  statusDetails(document).flatMap((text) => wrap(screen.clean(text), screen.width, '    '))

function verdictLines(document: StatusDocument, screen: Screen): string[] {
  const {theme} = screen
  const {durationMs, exitCode, problems, unseen, verdict} = document
  const took = duration(durationMs)
  const roots = problems.filter(({explainedBy}) => explainedBy === undefined).length
  const counted = [
    count(roots, 'problem'),
    ...(roots === problems.length ? [] : [`${problems.length - roots} that depend on ${roots === 1 ? 'it' : 'them'}`]),
    ...(unseen.length === 0 ? [] : [`${unseen.length} not checked`]),
  ]
  const [paint, text] = {
    degraded: [theme.bad, `Degraded: ${counted.join(', ')} (exit code ${exitCode}, ${took})`] as const,
    healthy: [theme.good, `Healthy: everything was checked and is as setup left it (${took})`] as const,
    'not set up': [theme.bad, `Not set up (exit code ${exitCode})`] as const,
    unknown: [
      theme.warn,
      `Unknown: no problem found, but ${count(unseen.length, 'thing')} could not be checked (exit code ${exitCode}, ${took})`,
    ] as const,
  }[verdict]
  return wrap(text, screen.width).map((line) => paint(line))
}

/** What --output wide adds: the same parts in full, one thing per line. */
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
    ...(runtime?.running ? [`docker: API ${runtime.apiVersion}, service ${runtime.service}`] : []),
    ...services.map(
      ({exitCode, name, processId, serviceExitCode, startType}) =>
        `${name}: process ${processId || 'none'}, start ${startType}, exit codes ${exitCode} and ${serviceExitCode}`,
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
    ...(drift ?? []).map(({evidence, state, step}) => `step ${step}: ${state}: ${evidence.join('; ')}`),
  ]
}
