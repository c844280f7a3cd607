// Writes what is made from the program itself: manifest, docs/. With --check it only reports what is stale.
import {execFileSync} from 'node:child_process'
import {mkdir, readFile, writeFile} from 'node:fs/promises'
import {fileURLToPath} from 'node:url'
import {format, resolveConfig} from 'prettier'
import {EXIT_CODES} from './src/cli/exit-codes.js'
import {powershellName} from './src/cli/powershell-arguments.js'
import {SMOKE_CHECK_IDS} from './src/config/check-ids.js'
import {environmentVariable, OPTIONS} from './src/config/options.js'
import {configSchema} from './src/config/schema.js'
import {ERRORS} from './src/errors/catalogue.js'
import {CHECKS} from './src/preflight/index.js'
import {rightsTable} from './check-rights.js'
import {NODE_CHECKS, REPORTING_CHECKS} from './src/health/health-checks.js'
import {TITLES as SMOKE_TITLES} from './src/runs/verify/verdicts.js'
import {SIGNATURES} from './src/signatures/index.js'
import {screens} from './test/readme/screens.js'

const root = new URL('.', import.meta.url)
const oclif = fileURLToPath(new URL('node_modules/oclif/bin/run.js', root))

/** A fixed width, no colours, no request for a newer oclif. */
const ENVIRONMENT = {NO_COLOR: '1', NODE_ENV: 'production', OCLIF_COLUMNS: '100', OCLIF_SKIP_NEW_VERSION_CHECK: 'true'}

const README_ARGUMENTS = ['readme', '--no-source-links', '--no-aliases', '--readme-path', 'docs/commands.md']

const TARGETS: Readonly<Record<string, (before: string) => Promise<string> | string>> = {
  // First: the page of commands is made from it.
  'oclif.manifest.json': async (before) => sorted(await byOclif('oclif.manifest.json', before, ['manifest'])),
  'docs/checks.md': checks,
  'docs/commands.md': (before) => byOclif('docs/commands.md', before, README_ARGUMENTS),
  'docs/configuration.md': withOptions,
  'docs/errors.md': errors,
  'docs/operations.md': (before) => withScreens(withExitCodes(before)),
  'docs/signatures.md': signatures,
  'schemas/node-config.schema.json': () => json(configSchema()),
  ...Object.fromEntries(
    Object.entries(documentSchemas()).map(([name, schema]) => [`schemas/${name}.schema.json`, () => json(schema)]),
  ),
}

const isCheck = process.argv.includes('--check')
for (const [file, make] of Object.entries(TARGETS)) {
  const before = await readFile(new URL(file, root), 'utf8').catch(() => '')
  const after = await make(before)
  if (before === after) continue
  if (isCheck) {
    console.error(`${file} is stale. Run: npm run generate`)
    process.exitCode = 1
  } else {
    await mkdir(new URL('docs', root), {recursive: true})
    await writeFile(new URL(file, root), after)
  }
}

/** oclif writes the file itself; what depends on this machine is left out, so that the result is the same everywhere. */
async function byOclif(file: string, before: string, args: readonly string[]): Promise<string> {
  execFileSync(process.execPath, [oclif, ...args], {
    cwd: fileURLToPath(root),
    env: {...process.env, ...ENVIRONMENT},
    stdio: 'pipe',
  })
  const written = await readFile(new URL(file, root), 'utf8')
  await writeFile(new URL(file, root), before)
  const machine = `${process.platform}-${process.arch} node-${process.version}`
  // As in build.mjs: an example is one line.
  return `${written
    .replaceAll(machine, '')
    .replaceAll(/ \\\n +(?=\S)/g, ' ')
    .trimEnd()}\n`
}

/** oclif finds the files of the commands in an order that depends on how fast each folder is read. */
function sorted(manifest: string): string {
  const {commands, ...rest} = JSON.parse(manifest) as {commands: Record<string, object>}
  const byName = Object.entries(commands).sort(([a], [b]) => (a < b ? -1 : 1))
  return `${JSON.stringify({commands: Object.fromEntries(byName), ...rest}, undefined, 2)}\n`
}

/** By name. */
function documentSchemas(): Readonly<Record<string, object>> {
  const script = fileURLToPath(new URL('generate-schemas.mjs', root))
  return JSON.parse(execFileSync(process.execPath, [script], {encoding: 'utf8'})) as Record<string, object>
}

/** Formatted like every other JSON file here. */
async function json(document: unknown): Promise<string> {
  return format(JSON.stringify(document), {
    ...(await resolveConfig(fileURLToPath(new URL('generate.ts', root)))),
    parser: 'json',
  })
}

