// The program's start: answers what needs nothing loaded, and hands everything else to the commands.
import packageDocument from '../../package.json' with {type: 'json'}
import {readPackageFile} from '../machine/real/package-file.js'
import {helpPage, isVersion} from './help-request.js'
import {surviveLostConsole} from './lost-console.js'

/** Runs the process to its end. `packageRoot` is where package.json is. */
export async function start(packageRoot: string): Promise<void> {
  surviveLostConsole([process.stdout, process.stderr])

  const exitCode = await main(process.argv.slice(2), packageRoot)
  await Promise.all([process.stdout, process.stderr].map(flush))
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
  return runCommandLine(argv.slice(argv[0] === 'help' ? 1 : 0), {
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

/** On Windows, writes to a pipe are still under way when process.exit is called. */
async function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (!stream.writable || stream.writableLength === 0) resolve()
    else
      stream.write('', () => {
        resolve()
      })
  })
}
