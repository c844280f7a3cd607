// Whether a run continues as a service: by --detach, or because the session would be lost with the network.
import {PassThrough} from 'node:stream'
import {describe, expect, onTestFinished, test} from 'vitest'
import {chooseDetachment, demandService, withoutDetachedEnd} from '../../../src/cli/run/detach.js'
import type {Launcher} from '../../../src/config/launchers.js'
import type {GivenOptions} from '../../../src/config/options/options.js'
import type {Machine} from '../../../src/machine/machine.js'
import {EventBus, type RunResultDocument, type TimedEvent} from '../../../src/pipeline/run/events.js'
import {InterruptedError} from '../../../src/pipeline/run/to-user-error.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {HostFolder} from '../../steps/host-folder.js'
import {k8sWin} from '../program.js'

const SSH = ['powershell.exe', 'sshd.exe']
const WINRM = ['wsmprovhost.exe', 'svchost.exe']

interface Asked {
  readonly given?: GivenOptions
  readonly interrupts?: boolean
  readonly isTerminal?: boolean
  readonly launcher?: Launcher
  readonly simulated?: boolean
  readonly startedBy?: string[]
  readonly typed?: string
}

/** As on a real host. */
async function machineOf(startedBy: string[], simulated = false): Promise<Machine> {
  const {dir} = await HostFolder.fresh(({os}) => (os.startedBy = startedBy))
  return {...(await openSimulator({dir, profile: 'ws2019'})), simulated}
}

async function choose(asked: Asked = {}) {
  const {given = {}, interrupts = true, isTerminal = false, launcher = 'none', startedBy = SSH, typed = ''} = asked
  const machine = await machineOf(startedBy, asked.simulated)
  let shown = ''
  const stdin = Object.assign(new PassThrough(), {isTTY: isTerminal})
  stdin.end(typed)
  const stderr = {isTTY: isTerminal, write: (text: string) => Boolean((shown += text))}
  const bus = new EventBus(machine.clock.now)
  const warnings: string[] = []
  bus.listen((event) => {
    if (event.type === 'log') warnings.push(event.message)
  })
  const {isFollowed, isWanted} = chooseDetachment({given}, machine, {stderr, stdin})
  const {signal} = new AbortController()
  return {
    isFollowed,
    isWanted: await isWanted(interrupts, {bus, launcherOf: async () => launcher, signal}),
    shown,
    warnings,
  }
}

describe('--detach', () => {
  test.each([true, 'true', 'True'])('%s: detached, and not followed', async (detach) => {
    const chosen = await choose({given: {detach}, interrupts: false, startedBy: []})
    expect(chosen).toEqual({isFollowed: false, isWanted: 'yes', shown: '', warnings: []})
  })

  test.each([false, 'false'])('%s: not detached, also over SSH', async (detach) => {
    expect(await choose({given: {detach}})).toMatchObject({isWanted: 'no', warnings: []})
  })
})

