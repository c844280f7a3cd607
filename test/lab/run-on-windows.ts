// The suites on a real Windows: by the Node that runs this, against this checkout, with nothing in between.
import {mkdir, mkdtemp, rm} from 'node:fs/promises'
import path from 'node:path'
import {type BundledSuites, bundleSuites} from './bundle-suites.js'
import {runNode} from './node-process.js'
import {CHECKOUT} from './recipe.js'
import {runBundledSuites} from './run-bundled-suites.js'
import {LINUX_SIDE, type RunRequest, type SuiteOutcome} from './suite-outcome.js'

const BUILD_TIMEOUT_MS = 300_000

export async function runOnWindows(request: RunRequest): Promise<SuiteOutcome[]> {
  await buildProduct(request)
  // Inside node_modules, so that koffi is found as the product finds it.
  const cache = path.join(CHECKOUT, 'node_modules', '.cache')
  await mkdir(cache, {recursive: true})
  const scratch = await mkdtemp(path.join(cache, 'k8s-win-lab-'))
  try {
    const outcomes = await runBundledSuites({app: CHECKOUT, bundled: inOrder(await bundleSuites(scratch)), request})
    request.say(`\n${LINUX_SIDE} side: NOT RUN on Windows`)
    return outcomes
  } finally {
    await rm(scratch, {force: true, maxRetries: 10, recursive: true})
  }
}

async function buildProduct({interrupted, say}: RunRequest): Promise<void> {
  const {code} = await runNode({
    args: [path.join(CHECKOUT, 'build.mjs')],
    cwd: CHECKOUT,
    env: process.env,
    onLines: (text) => say(text.trimEnd()),
    signal: interrupted,
    timeoutMs: BUILD_TIMEOUT_MS,
  })
  if (code !== 0) throw new Error(`npm run build ended with ${code ?? 'nothing: it took too long'}`)
}

/** Settling the assumptions may cut the host off for a while: everything else comes first. */
function inOrder({reporter, suites}: BundledSuites): BundledSuites {
  const isLast = (name: string) => Number(name === 'assumptions')
  return {reporter, suites: new Map([...suites].sort(([a], [b]) => isLast(a) - isLast(b)))}
}
