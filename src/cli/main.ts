// The program's start: answers what needs nothing loaded, and hands everything else to the commands.
import packageDocument from '../../package.json' with {type: 'json'}
import {readPackageFile} from '../machine/real/package-file.js'
import {helpPage, isVersion} from './help-request.js'
import {isReaderGone, surviveLostConsole} from './lost-console.js'

/** Runs the process to its end. `packageRoot` is where package.json is. */
export async function start(packageRoot: string): Promise<void> {
  const whyLost = surviveLostConsole([process.stdout, process.stderr])

  let exitCode = await main(process.argv.slice(2), packageRoot)
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

async function main(argv: readonly string[], packageRoot: string): Promise<number> {
  if (isVersion(argv)) {
    const {name, version} = packageDocument
    process.stdout.write(`${name}/${version} ${process.platform}-${process.arch} node-${process.version}\n`)
    return 0
  }
  const page = helpPage(argv)
  if (page !== undefined && (await showHelp(packageRoot, page))) return 0

  const {runCommandLine} = await import('./run-command-line.js')
  return runCommandLine(argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv, {
    packageRoot,
    showHelp: async (command) => showHelp(packageRoot, command),
  })
}

/** False where there is no such page. The pages are rendered by oclif when the package is built: see build.mjs. */
async function showHelp(packageRoot: string, page: string): Promise<boolean> {
  const isName = /^[a-z0-9-]+$/.test(page)
  const text = isName ? await readPackageFile(packageRoot, 'dist', 'help', `${page}.txt`) : undefined
  if (text !== undefined) process.stdout.write(text)
  return text !== undefined
}

/** On Windows, writes to a pipe are still under way when process.exit is called; and a failed one is told only later. */
async function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => {
      resolve()
    })
  })
}
