// A run whose console goes away, that is interrupted, killed, or not the only one.
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {describe, expect, onTestFinished, test} from 'vitest'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {takeHostLock} from '../../src/simulator/host-lock.js'
import {BIN, k8sWin} from '../cli/program.js'
import {nightly} from '../nightly.js'
import {type Comparable, comparable} from '../steps/comparable.js'
import {HostFolder} from '../steps/host-folder.js'
import {turn} from '../sample.js'
import {setUpHost} from '../reset/set-up-host.js'
import {setupOn} from './in-process.js'
import {SimulatedHost} from './simulated-host.js'

const RESULT = String.raw`k\k8s-win\result.json`
/** Long enough for a signal to arrive while it lasts: each simulated second takes some milliseconds. */
const LONG_CUT = {offlineMs: 110_000}

const longCut = (): Promise<SimulatedHost> => SimulatedHost.make((world) => (world.os.vswitch = LONG_CUT))
const resultOf = (host: SimulatedHost): RunResultDocument => JSON.parse(host.read(RESULT)) as RunResultDocument

/** A run, watched; `said` resolves as soon as it has said so on standard error. */
function watch(host: SimulatedHost, ...args: string[]) {
  const child = host.start(...args)
  onTestFinished(() => void child.kill('SIGKILL'))
  const text = {stderr: '', stdout: ''}
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (text.stdout += piece))
  const said = (wanted: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (piece: string): void => {
        text.stderr += piece
        if (text.stderr.includes(wanted)) resolve()
      }

      child.stderr.setEncoding('utf8').on('data', look)
      child.once('exit', () => reject(new Error(`it ended and never said "${wanted}"`)))
      look('')
    })
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  return {child, ended, said, text}
}

// Windows has no signals between processes: what Node.js makes of Ctrl-C there is the same event.
describe.runIf(process.platform !== 'win32')('when flanneld starts', () => {
  test('nothing reads the output any more: the run finishes', async () => {
    const host = await longCut()
    const run = watch(host)
    await run.said('flanneld-service: starting flanneld')
    for (const pipe of [run.child.stdout, run.child.stderr]) pipe.destroy()
    expect(await run.ended).toEqual([0, null])
    expect(resultOf(host)).toMatchObject({exitCode: 0, node: {ready: true}, outcome: 'done'})
  })

  test('review N3: the console closes: within Windows’ five seconds the run has stopped, and says so; again it ends well', async () => {
    const host = await longCut()
    const run = watch(host)
    await run.said('flanneld-service: starting flanneld')
    const closedAt = Date.now()
    for (const pipe of [run.child.stdout, run.child.stderr]) pipe.destroy()
    run.child.kill('SIGHUP')
    expect(await run.ended).toEqual([130, null])
    expect(Date.now() - closedAt).toBeLessThan(5000)
    const {log, ...result} = resultOf(host)
    expect(result).toMatchObject({error: {id: 'INTERRUPTED'}, exitCode: 130, outcome: 'interrupted'})
    expect(host.read(String(log).slice('C:\\'.length))).toContain('INTERRUPTED')
    const again = await host.setupJson()
    expect({code: again.code, ready: again.result.node?.ready}).toEqual({code: 0, ready: true})
  })

  test('review N3: a detached run, without a console and with its parent gone, finishes', async () => {
    const host = await SimulatedHost.make()
    const environment = {...process.env, K8S_WIN_SIMULATE: 'ws2019', K8S_WIN_SIMULATE_DIR: host.dir}
    const script = `require('node:child_process')
      .spawn(process.execPath, [process.argv[1], 'setup'], {detached: true, stdio: 'ignore'}).unref()`
    const starter = spawn(process.execPath, ['-e', script, BIN], {env: environment, stdio: 'ignore'})
    expect(await once(starter, 'exit')).toEqual([0, null])
    await expect
      .poll(() => (host.has(RESULT) ? resultOf(host).outcome : ''), {interval: 200, timeout: 60_000})
      .toBe('done')
  })
})

