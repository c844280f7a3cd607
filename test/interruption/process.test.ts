// Real processes on one simulated host: two at once, killed at a moment no one chose, interrupted.
import {once} from 'node:events'
import {existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, onTestFinished, test, vi} from 'vitest'
import {nightly} from '../nightly.js'
import {turn} from '../sample.js'
import {SimulatedHost} from '../setup/simulated-host.js'
import {type Comparable, comparable} from '../steps/comparable.js'
import {HostFolder} from '../steps/host-folder.js'
import {claimsOf} from './records.js'
import {setupOn} from './setup-run.js'

/** So that there is time to come in between: each simulated second takes some milliseconds. */
const slow = (): Promise<SimulatedHost> => SimulatedHost.make((world) => (world.os.vswitch = {offlineMs: 110_000}))

function start(host: SimulatedHost, ...args: readonly string[]) {
  const child = host.start(...args)
  onTestFinished(() => void child.kill('SIGKILL'))
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (stderr += piece))
  child.stdout.resume()
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const said = (text: string): Promise<void> =>
    vi.waitFor(() => expect(stderr).toContain(text), {interval: 5, timeout: 50_000})
  return {child, ended, said}
}

describe('two at once', () => {
  nightly('the second reports who has the lock, changes nothing, and the first finishes', async () => {
    const host = await slow()
    const first = start(host)
    await first.said('flanneld-service: starting flanneld')
    const lock = host.read(String.raw`k\k8s-win\lock.json`)
    expect(JSON.parse(lock)).toMatchObject({processId: first.child.pid, user: expect.any(String) as string})

    const {code, result, stderr} = await host.setupJson()
    expect({code, id: result.error?.id}).toEqual({code: 11, id: 'LOCK_HELD'})
    expect(result.error?.cause).toMatch(
      new RegExp(`^The lock is held by process ${first.child.pid}\\b.* began at \\d{4}-.*: node bin/run.js setup$`),
    )
    expect(stderr).toContain(String(first.child.pid))
    expect(host.read(String.raw`k\k8s-win\lock.json`)).toBe(lock)
    expect(host.has(String.raw`k\k8s-win\result.json`)).toBe(false)

    expect(await first.ended).toEqual([0, null])
    expect(host.has(String.raw`k\k8s-win\lock.json`)).toBe(false)
    expect(JSON.parse(host.read(String.raw`k\k8s-win\result.json`))).toMatchObject({outcome: 'done'})
  })

  test('of three that start together one sets up, and the others say so', async () => {
    const host = await slow()
    const runs = [start(host), start(host), start(host)]
    const codes = (await Promise.all(runs.map(({ended}) => ended))).map(([code]) => code)
    // On a busy machine one may start when another has ended.
    expect(codes).toContain(0)
    expect(codes.filter((code) => code !== 0 && code !== 11)).toEqual([])
    expect(JSON.parse(host.read(String.raw`k\k8s-win\result.json`))).toMatchObject({
      node: {ready: true},
      outcome: 'done',
    })
  })
})

/** As the k8s-win of these tests, which cannot be a service, leaves the node. */
const UNWATCHED = '--no-watch'

describe('killed', () => {
  let undisturbed: {claims: string[]; node: Comparable} | undefined
  const undisturbedRun = async (): Promise<{claims: string[]; node: Comparable}> => {
    const host = HostFolder.empty()
    expect((await setupOn(host.dir)).result?.exitCode).toBe(0)
    return {claims: claimsOf(host), node: comparable(host)}
  }

  test.each(turn([30, 190, 240], 1))(
    'after line %s of the transcript: the lock is free, and the node is the same',
    async (lines) => {
      const host = await SimulatedHost.make()
      const path = join(host.dir, 'transcript.ndjson')
      const run = start(host, UNWATCHED)
      const count = (): number => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').length : 0)
      await vi.waitFor(() => expect(count()).toBeGreaterThan(lines), {interval: 2, timeout: 50_000})
      run.child.kill('SIGKILL')
      // Late in the run it may have finished before.
      expect([null, 0]).toContain((await run.ended)[0])

      const again = await host.setupJson(UNWATCHED)
      expect({code: again.code, error: again.result.error}).toEqual({code: 0})
      undisturbed ??= await undisturbedRun()
      expect({claims: claimsOf(host), node: comparable(host)}).toEqual(undisturbed)
    },
  )
})

// Windows has no signals between processes: what Node.js makes of Ctrl-C there is the same event.
test.runIf(process.platform !== 'win32')('Ctrl-C is answered at once, and the lock is free', async () => {
  const host = await slow()
  const run = start(host)
  await run.said('overlay-network: waiting for vxlan0')
  run.child.kill('SIGINT')
  await run.said('warning: Stopping after the current operation')
  expect(await run.ended).toEqual([130, null])
  expect(host.has(String.raw`k\k8s-win\lock.json`)).toBe(false)
  expect((await host.setup()).code).toBe(0)
})
