// The program's start: answers what needs nothing loaded, and hands everything else to the commands.
import packageDocument from '../../package.json' with {type: 'json'}
import {readPackageFile} from '../machine/real/assets.js'
import {helpPage, versionFormat} from './arguments/help-request.js'
import {isReaderGone, surviveLostConsole} from './lost-console.js'
import type {LoadPlugins} from './arguments/run-command-line.js'

/** Runs the process to its end. `packageRoot` is where package.json is; `plugins` has the commands where that is not a folder. */
export async function start(packageRoot: string, plugins?: LoadPlugins): Promise<void> {
  const whyLost = surviveLostConsole([process.stdout, process.stderr])

  let exitCode = await main(process.argv.slice(2), packageRoot, plugins)
  await Promise.all([process.stdout, process.stderr].map(async (stream) => whyLost(stream) ?? flush(stream)))
  const code = whyLost(process.stdout)
  if (code !== undefined && !isReaderGone(code, process.stdout.isTTY)) {
    const {reportLostOutput} = await import('./report-error.js')
    const lost = reportLostOutput(code, process.stderr)
    exitCode ||= lost
    if (whyLost(process.stderr) === undefined) await flush(process.stderr)
  }
  process.exit(exitCode)
}

async function main(argv: readonly string[], packageRoot: string, plugins?: LoadPlugins): Promise<number> {
  // The service's own: it shall be as small as it can be.
  if (argv[0] === 'run-watch') return (await import('./run/run-watch.js')).runWatchCommand(argv.slice(1), packageRoot)
  const format = versionFormat(argv)
  if (format !== undefined) {
    process.stdout.write(`${format === 'json' ? JSON.stringify(versionDocument(), undefined, 2) : versionText()}\n`)
    return 0
  }
  const page = helpPage(argv)
  if (page !== undefined && (await showHelp(packageRoot, page))) return 0

  const {runCommandLine} = await import('./arguments/run-command-line.js')
  return runCommandLine(argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv, {
    packageRoot,
    ...(plugins && {plugins}),
    showHelp: async (command) => showHelp(packageRoot, command),
  })
}

/** The document of `--version --json`. */
export interface VersionDocument {
  readonly architecture: string
  readonly command: 'version'
  readonly nodeVersion: string
  readonly platform: string
  readonly schemaVersion: 1
  readonly simulated: false
  readonly version: string
}

function versionDocument(): VersionDocument {
  const {arch: architecture, platform, version: nodeVersion} = process
  const {version} = packageDocument
  return {architecture, command: 'version', nodeVersion, platform, schemaVersion: 1, simulated: false, version}
}

const versionText = (): string =>
  `${packageDocument.name}/${packageDocument.version} ${process.platform}-${process.arch} node-${process.version}`

/** False where there is no such page. The pages are rendered by oclif when the package is built: see build.mjs. */
async function showHelp(packageRoot: string, page: string): Promise<boolean> {
  if (!/^[a-z0-9-]+$/.test(page)) return false
  const read = (name: string) => readPackageFile(packageRoot, 'dist', 'help', `${name}.txt`)
  const text = (await read(page)) ?? (await read(page.replace(/-all$/, '')))
  if (text !== undefined) process.stdout.write(text)
  return text !== undefined
}

/** On Windows, writes to a pipe are still under way when process.exit is called; and a failed one is reported only later. */
async function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => {
      resolve()
    })
  })
}
