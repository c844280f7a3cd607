// Builds the lab once, outside the checkout: a Debian chroot with Wine, the real Windows Node and what the suites need.
import {execFile} from 'node:child_process'
import {mkdir, readFile, rename, rm, stat, utimes, writeFile} from 'node:fs/promises'
import {homedir} from 'node:os'
import path from 'node:path'
import {promisify} from 'node:util'
import {type AptMirror, DEBIAN_KEYS, findMirror} from './apt.js'
import {runLogged} from './contained.js'
import {type Lock, takeLock} from './lock.js'
import {assertLabPossible} from './not-run.js'
import {LAYERS, labsFolder, NODE_VERSIONS, readRecipe, type Recipe} from './recipe.js'
import {removeOldLabs} from './tidy.js'

const execFileAsync = promisify(execFile)

const LAYER_TIMEOUT_MS = 900_000
const LOCK_TIMEOUT_MS = 1_800_000
/** What this machine itself needs: to make the chroot, and to give lab machines a network. */
const TOOLS = [
  ['debootstrap', '--version'],
  ['ip', '-V'],
] as const

export type Say = (line: string) => void

export interface BuiltLab {
  /** Holds `root`, the chroot, and `mnt`, where each machine mounts its own view of it. */
  readonly folder: string
  /** As long as it is held, the lab is not removed. */
  readonly inUse: Lock
}

/** Answers the lab of this recipe, and builds it if it is not there. Two may ask at once: one builds. */
export async function buildLab(say: Say): Promise<BuiltLab> {
  await assertLabPossible()
  const recipe = await readRecipe()
  const labs = labsFolder()
  await mkdir(labs, {mode: 0o700, recursive: true})
  const folder = path.join(labs, recipe.hash)
  const lockFile = `${folder}.lock`
  const onWait = () => say('another run builds the lab; waiting for it')
  for (;;) {
    const inUse = await takeLock(lockFile, {onWait, shared: true, timeoutMs: LOCK_TIMEOUT_MS})
    if (await exists(folder)) {
      await utimes(lockFile, new Date(), new Date())
      return {folder, inUse}
    }
    await inUse.release()
    const building = await takeLock(lockFile, {onWait, timeoutMs: LOCK_TIMEOUT_MS})
    try {
      if (!(await exists(folder))) await buildInto(folder, recipe, say)
    } finally {
      await building.release()
    }
    await removeOldLabs(labs, recipe.hash, say)
  }
}

/** Everything happens beside the final name, so a folder of that name is a whole lab. */
async function buildInto(folder: string, recipe: Recipe, say: Say): Promise<void> {
  const started = Date.now()
  const building = `${folder}.building`
  const logFile = `${folder}.log`
  say(`building the lab ${recipe.hash}: a few minutes, once (log: ${logFile})`)
  await writeFile(logFile, '')
  // Of a build that was killed.
  await rm(building, {force: true, recursive: true})
  await mkdir(path.join(building, 'mnt'), {recursive: true})
  try {
    await buildLayers(path.join(building, 'root'), recipe, {logFile, say, started})
  } catch (error) {
    await rm(building, {force: true, recursive: true})
    throw error
  }
  await rename(building, folder)
  say(`built the lab in ${seconds(started).trim()}`)
}

interface Progress {
  readonly logFile: string
  readonly say: Say
  readonly started: number
}

async function buildLayers(root: string, recipe: Recipe, {logFile, say, started}: Progress): Promise<void> {
  const mirror = await findMirror(recipe.suite)
  await installTools(logFile, say)
  const env = layerEnvironment(recipe, mirror, root)
  for (const layer of recipe.layers) {
    const layerStarted = Date.now()
    const script = path.join(LAYERS, layer)
    const code = await runLogged({argv: ['bash', script], env, logFile, timeoutMs: LAYER_TIMEOUT_MS})
    if (code !== 0) throw new Error(await layerFailure(layer, code, logFile))
    say(`  ${layer.replace('.sh', '').padEnd(14)} ${seconds(layerStarted)} (${seconds(started)} in all)`)
  }
}

function layerEnvironment(recipe: Recipe, mirror: AptMirror, root: string): NodeJS.ProcessEnv {
  const proxy = mirror.proxy === undefined ? {} : {http_proxy: mirror.proxy, https_proxy: mirror.proxy}
  return {
    ...process.env,
    ...proxy,
    LAB_APT_CONFIGURATION: mirror.configuration,
    LAB_GO_PACKAGES: recipe.goPackages.join(' '),
    LAB_HOME: homedir(),
    LAB_KEYRING: DEBIAN_KEYS,
    LAB_LAYERS: path.resolve(LAYERS),
    LAB_MIRROR: mirror.uri,
    LAB_NODES: Object.keys(NODE_VERSIONS).join(' '),
    LAB_NPM_PACKAGES: recipe.npmPackages.join(' '),
    LAB_PACKAGES: recipe.packages.join(' '),
    LAB_ROOT: root,
    LAB_SUITE: recipe.suite,
  }
}

/** Left alone where they are there already: then no package list is fetched either. */
async function installTools(logFile: string, say: Say): Promise<void> {
  const there = await Promise.all(TOOLS.map(([tool, flag]) => execFileAsync(tool, [flag]))).then(
    () => exists(DEBIAN_KEYS),
    () => false,
  )
  if (there) return
  const started = Date.now()
  for (const command of [
    ['update'],
    ['--yes', '--no-install-recommends', 'install', 'debootstrap', 'debian-archive-keyring', 'iproute2'],
  ]) {
    const argv = ['apt-get', '--quiet', '--option', 'DPkg::Lock::Timeout=600', ...command]
    const env = {...process.env, DEBIAN_FRONTEND: 'noninteractive'}
    const code = await runLogged({argv, env, logFile, namespaces: 'none', timeoutMs: LAYER_TIMEOUT_MS})
    if (code !== 0) throw new Error(await layerFailure('apt-get', code, logFile))
  }
  say(`  ${'tools'.padEnd(14)} ${seconds(started)} (installed on this machine)`)
}

async function layerFailure(layer: string, code: number, logFile: string): Promise<string> {
  const lines = (await readFile(logFile, 'utf8')).trimEnd().split('\n').slice(-30)
  return `The lab could not be built: ${layer} ended with ${code}. The end of ${logFile}:\n${lines.join('\n')}`
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  )
}

export function seconds(since: number): string {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`.padStart(8)
}