/** The table of options, between its comments. */
function withOptions(page: string): string {
  const rows = OPTIONS.map((option) => {
    const initial =
      option.default === undefined ? (option.absent ?? '').replaceAll('<', '&lt;') : `\`${option.default}\``
    const key = option.key === undefined ? '–' : `\`${option.key}\``
    return `| \`--${option.flag}\` | \`${powershellName(option.flag)}\` | \`${environmentVariable(option.flag)}\` | ${key} | ${initial} |`
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
function withExitCodes(page: string): string {
  const rows = EXIT_CODES.map(([code, when]) => `| ${code} | ${when.replaceAll(/--[a-z-]+/g, '`$&`')} |`)
  const table = ['| code | when |', '| --- | --- |', ...rows].join('\n')
  return page.replace(
    /<!-- exitcodes -->[^]*<!-- exitcodesstop -->/,
    () => `<!-- exitcodes -->\n\n${table}\n\n<!-- exitcodesstop -->`,
  )
}

/** The screens, each between its comments. */
async function withScreens(page: string): Promise<string> {
  let shown = page
  for (const [name, text] of Object.entries(await screens())) {
    const [begin, end] = [`<!-- screen ${name} -->`, '<!-- screenstop -->']
    if (!shown.includes(begin)) throw new Error(`docs/operations.md has no place for the screen "${name}": ${begin}`)
    shown = shown.replace(new RegExp(`${begin}[^]*?${end}`), () => `${begin}\n\n\`\`\`\n${text}\n\`\`\`\n\n${end}`)
  }
  return shown
}

function checks(): string {
  const rowsOf = (list: readonly {readonly id: string; readonly title: string}[]): string[] =>
    list.map(({id, title}) => `| \`${id}\` | ${title} |`)
  return [
    '# Checks',
    '',
    'The checks that setup makes, concurrently, before it changes anything. All problems are reported together, each with its fix,',
    'and setup ends with exit code 3, or 10 if a restart of Windows is all that is needed. `--ignore-check <id>` downgrades a failed check to a warning.',
    '',
    '| ID | check |',
    '| --- | --- |',
    ...rowsOf(CHECKS),
    '',
    '`k8s-win doctor` makes the same checks and, on a node that is set up, these:',
    '',
    '| ID | check |',
    '| --- | --- |',
    ...rowsOf([...REPORTING_CHECKS, ...NODE_CHECKS]),
    '',
    '`k8s-win verify`, and setup at its end, make these from a pod on the node; `--ignore-check` of setup can name them too:',
    '',
    '| ID | check |',
    '| --- | --- |',
    ...rowsOf(SMOKE_CHECK_IDS.map((id) => ({id, title: SMOKE_TITLES[id]}))),
    '',
    '## What the checks need in the cluster',
    '',
    'The checks of this table ask the API server for more than its version. They do so with the identity of the kubelet, or with the one named in brackets. "A node" is an identity in the group `system:nodes` on an API server with the Node authorizer, as every node that joined with a token is; "node-access" are the objects of `k8s-win manifest node-access`, which an administrator applies once per cluster. What a node may not do is never a failure by itself: it is reported as not checked, or as a warning with the command for an administrator.',
    '',
    '| checks | ask for | may a node? | without it |',
    '| --- | --- | --- | --- |',
    ...rightsTable().map((row) => `| ${row.join(' | ')} |`),
    '',
  ].join('\n')
}

function errors(): string {
  const sections = ERRORS.map((definition) => {
    const {cause, exitCode, fix, message} = definition.describe()
    const rows = [`**${message}**`, `- Exit code: ${exitCode}`, `- Cause: ${cause}`, `- Fix: ${fix}`]
    return [`## ${definition.id}`, ...rows.map((row) => row.replaceAll('<', '&lt;'))]
      .join('\n\n')
      .replaceAll('\n\n- ', '\n- ')
      .replace('**\n- ', '**\n\n- ')
  })
  return (
    [
      '# Errors',
      'Every error of k8s-win: its ID, exit code, cause and fix. Words in angle brackets stand for values that the message contains. Exit code 3 promises that nothing was changed: the same error ends with 5 once a step of setup has begun, and with 6 in its last check.',
      ...sections,
      '',
    ]
      .join('\n\n')
      .trimEnd() + '\n'
  )
}

function signatures(): string {
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
  return [
    '# Known failures',
    'What `k8s-win status`, `k8s-win doctor` and a failed setup recognise in the logs of the daemons, in the responses of Docker and the Host Networking Service (hns), and in error codes of the service manager. Patterns match the message of a log line, without its timestamp and source position. Codes are preferred to words, because Windows translates its messages.',
    ...sections,
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n')
}
