// Writes oclif.manifest.json and the commands in README.md from the built commands; with --check, only says if they are stale.
import {execFileSync} from 'node:child_process'
import {readFile, writeFile} from 'node:fs/promises'
import {fileURLToPath} from 'node:url'

const root = fileURLToPath(new URL('.', import.meta.url))
const oclif = fileURLToPath(new URL('node_modules/oclif/bin/run.js', import.meta.url))

const TARGETS = {
  manifest: {args: ['manifest'], file: 'oclif.manifest.json', script: 'manifest'},
  // Links to the source would need the address of a repository.
  readme: {args: ['readme', '--no-source-links', '--no-aliases'], file: 'README.md', script: 'docs'},
}

/** A fixed width, no colours, no look at a registry for a newer oclif. */
const ENVIRONMENT = {NO_COLOR: '1', NODE_ENV: 'production', OCLIF_COLUMNS: '100', OCLIF_SKIP_NEW_VERSION_CHECK: 'true'}

const args = process.argv.slice(2)
const isCheck = args.includes('--check')
let stale = 0

for (const name of args.filter((argument) => argument !== '--check')) {
  const {args: command, file, script} = TARGETS[name]
  const before = await readFile(new URL(file, import.meta.url), 'utf8').catch(() => '')
  const environment = {...process.env, ...ENVIRONMENT}
  execFileSync(process.execPath, [oclif, ...command], {cwd: root, env: environment, stdio: 'pipe'})
  const written = await readFile(new URL(file, import.meta.url), 'utf8')
  const after = withoutBuilder(written)
  if (isCheck) await writeFile(new URL(file, import.meta.url), before)
  else await writeFile(new URL(file, import.meta.url), after)
  if (isCheck && before !== after) {
    stale += 1
    console.error(`${file} is stale. Run: npm run ${script}`)
  }
}
process.exitCode = stale === 0 ? 0 : 1

/** What depends on the machine that generates is left out, so that every machine generates the same. */
function withoutBuilder(text) {
  return `${text.replaceAll(`${process.platform}-${process.arch} node-${process.version}`, '').trimEnd()}\n`
}
