// Writes what is made from the program itself: manifest, docs/. With --check it only tells what is stale.
import {execFileSync} from 'node:child_process'
import {mkdir, readFile, writeFile} from 'node:fs/promises'
import {fileURLToPath} from 'node:url'
import {format, resolveConfig} from 'prettier'
import {EXIT_CODES} from './src/cli/exit-codes.js'
import {powershellName} from './src/cli/powershell-arguments.js'
import {environmentVariable, OPTIONS} from './src/config/options.js'
import {configSchema} from './src/config/schema.js'
import {ERRORS} from './src/errors/catalogue.js'
import type {Check} from './src/preflight/check.js'
import {CHECKS} from './src/preflight/index.js'
import {PROBE_ROWS} from './src/health/check-rows.js'
import {CHECKS_OF_A_NODE, EXPLAINING_CHECKS} from './src/health/health-checks.js'
import {SIGNATURES} from './src/signatures/index.js'
import {screens} from './test/readme/screens.js'

const root = new URL('.', import.meta.url)
const oclif = fileURLToPath(new URL('node_modules/oclif/bin/run.js', root))

/** A fixed width, no colours, no look at a registry for a newer oclif. */
const ENVIRONMENT = {NO_COLOR: '1', NODE_ENV: 'production', OCLIF_COLUMNS: '100', OCLIF_SKIP_NEW_VERSION_CHECK: 'true'}

const README_ARGUMENTS = ['readme', '--no-source-links', '--no-aliases', '--readme-path', 'docs/commands.md']

const TARGETS: Readonly<Record<string, (before: string) => Promise<string> | string>> = {
  // First: the page of commands is made from it.
  'oclif.manifest.json': (before) => byOclif('oclif.manifest.json', before, ['manifest']),
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

/** oclif writes the file itself; what depends on the machine that generates is left out, so that every one makes the same. */
async function byOclif(file: string, before: string, args: readonly string[]): Promise<string> {
  execFileSync(process.execPath, [oclif, ...args], {
    cwd: fileURLToPath(root),
    env: {...process.env, ...ENVIRONMENT},
    stdio: 'pipe',
  })
  const written = await readFile(new URL(file, root), 'utf8')
  await writeFile(new URL(file, root), before)
  return `${written.replaceAll(`${process.platform}-${process.arch} node-${process.version}`, '').trimEnd()}\n`
}

/** By name. */
function documentSchemas(): Readonly<Record<string, object>> {
  const script = fileURLToPath(new URL('generate-schemas.mjs', root))
  return JSON.parse(execFileSync(process.execPath, [script], {encoding: 'utf8'})) as Record<string, object>
}

/** As every other JSON file here is laid out. */
async function json(document: unknown): Promise<string> {
  return format(JSON.stringify(document), {
    ...(await resolveConfig(fileURLToPath(new URL('generate.ts', root)))),
    parser: 'json',
  })
}

/** The table of options, between its marks. */
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

/** The table of exit codes, between its marks. */
function withExitCodes(page: string): string {
  const rows = EXIT_CODES.map(([code, when]) => `| ${code} | ${when.replaceAll(/--[a-z-]+/g, '`$&`')} |`)
  const table = ['| code | when |', '| --- | --- |', ...rows].join('\n')
  return page.replace(
    /<!-- exitcodes -->[^]*<!-- exitcodesstop -->/,
    () => `<!-- exitcodes -->\n\n${table}\n\n<!-- exitcodesstop -->`,
  )
}

/** What people see, each block between its marks. */
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
  const rowsOf = (list: readonly Pick<Check, 'id' | 'title'>[]): string[] =>
    list.map(({id, title}) => `| \`${id}\` | ${title} |`)
  return [
    '# Checks',
    '',
    'What setup looks at before it changes anything, in this order and side by side. All problems are told together, each with',
    'what was seen and what to do, and setup ends with exit code 3. `--ignore-check <id>` turns the problem of a check into a warning.',
    '',
    '| id | what |',
    '| --- | --- |',
    ...rowsOf(CHECKS),
    '',
    '`k8s-win doctor` runs the same checks on their own, and on a node that is set up these too:',
    '',
    '| id | what |',
    '| --- | --- |',
    ...rowsOf([...PROBE_ROWS, ...CHECKS_OF_A_NODE, ...EXPLAINING_CHECKS]),
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
      'Every error of k8s-win: its ID, exit code, cause and fix. Words in angle brackets stand for what the program fills in.',
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
      `- Seen in: ${seenIn.join(', ')}${onlyAtTheEnd ? ', where nothing comes after it' : ''}`,
      `- Pattern: \`\` ${pattern.source} \`\``,
      `- Cause: ${cause.replaceAll('<', '&lt;')}`,
      `- Fix: ${fix.replaceAll('<', '&lt;')}`,
      `- Source: ${sources.join(', ')}`,
    ].join('\n'),
  )
  return [
    '# Known failures',
    'What `k8s-win status`, `k8s-win doctor` and a setup that fails recognise in the logs of the daemons, in the answers of Docker and of the Host Networking Service (hns), and in codes of the service manager. Patterns are of what a line says, without the time and place that a logger puts before it; codes are preferred to words, which Windows has in many languages.',
    ...sections,
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n')
}
