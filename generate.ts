// Writes what is made from the program itself: manifest, docs/. With --check it only reports what is stale.
import {execFileSync} from 'node:child_process'
import {readdirSync} from 'node:fs'
import {readFile, writeFile} from 'node:fs/promises'
import {fileURLToPath} from 'node:url'
import {format, resolveConfig} from 'prettier'
import {checks, errors, signatures, withContents, withExitCodes, withOptions} from './generated-pages.js'
import {configSchema} from './src/config/options/schema.js'
import {draw} from './test/readme/screens.js'

const root = new URL('.', import.meta.url)
const oclif = fileURLToPath(new URL('node_modules/oclif/bin/run.js', root))

/** A fixed width, no colours, no request for a newer oclif. */
const ENVIRONMENT = {NO_COLOR: '1', NODE_ENV: 'production', OCLIF_COLUMNS: '100', OCLIF_SKIP_NEW_VERSION_CHECK: 'true'}

const README_ARGUMENTS = ['readme', '--no-source-links', '--no-aliases', '--readme-path', 'docs/commands.md']

const {pictures, screens} = await draw()

const TARGETS: Readonly<Record<string, (before: string) => Promise<string> | string>> = {
  // First: the page of commands is made from it.
  'oclif.manifest.json': async (before) => sorted(await byOclif('oclif.manifest.json', before, ['manifest'])),
  'docs/checks.md': checks,
  'docs/commands.md': (before) => byOclif('docs/commands.md', before, README_ARGUMENTS),
  'docs/configuration.md': withOptions,
  'docs/errors.md': errors,
  'docs/exit-codes.md': withExitCodes,
  'docs/signatures.md': signatures,
  ...Object.fromEntries(Object.entries(pictures).map(([name, svg]) => [`docs/images/${name}.svg`, () => svg])),
  'schemas/node-config.schema.json': () => json(configSchema()),
  ...Object.fromEntries(
    Object.entries(documentSchemas()).map(([name, schema]) => [`schemas/${name}.schema.json`, () => json(schema)]),
  ),
}

const pages = readdirSync(new URL('docs', root)).flatMap((name) => (name.endsWith('.md') ? `docs/${name}` : []))
const unplaced = new Set(Object.keys(screens))

const isCheck = process.argv.includes('--check')
for (const file of new Set([...Object.keys(TARGETS), ...pages, 'CONTRIBUTING.md'])) {
  const before = await readFile(new URL(file, root), 'utf8').catch(() => '')
  const made = (await TARGETS[file]?.(before)) ?? before
  const after = file.endsWith('.md') ? withContents(withScreens(made)) : made
  if (before === after) continue
  if (isCheck) {
    console.error(`${file} is stale. Run: npm run generate`)
    process.exitCode = 1
  } else {
    await writeFile(new URL(file, root), after)
  }
}

if (unplaced.size > 0) throw new Error(`No page in docs/ shows the screens ${[...unplaced].join(', ')}`)

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

/** The screens of a page, each between its comments. */
function withScreens(page: string): string {
  return page.replaceAll(
    /(<!-- screen ([\w-]+) -->)[^]*?(?=<!-- screenstop -->)/g,
    (_, begin: string, name: string) => {
      const screen = screens[name]
      if (screen === undefined) throw new Error(`There is no screen "${name}" in test/readme/screens.ts`)
      unplaced.delete(name)
      return `${begin}\n\n\`\`\`\n${screen}\n\`\`\`\n\n`
    },
  )
}