describe.runIf(process.platform !== 'win32')('interrupted', () => {
  test('in the cut: exit 130, reported everywhere; run again it ends well', async () => {
    const host = await longCut()
    const run = watch(host, '--json')
    await run.said('overlay-network: waiting for vxlan0')
    run.child.kill('SIGINT')
    expect(await run.ended).toEqual([130, null])
    const result = JSON.parse(run.text.stdout) as RunResultDocument
    expect(result).toMatchObject({
      changesPending: true,
      error: {id: 'INTERRUPTED'},
      exitCode: 130,
      outcome: 'interrupted',
    })
    expect(resultOf(host)).toEqual(result)
    expect(run.text.stderr).toContain('Run the same command again')
    // review U11: what Ctrl-C ended has not failed.
    expect(result.recap.failed).toBe(0)
    const begun = result.steps.filter(({error}) => error !== undefined)
    expect(begun).toMatchObject([{error: {id: 'INTERRUPTED'}, id: 'overlay-network', state: 'not-run'}])
    expect(run.text.stderr).toMatch(/overlay-network: interrupted/)
    expect(run.text.stderr).not.toContain('FAILED')

    const again = await host.setupJson()
    expect({code: again.code, ready: again.result.node?.ready}).toEqual({code: 0, ready: true})
  })

  nightly('twice at once: 130, and nothing is broken', async () => {
    const host = await longCut()
    const run = watch(host)
    await run.said('overlay-network: waiting for vxlan0')
    // Two of one kind may arrive as one.
    run.child.kill('SIGINT')
    run.child.kill('SIGTERM')
    expect(await run.ended).toEqual([130, null])
    expect((await host.setup()).code).toBe(0)
  })
})

/** As the k8s-win of these tests, which cannot be a service, leaves the node. */
const UNWATCHED = '--no-watch'

describe('killed, and run again', () => {
  let undisturbed: Comparable | undefined
  const undisturbedRun = async (): Promise<Comparable> => {
    const host = await HostFolder.fresh()
    await setupOn(host.dir)
    return comparable(host)
  }

  const MOMENTS = [
    'kubernetes-binaries: unpacking',
    'pause-image: building',
    'overlay-network: waiting for vxlan0',
    'kubeproxy-service: starting kubeproxy',
  ]
  test.each(turn(MOMENTS, 2))('at "%s": the node is as if nothing had happened', async (moment) => {
    const host = await SimulatedHost.make()
    const run = watch(host, UNWATCHED)
    await run.said(moment)
    run.child.kill('SIGKILL')
    const [code] = await run.ended
    // Late in the run it may have finished before the signal came.
    expect([null, 0]).toContain(code)

    const again = await host.setupJson(UNWATCHED)
    expect({code: again.code, ready: again.result.node?.ready}).toEqual({code: 0, ready: true})
    undisturbed ??= await undisturbedRun()
    expect(comparable(host)).toEqual(undisturbed)
  })
})

describe('two at once', () => {
  const {copyOnDisk} = setUpHost()

  test('the second: exit 11, LOCK_HELD, and the result of the first is not overwritten', async () => {
    const host = new SimulatedHost(copyOnDisk().dir)
    const before = host.read(RESULT)
    const release = takeHostLock(host.dir, String.raw`Global\k8s-win`)
    const {code, result} = await host.setupJson()
    expect({code, id: result.error?.id}).toEqual({code: 11, id: 'LOCK_HELD'})
    expect(host.read(RESULT)).toBe(before)

    await release?.()
    expect((await host.setup()).code).toBe(0)
  })

  test.each(['setup', 'reset'])('review R4: a running setup is in the way of no %s --dry-run', async (command) => {
    const host = new SimulatedHost(copyOnDisk().dir)
    expect((await host.setup()).code).toBe(0)
    const release = takeHostLock(host.dir, String.raw`Global\k8s-win`)
    const mutexes = (): number => host.transcript.filter(({what}) => /mutex/i.test(what)).length
    const before = mutexes()
    expect(before).toBeGreaterThan(0)
    const environment = {K8S_WIN_SIMULATE: 'ws2019', K8S_WIN_SIMULATE_DIR: host.dir}
    const {code, stdout} = await k8sWin([command, '--dry-run', '--json'], environment)
    expect({code, outcome: (JSON.parse(stdout) as RunResultDocument).outcome}).toEqual({code: 0, outcome: 'planned'})
    await release?.()
    // Nor does it take the lock, in which a run would find it.
    expect(mutexes()).toBe(before)
  })
})
