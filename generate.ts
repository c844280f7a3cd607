// Writes what is made from the program itself: manifest, commands in README.md, docs/. With --check it only tells what is stale.
import {execFileSync} from 'node:child_process'
import {mkdir, readFile, writeFile} from 'node:fs/promises'
import {fileURLToPath} from 'node:url'
import {powershellName} from './src/cli/powershell-arguments.js'
import {environmentVariable, OPTIONS} from './src/config/options.js'
import * as bytes from './src/errors/bytes.js'
import * as cluster from './src/errors/cluster.js'
import type {ErrorDefinition} from './src/errors/define.js'
import * as health from './src/errors/health.js'
import * as host from './src/errors/host.js'
import * as input from './src/errors/input.js'
import * as program from './src/errors/program.js'
import * as usage from './src/errors/usage.js'
import * as windows from './src/errors/windows.js'
import {ASSUMPTIONS} from './src/simulator/assumptions.js'

const root = new URL('.', import.meta.url)
const oclif = fileURLToPath(new URL('node_modules/oclif/bin/run.js', root))

/** A fixed width, no colours, no look at a registry for a newer oclif. */
const ENVIRONMENT = {NO_COLOR: '1', NODE_ENV: 'production', OCLIF_COLUMNS: '100', OCLIF_SKIP_NEW_VERSION_CHECK: 'true'}

const TARGETS: Readonly<Record<string, (before: string) => Promise<string> | string>> = {
  'README.md': async (before) =>
    withOptions(await byOclif('README.md', before, ['readme', '--no-source-links', '--no-aliases'])),
  'docs/assumptions.md': assumptions,
  'docs/errors.md': errors,
  'oclif.manifest.json': (before) => byOclif('oclif.manifest.json', before, ['manifest']),
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

/** The table of options, between its marks. */
function withOptions(readme: string): string {
  const rows = OPTIONS.map((option) => {
    const initial = 'default' in option ? `\`${option.default}\`` : fromElsewhere(option.key)
    return `| \`--${option.flag}\` | \`${powershellName(option.flag)}\` | \`${environmentVariable(option.flag)}\` | ${initial} |`
  })
  const table = ['| flag | PowerShell | environment | default |', '| --- | --- | --- | --- |', ...rows]
  return readme.replace(
    /<!-- options -->[^]*<!-- optionsstop -->/,
    () => `<!-- options -->\n\n${table.join('\n')}\n\n<!-- optionsstop -->`,
  )
}

function fromElsewhere(key: string): string {
  const known: Readonly<Record<string, string>> = {
    clientCAFile: "the kubeconfig's authority",
    clusterDNS: 'asked of the cluster',
    'images.nanoserverTag': 'from the build of Windows',
    'images.servercoreTag': 'from the build of Windows',
    kubeconfig: '`<BaseDir>\\kubeconfig` is used',
    nodeIP: "the adapter's address",
    nodeName: "the computer's name in lower case",
  }
  return known[key] ?? (key.endsWith('.kubeconfig') ? 'the one above' : 'none')
}

function errors(): string {
  const definitions = [usage, input, host, cluster, bytes, windows, health, program].flatMap(
    (module) => Object.values(module) as ErrorDefinition<never>[],
  )
  const sections = definitions.map((definition) => {
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

function assumptions(): string {
  const rows = ASSUMPTIONS.map(
    ({id, settledBy, statement}) =>
      `| ${id} | ${statement.replaceAll('<', '&lt;')} | ${settledBy.replaceAll('<', '&lt;')} |`,
  )
  return [
    '# What the simulator assumes of Windows',
    '',
    'Everything else that the simulated Windows does has a public source, named beside its rule. These have none yet; the command on the right, run on a real Windows Server, would settle each. There `npm run test:windows` tries most of them by itself (README, Development).',
    '',
    '| id | assumed | settled by |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}
