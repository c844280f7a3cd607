// summary.txt: what a colleague reads first. Problems, the known failures that the logs show, where to look.
import {DAEMONS} from '../config/daemons.js'
import {type ComplainedFile, recogniseAll, type Signature, type SignatureSource} from '../signatures/index.js'
import type {Failure, LeftOut} from './collector.js'
import type {Rendered} from './assemble.js'

export interface Opinion {
  /** Each in a line or a few. */
  readonly problems: readonly string[]
  /** "status: degraded (exit code 8)" */
  readonly verdict: string
}

export interface SummaryFacts {
  readonly at: string
  readonly baseDir: string
  readonly failed: readonly Failure[]
  readonly leftOut: readonly LeftOut[]
  readonly madeBy: string
  readonly node: string
  readonly opinions: readonly Opinion[]
  readonly rendered: readonly Rendered[]
  readonly warnings: readonly string[]
}

/** Only the newest lines: an old failure may be over. */
const LATEST = 256 * 1024
const SOURCES: readonly (readonly [folder: string, sources: readonly SignatureSource[]])[] = DAEMONS.flatMap(
  ({formerNames, program, service}) =>
    [service, ...formerNames].map((name) => [`logs/${name}/`, [program, 'hns']] as const),
)

export interface Recognised {
  readonly path: string
  readonly signature: Signature
}

/** Files whose absence a failure may report; those in the bundle existed when it was made. */
const COMPLAINED: readonly ComplainedFile[] = ['10-flannel.conflist', 'cni.conf', 'subnet.env']

/** Each known failure once, with the newest log that shows it: logs come newest first. */
export function recogniseIn(rendered: readonly Rendered[]): Recognised[] {
  const found = new Map<string, Recognised>()
  const there = COMPLAINED.filter((name) => rendered.some(({path}) => path === `configuration/${name}`))
  for (const [folder, sources] of SOURCES) {
    for (const {path, text} of rendered.filter((one) => one.path.startsWith(folder))) {
      for (const signature of sources.flatMap((source) => recogniseAll(text.slice(-LATEST), source, there))) {
        if (!found.has(signature.id)) found.set(signature.id, {path, signature})
      }
    }
  }

  return [...found.values()]
}

const NODE: Readonly<Record<string, string>> = {
  absent: 'no node is set up here',
  begun: 'setup was started here and did not finish',
  'set-up': 'a node is set up here',
  unknown: 'the stored configuration could not be read',
}

export function summaryText(facts: SummaryFacts): string {
  const known = recogniseIn(facts.rendered)
  return [
    'k8s-win support bundle',
    '======================',
    '',
    `Made by         ${facts.madeBy}`,
    `Made at         ${facts.at}`,
    `Base directory  ${facts.baseDir}`,
    `Node            ${NODE[facts.node] ?? facts.node}`,
    ...facts.opinions.map(({verdict}) => `Verdict         ${verdict}`),
    '',
    ...section('Problems', [...facts.warnings, ...facts.opinions.flatMap(({problems}) => problems)], 'None found.'),
    ...section(
      'Known failures in the newest lines of the logs (some may be resolved)',
      known.map(({path, signature}) =>
        [`${signature.id} (${path})`, `Cause: ${signature.cause}`, `Fix: ${signature.fix}`].join('\n'),
      ),
      'None found.',
    ),
    ...section(
      'Not collected',
      facts.failed.map(({collector, reason}) => `${collector}: ${reason}`),
      'Everything was collected.',
    ),
    ...section(
      'Left out',
      [
        ...facts.rendered.flatMap(({cut, path}) => (cut === undefined ? [] : [`of ${path}: ${cut}`])),
        ...facts.leftOut.map(({bytes, path, reason}) => `${path} (${bytes} bytes): ${reason}`),
      ],
      'Nothing was left out.',
    ),
    ...WHERE,
    '',
  ].join('\n')
}

function section(title: string, entries: readonly string[], none: string): string[] {
  const lines = entries.map((entry) => `- ${entry.trim().replaceAll('\n', '\n  ')}`)
  return [title, '-'.repeat(title.length), ...(lines.length === 0 ? [none] : lines), '']
}

const WHERE = [
  'Where to look',
  '-------------',
  'status.json, doctor.json   the reports of k8s-win status and k8s-win doctor',
  "configuration/             node.yaml, the daemons' configuration, kubeconfigs without their secrets",
  'state/                     what setup created (journal), the result of the last run, the files in the base directory',
  `logs/                      ${[...DAEMONS.map(({program}) => program), 'k8s-win'].join(', ')}; the newest part of each`,
  'windows/                   system, updates, services, firewall, environment, event logs',
  'network/, hns/             adapters, routes, neighbours, ports; networks, endpoints, policy lists',
  'docker/ or containerd/     the runtime, its images and containers',
  'cluster/                   the node as the API server has it',
  'manifest.json              every file with its size and SHA-256, what failed, what was cut',
  '',
  'Known tokens, keys and passwords, and text that looks like one, are replaced by ***. Names, addresses and paths are not.',
]
