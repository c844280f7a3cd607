// The suites on a real Windows: by the Node that runs this, against this checkout, with nothing in between.
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {mkdir, mkdtemp, rm} from 'node:fs/promises'
import path from 'node:path'
import {pathToFileURL} from 'node:url'
import {bundleSuites} from './bundle-suites.js'
import {CHECKOUT} from './recipe.js'
import {withoutSummary} from './suite-counts.js'
import {countsOf, type RunRequest, type SuiteOutcome} from './suite-outcome.js'

const SUITE_TIMEOUT_MS = 900_000

export async function runOnWindows(request: RunRequest): Promise<SuiteOutcome[]> {
  await runNode([path.join(CHECKOUT, 'build.mjs')], request.interrupted)
  // Inside node_modules, so that koffi is found as the product finds it.
  const cache = path.join(CHECKOUT, 'node_modules', '.cache')
  await mkdir(cache, {recursive: true})
  const scratch = await mkdtemp(path.join(cache, 'k8s-win-lab-'))
  try {
    const {reporter, suites} = await bundleSuites(scratch)
    const outcomes: SuiteOutcome[] = []
    for (const [name, file] of suites) {
      if (request.filter.length > 0 && !request.filter.includes(name)) continue
      request.say(`\n${name}`)
      const started = Date.now()
      const args = ['--enable-source-maps', `--test-reporter=${pathToFileURL(reporter).href}`, file]
      const {code, stdout} = await runNode(args, request.interrupted)
      outcomes.push({counts: countsOf(code, stdout), durationMs: Date.now() - started, name})
    }
    request.say('\nlinux side: NOT RUN on Windows')
    return outcomes
  } finally {
    await rm(scratch, {force: true, recursive: true})
  }
}

async function runNode(args: readonly string[], signal: AbortSignal): Promise<{code: number | null; stdout: string}> {
  const child = spawn(process.execPath, args, {
    cwd: CHECKOUT,
    env: {...process.env, LAB_APP: CHECKOUT},
    signal,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: SUITE_TIMEOUT_MS,
  })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    process.stdout.write(withoutSummary(text))
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return {code, stdout}
}
