// The suites on Linux: the Windows-side ones by node.exe in the lab, each on a machine of its own, then the Linux-side ones.
import {once} from 'node:events'
import {readFile, rm} from 'node:fs/promises'
import path from 'node:path'
import {bundleSuites, type BundledSuites} from './bundle-suites.js'
import {spawnContained} from './contained.js'
import {IN_LAB, type Lab, openLab} from './lab.js'
import {assertLabPossible} from './not-run.js'
import {withCheckout} from './package-copy.js'
import {CHECKOUT, labsFolder, type NodeMajor} from './recipe.js'
import {withoutSummary} from './suite-counts.js'
import {makeSessionFolder, removeDeadSessions} from './tidy.js'
import {countsOf, LINUX_SIDE, type RunRequest, type SuiteOutcome} from './suite-outcome.js'

const SUITE_TIMEOUT_MS = 900_000
/** What both Nodes must prove; the others run on the older one. */
const ON_BOTH_NODES = new Set(['smoke'])

/** What is done at the end, the last first. */
type Closing = (() => Promise<void>)[]

export async function runOnLinux(request: RunRequest): Promise<SuiteOutcome[]> {
  await assertLabPossible()
  const scratch = await makeSessionFolder(labsFolder())
  const closing: Closing = [() => removeDeadSessions(labsFolder()), () => rm(scratch, {force: true, recursive: true})]
  const stopped = new Promise<never>((_resolve, reject) => {
    request.interrupted.addEventListener('abort', () => reject(new Error('interrupted')), {once: true})
  })
  try {
    return await Promise.race([stopped, work()])
  } finally {
    for (const close of closing.reverse()) await close()
  }

  async function work(): Promise<SuiteOutcome[]> {
    await withCheckout(() => program([process.execPath, path.join(CHECKOUT, 'build.mjs')]))
    const lab = await openLab({say: (line) => request.say(`lab: ${line}`)})
    closing.push(() => lab.close())
    const bundled = await bundleSuites(scratch)
    const suites = [...bundled.suites].flatMap(([name, file]): Suite[] => {
      const nodes: readonly NodeMajor[] = ON_BOTH_NODES.has(name) ? [22, 24] : [22]
      return wanted(request, name) ? nodes.map((node) => ({bundled, file, name, node})) : []
    })
    const all: SuiteOutcome[] = []
    // One after the other: side by side they starve what starts with Windows.
    for (const suite of suites) {
      request.interrupted.throwIfAborted()
      all.push(await runSuite(lab, suite, request))
    }
    if (wanted(request, LINUX_SIDE)) all.push(await runLinuxSide(scratch, request, closing))
    return all
  }
}

function wanted({filter}: RunRequest, name: string): boolean {
  return filter.length === 0 || filter.includes(name)
}

interface Suite {
  readonly bundled: BundledSuites
  readonly name: string
  readonly file: string
  readonly node: NodeMajor
}

async function runSuite(
  lab: Lab,
  {bundled, file, name, node}: Suite,
  {interrupted, say}: RunRequest,
): Promise<SuiteOutcome> {
  const title = `${name} (node.exe ${node})`
  const started = Date.now()
  // Beside the package's node_modules, so that koffi is found as the product finds it.
  const inLab = (bundle: string) => `${IN_LAB.app}\\suites\\${path.basename(bundle)}`
  const reporter = `file:///${inLab(bundled.reporter).replaceAll('\\', '/')}`
  const files = {
    [inLab(bundled.reporter)]: await readFile(bundled.reporter),
    [inLab(file)]: await readFile(file),
  }
  const {code, stderr, stdout} = await lab
    .run({
      args: ['--enable-source-maps', `--test-reporter=${reporter}`, inLab(file)],
      env: {
        LAB_APP: IN_LAB.app,
        // The machine is thrown away afterwards.
        LAB_CHANGES: '1',
        ...quotingOf(process.env),
        LAB_PROGRAMS: IN_LAB.programs,
        LAB_TOOLS: IN_LAB.tools,
        LAB_WINE: '1',
      },
      files,
      node,
      timeoutMs: SUITE_TIMEOUT_MS,
    })
    .catch((error: unknown) => {
      interrupted.throwIfAborted()
      return {code: 1, stderr: error instanceof Error ? error.message : String(error), stdout: ''}
    })
  say(`\n${title}`)
  process.stdout.write(withoutSummary(stdout))
  if (stderr !== '') process.stderr.write(stderr)
  return {counts: countsOf(code, stdout), durationMs: Date.now() - started, name: title}
}

async function runLinuxSide(scratch: string, {say}: RunRequest, closing: Closing): Promise<SuiteOutcome> {
  say('\nlinux side (test/lab/**/*.lab.ts)')
  const started = Date.now()
  const report = path.join(scratch, 'linux-side.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const vitest = path.join(CHECKOUT, 'node_modules/vitest/vitest.mjs')
  const argv = [process.execPath, vitest, 'run', '--config', 'vitest.lab.config.ts', ...reporters]
  const code = await exitCode(argv, closing)
  const counts = await readFile(report, 'utf8').then(
    (text) => {
      const {numFailedTests, numPassedTests, numPendingTests} = JSON.parse(text) as Record<string, number>
      return {failed: numFailedTests!, passed: numPassedTests!, skipped: numPendingTests!}
    },
    () => ({failed: 0, passed: 0, skipped: 0}),
  )
  // A file that does not load has no tests to fail.
  if (code !== 0 && counts.failed === 0) counts.failed = 1
  return {counts, durationMs: Date.now() - started, name: 'linux side'}
}

async function program(argv: readonly string[]): Promise<void> {
  const code = await exitCode(argv)
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}`)
}

async function exitCode(argv: readonly string[], closing: Closing = []): Promise<number> {
  const child = spawnContained({argv, namespaces: 'none', stdio: ['ignore', 'inherit', 'inherit']})
  const closed = once(child, 'close') as Promise<[number | null]>
  closing.push(async () => {
    child.kill('SIGKILL')
    await closed
  })
  const [code] = await closed
  return code ?? 137
}

/** How many vectors, and which: see quoting/vectors.ts. */
function quotingOf({LAB_SEED, LAB_VECTORS}: NodeJS.ProcessEnv): Record<string, string> {
  return {...(LAB_SEED !== undefined && {LAB_SEED}), ...(LAB_VECTORS !== undefined && {LAB_VECTORS})}
}
