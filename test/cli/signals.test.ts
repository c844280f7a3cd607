import {EventEmitter} from 'node:events'
import {fork, type ChildProcess} from 'node:child_process'
import {existsSync} from 'node:fs'
import {mkdtemp, readFile, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {fileURLToPath} from 'node:url'
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest'
import {stoppingNotice, watchSignals} from '../../src/cli/signals.js'
import {EventBus, type RunResultDocument} from '../../src/pipeline/run/events.js'
import {InterruptedError} from '../../src/pipeline/run/to-user-error.js'

describe('watchSignals', () => {
  const source = (): EventEmitter & {exit: (code: number) => void} => Object.assign(new EventEmitter(), {exit: vi.fn()})

  test('the first signal aborts and is reported at once, the second exits with 130', () => {
    const fake = source()
    const told = vi.fn()
    const watch = watchSignals(fake, told)

    fake.emit('SIGINT')
    expect(watch.signal.reason).toBeInstanceOf(InterruptedError)
    expect(told).toHaveBeenCalledTimes(1)
    expect(fake.exit).not.toHaveBeenCalled()

    fake.emit('SIGTERM')
    expect(fake.exit).toHaveBeenCalledExactlyOnceWith(130)
    expect(told).toHaveBeenCalledTimes(1)
  })

  test('review N3: a console that closes asks the run to stop, once, and never cuts the stopping short', () => {
    const fake = source()
    const told = vi.fn()
    const watch = watchSignals(fake, told)
    fake.emit('SIGHUP')
    fake.emit('SIGHUP')
    expect(watch.signal.reason).toBeInstanceOf(InterruptedError)
    expect([told.mock.calls.length, vi.mocked(fake.exit).mock.calls.length]).toEqual([1, 0])
    fake.emit('SIGINT')
    expect(fake.exit).toHaveBeenCalledExactlyOnceWith(130)
  })

  test('after close nothing listens', () => {
    const fake = source()
    watchSignals(fake, vi.fn()).close()
    expect(fake.eventNames()).toEqual([])
  })
})

test('Ctrl-C is reported while the run continues; when it is over, its verdict stays the last word', () => {
  const bus = new EventBus(() => 0)
  const told: string[] = []
  bus.listen(({type}) => told.push(type))
  const notice = stoppingNotice(bus)
  notice()
  expect(told).toEqual(['log'])
  bus.emit({result: {} as RunResultDocument, type: 'run-finished'})
  notice()
  expect(told).toEqual(['log', 'run-finished'])
})

// Windows has no signals between processes: what Node.js makes of Ctrl-C there is the same event.
describe.skipIf(process.platform === 'win32')('a running process', () => {
  let folder: string
  let log: string
  let child: ChildProcess

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'k8s-win-signals-'))
    log = path.join(folder, 'log')
    child = fork(fileURLToPath(new URL('fixtures/long-run.ts', import.meta.url)), [log], {
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    await new Promise((resolve) => child.once('message', resolve))
  })

  afterEach(async () => {
    child.kill('SIGKILL')
    await rm(folder, {force: true, recursive: true})
  })

  const ended = async (): Promise<number | null> => new Promise((resolve) => child.once('exit', resolve))
  const linesOf = async (): Promise<string[]> =>
    existsSync(log) ? (await readFile(log, 'utf8')).trimEnd().split('\n') : []
  const workedSince = async (lines: number): Promise<void> =>
    vi.waitFor(async () => {
      expect((await linesOf()).length).toBeGreaterThan(lines + 2)
    })

  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s once: stopping is said at once, and the work goes on to its end',
    async (name) => {
      child.kill(name)
      await vi.waitFor(async () => {
        expect(await linesOf()).toContain('stopping')
      })
      await workedSince((await linesOf()).length)
      const end = ended()
      child.send('finish')
      expect(await end).toBe(0)
      expect((await linesOf()).at(-1)).toBe('finished early')
    },
  )

  test('twice: exit 130 at once', async () => {
    const end = ended()
    child.kill('SIGINT')
    await vi.waitFor(async () => {
      expect(await linesOf()).toContain('stopping')
    })
    child.kill('SIGINT')
    expect(await end).toBe(130)
  })

  test('its output goes away (both pipes closed): the work continues', async () => {
    child.stdout?.destroy()
    child.stderr?.destroy()
    await workedSince((await linesOf()).length)
    const end = ended()
    child.send('finish')
    expect(await end).toBe(0)
    expect((await linesOf()).at(-1)).toBe('finished whole')
  })

  test('review N3: its console closes (SIGHUP, both pipes closed): it stops, and has the time it needs', async () => {
    child.stdout?.destroy()
    child.stderr?.destroy()
    child.kill('SIGHUP')
    await vi.waitFor(async () => {
      expect(await linesOf()).toContain('stopping')
    })
    child.kill('SIGHUP')
    await workedSince((await linesOf()).length)
    const end = ended()
    child.send('finish')
    expect(await end).toBe(0)
    expect((await linesOf()).at(-1)).toBe('finished early')
  })
})
