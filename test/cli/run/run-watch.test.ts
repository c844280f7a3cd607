// The program of the service k8s-win: what it loads, and what it refuses.
import type {Metafile} from 'esbuild'
import {expect, it, onTestFinished} from 'vitest'
import {bundlePackage} from '../../../packaging/bundle-package.mjs'
import {sample} from '../../sample.js'
import {HostFolder} from '../../steps/host-folder.js'
import {k8sWin, k8sWinProcess} from '../program.js'

const HEALTH = String.raw`k\k8s-win\health.json`
const HALF_AN_HOUR = 30 * 60_000

/** All that is loaded with it, without what it imports only when it needs it. */
function loadedBy({outputs}: Metafile, entryPoint: string): string[] {
  const [first] = Object.entries(outputs).find(([, output]) => output.entryPoint === entryPoint) ?? ['']
  const loaded = new Set([first])
  for (const name of loaded) {
    for (const {kind, path} of outputs[name]?.imports ?? []) if (kind === 'import-statement') loaded.add(path)
  }
  return [...loaded].flatMap((name) => Object.keys(outputs[name]?.inputs ?? {}))
}

it('loads no command line, no list of tasks, no HTTP client and no simulator before it needs them', async () => {
  const loaded = loadedBy(await bundlePackage({write: false}), 'src/cli/run/run-watch.ts')
  expect(loaded).toContain('src/runs/watch/watch.ts')
  const packages = new Set(loaded.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []))
  expect([...packages].sort()).toEqual(['fastest-levenshtein', 'smol-toml', 'yaml'])
  expect(loaded.filter((file) => /src\/(?:commands|simulator)\//.test(file))).toEqual([])
})

it.each(
  sample(
    [
      [['--base-dir=C:\\k'], 3, 'NOT_WINDOWS'],
      [['--base-dir=C:\\k', '--inspect'], 3, 'NOT_WINDOWS'],
      [[], 2, 'MISSING_VALUE'],
      [['--base-dir='], 2, 'UNEXPECTED_ARGUMENT'],
      [['--base-dir=C:\\k', '--simulate=ws2019'], 2, 'UNEXPECTED_ARGUMENT'],
    ],
    2,
  ),
)('run-watch %j ends with %i', async (args, code, id) => {
  const ended = await k8sWinProcess(['run-watch', ...args])
  expect(ended.code).toBe(code)
  expect(ended.stderr).toContain(id)
  expect(ended.stdout).toBe('')
})

it('checks a simulated host once before each command, and once after those that change it', async () => {
  const host = (await HostFolder.fresh(undefined, 'ws2025')).onDisk()
  onTestFinished(() => host.discard())
  const on = ['--simulate', 'ws2025', '--simulate-dir', host.dir]
  const health = (): {at: string} => JSON.parse(host.read(HEALTH)) as {at: string}
  expect((await k8sWin(['setup', ...on, '--base-images=none'])).code).toBe(0)
  expect(health()).toMatchObject({problems: [], simulated: true, verdict: 'healthy'})
  // Half an hour later, in which no process was there to write it.
  const {at} = health()
  host.edit(({services}) => (services['k8s-win']!.startedAt -= HALF_AN_HOUR))
  host.put(HEALTH, JSON.stringify({...health(), at: new Date(Date.parse(at) - HALF_AN_HOUR).toISOString()}))
  expect((await k8sWin(['setup', ...on])).code).toBe(0)
  expect(health()).toMatchObject({problems: [], verdict: 'healthy'})
  expect((await k8sWin(['pause', ...on])).code).toBe(0)
  expect(health()).toMatchObject({verdict: 'paused'})
  expect((await k8sWin(['resume', ...on])).code).toBe(0)
  expect(health()).toMatchObject({verdict: 'healthy'})
  expect((await k8sWin(['setup', ...on, '--no-watch'])).code).toBe(0)
  expect((await k8sWin(['status', ...on])).code).toBe(0)
  expect((await k8sWin(['reset', ...on, '--purge', '--yes'])).code).toBe(0)
  expect(host.list('k')).toEqual(['kubeconfig'])
})