describe('without --detach', () => {
  test.each([
    ['SSH', SSH],
    ['WinRM', WINRM],
  ])('over %s without a terminal: detached, followed, and it says what to type', async (name, startedBy) => {
    const {isFollowed, isWanted, warnings} = await choose({startedBy})
    expect({isFollowed, isWanted}).toEqual({isFollowed: true, isWanted: 'if-possible'})
    expect(warnings).toEqual([expect.stringMatching(new RegExp(`^this ${name} session may be lost .*k8s-win attach`))])
  })

  test.each<[string, Asked]>([
    ['the network is not interrupted', {interrupts: false}],
    ['a launcher started it', {launcher: 'ssm'}],
    ['it is a console', {startedBy: ['cmd.exe', 'explorer.exe']}],
    ['it is unknown what started it', {startedBy: []}],
  ])('not where %s', async (_, asked) => {
    expect(await choose(asked)).toMatchObject({isWanted: 'no', warnings: []})
  })

  test.each([
    ['\n', true],
    ['y\n', true],
    [' Yes \n', true],
    ['n\n', false],
    ['later\n', false],
    // The end of the input is no consent.
    ['', false],
  ])('on a terminal it asks: %j', async (typed, isWanted) => {
    const chosen = await choose({isTerminal: true, typed})
    expect(chosen.isWanted).toBe(isWanted ? 'if-possible' : 'no')
    expect(chosen.shown).toContain('[Y/n]')
    expect(chosen.warnings).toEqual([expect.stringMatching(isWanted ? /k8s-win attach/ : /run the same command again/)])
  })

  test('--yes does not ask', async () => {
    expect(await choose({given: {yes: true}, isTerminal: true, typed: 'n\n'})).toMatchObject({
      isWanted: 'if-possible',
      shown: '',
    })
  })

  test('a process whose input cannot be opened is not asked', async () => {
    const machine = await machineOf(SSH)
    const terminal = {
      stderr: {isTTY: true, write: () => true},
      get stdin(): never {
        throw new Error('EBADF')
      },
    }
    const run = {
      bus: new EventBus(() => 0),
      launcherOf: async () => 'none' as const,
      signal: new AbortController().signal,
    }
    expect(await chooseDetachment({given: {}}, machine, terminal).isWanted(true, run)).toBe('if-possible')
  })

  test('Ctrl-C ends the question', async () => {
    const machine = await machineOf(SSH)
    const stop = new AbortController()
    const terminal = {
      stderr: {isTTY: true, write: () => Boolean(stop.abort(new InterruptedError())) || true},
      stdin: Object.assign(new PassThrough(), {isTTY: true}),
    }
    const run = {bus: new EventBus(() => 0), launcherOf: async () => 'none' as const, signal: stop.signal}
    const answer = chooseDetachment({given: {}}, machine, terminal).isWanted(true, run)
    await expect(answer).rejects.toBeInstanceOf(InterruptedError)
  })
})

test('of the events of a session, only the end of a run that continues elsewhere is left out', () => {
  const bus = new EventBus(() => 0)
  const events: TimedEvent[] = []
  bus.listen((event) => events.push(event))
  const inner = withoutDetachedEnd(bus)
  const end = (outcome: string) => inner.emit({result: {outcome} as RunResultDocument, type: 'run-finished'})
  inner.emit({level: 'info', message: 'hello', type: 'log'})
  end('detached')
  expect(events.map(({type}) => type)).toEqual(['log'])
  end('failed')
  expect(events.map(({type}) => type)).toEqual(['log', 'run-finished'])
})

describe('on a simulated host', () => {
  test('no service can continue a run', () => {
    expect(() => demandService({simulated: true})).toThrow(expect.objectContaining({id: 'DETACH_SIMULATED'}) as Error)
    expect(() => demandService({simulated: false})).not.toThrow()
  })

  test('over SSH the run stays in its session, and says so', async () => {
    const {isWanted, warnings} = await choose({simulated: true})
    expect(isWanted).toBe('no')
    expect(warnings).toEqual([expect.stringMatching(/^this SSH session may be lost .*simulated host/)])
  })

  test.each(['setup', 'reset', 'upgrade'])('%s --detach is refused before anything is done', async (command) => {
    const memory = await HostFolder.fresh(undefined, 'ws2022-containerd')
    const host = memory.onDisk()
    onTestFinished(() => host.discard())
    const simulated = ['--simulate', 'ws2022-containerd', '--simulate-dir', host.dir]
    const {code, stderr} = await k8sWin([command, '--detach', ...simulated])
    expect({code, isNamed: stderr.includes('DETACH_SIMULATED')}).toEqual({code: 2, isNamed: true})
    expect(host.has(String.raw`k\k8s-win`)).toBe(false)
  })

  test('setup through SSH: the whole run, its warning, and its exit code', async () => {
    const memory = await HostFolder.fresh(({os}) => (os.startedBy = SSH), 'ws2022-containerd')
    const host = memory.onDisk()
    onTestFinished(() => host.discard())
    const simulated = ['--simulate', 'ws2022-containerd', '--simulate-dir', host.dir]
    const {code, stderr, stdout} = await k8sWin(['setup', '--base-images', 'none', '--json', ...simulated])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({exitCode: 0, outcome: 'done'})
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(/warning: this SSH session may be lost/)
  })
})
