// The parts of docs/ that are made from the program itself: whole pages, and tables and contents between comments.
import {EXIT_CODES} from './src/cli/exit-codes.js'
import {powershellName} from './src/cli/arguments/powershell-arguments.js'
import {GROUP_OF, GROUPS, SMOKE_CHECK_IDS} from './src/config/check-ids.js'
import {ALL_OPTIONS, environmentVariable} from './src/config/options/options.js'
import {ERROR_TOPICS, ERRORS} from './src/errors/catalogue.js'
import {CHECKS} from './src/preflight/index.js'
import {CHECK_LIMITS} from './check-limits.js'
import {rightsTable} from './check-rights.js'
import {NODE_CHECKS, REPORTING_CHECKS} from './src/health/health-checks.js'
import {TITLES as SMOKE_TITLES} from './src/runs/verify/verdicts.js'
import {SIGNATURES} from './src/signatures/index.js'

/** The list of sections, between its comments. */
export function withContents(page: string): string {
  const sections = [...page.replaceAll(/^```[^]*?^```/gm, '').matchAll(/^## (.+)$/gm)].map(([, title = '']) => title)
  const list = sections.map((title) => `- [${title}](#${anchorOf(title)})`).join('\n')
  return page.replace(
    /<!-- contents -->[^]*?<!-- contentsstop -->/,
    () => `<!-- contents -->\n\n${list}\n\n<!-- contentsstop -->`,
  )
}

/** As GitHub makes it from a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

/** The table of options, between its comments. */
export function withOptions(page: string): string {
  const rows = ALL_OPTIONS.map((option) => {
    const initial =
      option.default === undefined ? (option.absent ?? '').replaceAll('<', '&lt;') : `\`${option.default}\``
    const key = option.key === undefined ? '–' : `\`${option.key}\``
    const spellings =
      option.kind === 'fields'
        ? ['–', '–', '–']
        : [`--${option.flag}`, powershellName(option.flag), option.typed ? '' : environmentVariable(option.flag)].map(
            (one) => (one === '' ? '–' : `\`${one}\``),
          )
    return `| ${[...spellings, key, initial].join(' | ')} |`
  })
  const table = [
    '| flag | PowerShell | environment | key in the file | default |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ]
  return page.replace(
    /<!-- options -->[^]*<!-- optionsstop -->/,
    () => `<!-- options -->\n\n${table.join('\n')}\n\n<!-- optionsstop -->`,
  )
}

/** The table of exit codes, between its comments. */
export function withExitCodes(page: string): string {
  const rows = EXIT_CODES.map(([code, when]) => `| ${code} | ${when.replaceAll(/--[a-z-]+/g, '`$&`')} |`)
  const table = ['| code | when |', '| --- | --- |', ...rows].join('\n')
  return page.replace(
    /<!-- exitcodes -->[^]*<!-- exitcodesstop -->/,
    () => `<!-- exitcodes -->\n\n${table}\n\n<!-- exitcodesstop -->`,
  )
}

/** Who makes a check. */
const MAKERS = {
  node: 'status and doctor, on a node',
  setup: 'setup and doctor',
  verify: 'verify, and setup at its end',
} as const

export function checks(): string {
  const rows = [
    ...CHECKS.map((check) => ({...check, by: MAKERS.setup})),
    ...REPORTING_CHECKS.map((check) => ({...check, by: MAKERS.node})),
    ...NODE_CHECKS.map((check) => ({...check, by: 'doctor, on a node'})),
  ]
  const groups = Object.entries(GROUPS).map(
    ([group, title]) => [title, rows.filter(({id}) => GROUP_OF[id] === group)] as const,
  )
  const fromPods = SMOKE_CHECK_IDS.map((id) => ({by: MAKERS.verify, id, title: SMOKE_TITLES[id]}))
  const sections = [...groups, ['From a pod', fromPods] as const].flatMap(([title, list]) => [
    `## ${title}`,
    [
      '| ID | check | passes if | otherwise | made by |',
      '| --- | --- | --- | --- | --- |',
      ...list.map(({by, id, title: what}) => {
        const [passes, errors] = CHECK_LIMITS[id]
        const links = errors?.split(' ').map((error) => `[${error}](errors.md#${anchorOf(error)})`)
        return `| \`${id}\` | ${what} | ${passes} | ${links?.join('<br>') ?? 'a warning'} | ${by} |`
      }),
    ].join('\n'),
  ])
  return page(
    '# Checks',
    'A check asks one question about the host, the node or the cluster, and changes nothing. Setup makes its checks at the same time, before it changes anything: all problems are reported together, each with its fix, and setup ends with exit code 3, or 10 if a restart of Windows is all that is needed.',
    '`setup --ignore-check <id>` downgrades a failed check of setup, or one from a pod, to a warning. `k8s-win explain <id>` explains a check. "Passes if" has the limits; an error that other checks meet too, such as a cluster that cannot be reached, is named at the check that reports it.',
    '<!-- contents -->\n<!-- contentsstop -->',
    ...sections,
    '## By ID',
    byLetter(
      [...groups, ['From a pod', fromPods] as const].flatMap(([title, list]) =>
        list.map(({id}) => [id, title] as const),
      ),
    ),
    '## What the checks need in the cluster',
    'The checks of this table ask the API server for more than its version. They do so with the identity of the kubelet, or with the one named in brackets. "A node" is an identity in the group `system:nodes` on an API server with the Node authorizer, as every node that joined with a token is; "node-access" are the objects of `k8s-win manifest node-access`, which an administrator applies once per cluster.',
    'What a node may not do is never a failure by itself: it is reported as not checked, or as a warning with the command for an administrator.',
    [
      '| checks | ask for | may a node? | without it |',
      '| --- | --- | --- | --- |',
      ...rightsTable().map((row) => `| ${row.join(' | ')} |`),
    ].join('\n'),
  )
}

export function errors(): string {
  const byId = [...ERRORS].sort((a, b) => (a.id < b.id ? -1 : 1))
  const topics = Object.entries(ERROR_TOPICS).map(([topic, list]) => [topic, list.map(({id}) => id).sort()] as const)
  const sections = byId.map((definition) => {
    const {cause, exitCode, fix, message} = definition.describe()
    const again = definition.isTransient ? '. It may pass with time: a launcher may run the command again' : ''
    const rows = [`- Exit code: ${exitCode}${again}`, `- Cause: ${cause}`, `- Fix: ${fix}`]
    return [`## ${definition.id}`, `**${message}**`, rows.join('\n')].join('\n\n').replaceAll('<', '&lt;')
  })
  return page(
    '# Errors',
    'Every error of k8s-win: an index by topic, one by ID, and then exit code, cause and fix of each in the order of the IDs. `k8s-win explain <ID>` shows the same. Words in angle brackets stand for values that the message contains.',
    'Exit code 3 promises that nothing was changed: the same error ends with 5 once a step of setup has begun, and with 6 in its last check. All numbers are in [exit codes](exit-codes.md).',
    indexOf('topic', topics),
    byLetter(byId.map(({id}) => [id, id])),
    ...sections,
  )
}

export function signatures(): string {
  const places = [...new Set(SIGNATURES.map(({seenIn: [first = '']}) => first))]
  const sections = SIGNATURES.map(({cause, fix, id, onlyAtTheEnd, pattern, seenIn, sources}) =>
    [
      `## ${id}`,
      '',
      `- Seen in: ${seenIn.join(', ')}${onlyAtTheEnd ? ', only as the last line' : ''}`,
      `- Pattern: \`\` ${pattern.source} \`\``,
      `- Cause: ${cause.replaceAll('<', '&lt;')}`,
      `- Fix: ${fix.replaceAll('<', '&lt;')}`,
      `- Source: ${sources.join(', ')}`,
    ].join('\n'),
  )
  return page(
    '# Known failures',
    'What `k8s-win status`, `k8s-win doctor` and a failed setup recognise in the logs of the daemons, in the responses of Docker and the Host Networking Service (hns), and in error codes of the service manager. Patterns match the message of a log line, without its timestamp and source position. Codes are preferred to words, because Windows translates its messages.',
    'The index names each of them once, under the first place where it is seen.',
    indexOf(
      'seen in',
      places.map((place) => [place, SIGNATURES.flatMap(({id, seenIn: [first]}) => (first === place ? id : []))]),
    ),
    ...sections,
  )
}

/** Links to the sections of a page, by topic. */
const indexOf = (kind: string, topics: readonly (readonly [topic: string, ids: readonly string[]])[]): string =>
  [
    `| ${kind} | IDs |`,
    '| --- | --- |',
    ...topics.map(([topic, ids]) => `| ${topic} | ${ids.map((id) => `[${id}](#${anchorOf(id)})`).join('<br>')} |`),
  ].join('\n')

/** Links to the sections that IDs are in, in the order of the IDs, a row for each first letter. */
function byLetter(places: readonly (readonly [id: string, section: string])[]): string {
  const sorted = [...new Map(places)].sort(([a], [b]) => (a < b ? -1 : 1))
  const letters = [...new Set(sorted.map(([id]) => id.charAt(0)))]
  const rows = letters.map((letter) => {
    const links = sorted.filter(([id]) => id.startsWith(letter)).map(([id, title]) => `[${id}](#${anchorOf(title)})`)
    return `| ${letter} | ${links.join('<br>')} |`
  })
  return ['| begins with | IDs |', '| --- | --- |', ...rows].join('\n')
}

const page = (...parts: readonly string[]): string => `${parts.join('\n\n')}\n`
