// setup and upgrade: decide what the host is to become, then check it and bring every step into place.
import {loadDigests} from '../../artifacts/digests.js'
import {loadUnpacker} from '../../artifacts/unpack.js'
import type {Launcher} from '../../config/launchers.js'
import {layoutOf} from '../../config/layout.js'
import type {Decided, Upgrade} from '../../config/model.js'
import {type GivenOptions, OPTIONS} from '../../config/options.js'
import {secretsOf} from '../../config/parse-join.js'
import {replacesPrograms} from '../../config/upgrade.js'
import {isOlder} from '../../config/version.js'
import {openHost} from '../../host/host.js'
import {orAborted} from '../../host/wait.js'
import {rememberingMachine} from '../../machine/intercept.js'
import type {Assets} from '../../machine/machine.js'
import type {StandardInput} from '../../machine/standard-input.js'
import type {EventBus, RunResultDocument} from '../../pipeline/run/events.js'
import {stepsFor} from '../../steps/index.js'
import {readAsked} from '../configuration.js'
import {continuesAfterRestart, interruptsNetwork} from '../detach/detach-setup.js'
import {decideConfig, withToken} from '../decide-config.js'
import {type RecordedRun, runWithRecords, withinTime} from '../run-lifecycle.js'
import {holdLock, type LockHolder} from '../run-lock.js'
import {newerPatch} from '../upgrade/choose-release.js'
import {findUpgrade} from '../upgrade/find-upgrade.js'
import {rollBack, type WayBack} from '../upgrade/roll-back.js'
import {isNetworkUnsettled, LOOK_AGAIN_MS, SETTLING_MS} from './preflight-with-retry.js'
import {runSetupSteps} from './setup-steps.js'

/** `if-possible`: otherwise it continues here. */
export type Detaching = 'if-possible' | 'no' | 'yes'

export interface SetupRun extends RecordedRun {
  readonly assets: Assets
  /** DOCKER_HOST of the environment, where the machine is this one. */
  readonly dockerHost?: string | undefined
  /** Whether the run is to continue as a service. `interrupts`: it interrupts the network of this host. */
  readonly detaches?: ((interrupts: boolean, signal: AbortSignal) => Promise<Detaching>) | undefined
  /** Where K8S_WIN_* variables are looked for. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** The working folder, from which relative paths are meant. */
  readonly folder?: string
  /** The command line's options. */
  readonly given: GivenOptions
  /** For others who would like to run meanwhile. */
  readonly holder?: LockHolder
  /** What started the run. */
  readonly launcherOf?: (() => Promise<Launcher>) | undefined
  /** Where --token-file - reads the token. */
  readonly input?: StandardInput | undefined
  /** Of the command upgrade. */
  readonly upgrade?: Omit<Upgrade, 'from'>
  /** Called with the requested configuration, before anything is done. */
  readonly onConfig?: (config: Pick<Decided, 'digests'>) => void
}

/** Rejects only for a bug: the document reports every other failure. */
export function runSetup(asked: SetupRun): Promise<RunResultDocument> {
  const command = asked.upgrade ? 'upgrade' : 'setup'
  return runWithRecords(command, asked, async (run, frame) => {
    const {bus, dockerHost, environment = {}, given: flags, machine, signal} = run
    const read = (given: GivenOptions) => readAsked({dockerHost, environment, flags: given, machine, signal})
    let options = await read(flags)
    for (const secret of secretsOf(options.join?.token ?? '')) run.redactor.register(secret)
    frame.story.baseDir = options.baseDir
    frame.story.allowsRestart = options.allowRestart
    run.onConfig?.(options)
    let back: WayBack | undefined
    const work = withinTime(run, options.timeoutMs, frame, async (runMachine, limit) => {
      const {baseDir, dockerPipe} = options
      const host = openHost(runMachine.machine, {assets: run.assets, baseDir, dockerPipe})
      const from = {
        input: run.input,
        register: (secret: string) => run.redactor.register(secret),
        warn: (message: string) => bus.emit({level: 'warn', message, type: 'log'}),
      }
      const decide = (): Promise<Decided> => {
        // What several questions need is asked once, each time.
        const remembering = openHost(rememberingMachine(runMachine.machine), {assets: run.assets, baseDir, dockerPipe})
        return decideConfig(options, remembering, limit, from)
      }
      // Loading is not an effect of the machine: no step may wait for it.
      await Promise.all([loadDigests(), loadUnpacker()])
      frame.story.phase = 'Acquire the lock'
      // A preview changes nothing, so it needs no lock. Others wait for nothing: neither host nor cluster is asked before.
      if (!run.dryRun) {
        frame.story.lock = await holdLock(run.machine, layoutOf(baseDir).lock, limit)
        await run.onLocked?.({baseDir, command})
      }
      frame.story.phase = 'Query the cluster'
      const release = run.upgrade && (await orAborted(newerPatch(options, host), limit))
      if (release !== undefined) options = await read({...flags, release})
      let decision = await decide()
      options = withToken(options, decision)
      // After a killed run flanneld may be creating its network. With defaults in place of what the cluster reports, a run
      // could only fail.
      if (decision.unasked !== undefined && (await orAborted(isNetworkUnsettled(host, baseDir), limit))) {
        const settled = host.clock.now() + SETTLING_MS
        while (decision.unasked !== undefined && host.clock.now() < settled) {
          await host.clock.sleep(LOOK_AGAIN_MS, limit)
          decision = await decide()
        }
      }
      const upgrade = options.isStored ? await orAborted(findUpgrade(run, decision, host), limit) : undefined
      const config = {...decision, ...(upgrade && {upgrade})}
      const interrupts = run.detaches !== undefined && (await orAborted(interruptsNetwork(host), limit))
      const detaching = run.dryRun ? 'no' : ((await run.detaches?.(interrupts, limit)) ?? 'no')
      const steps = stepsFor(config)
      bus.emit({command, steps: steps.map(({id, title}) => ({id, title})), type: 'run-started'})
      reportDecision(decision, bus)
      if (decision.origin.sources.token === 'flag') bus.emit({level: 'warn', message: TOKEN_VISIBLE, type: 'log'})
      if (run.upgrade) reportRelease(config, release !== undefined, bus)
      frame.story.upgrade = reportUpgrade(config, bus)
      const onSwap = (way: WayBack | undefined): void => void (back = way)
      const parts = {...frame, decide, machine: runMachine, onSwap, steps}
      await runSetupSteps({...run, signal: limit}, config, {...parts, detaching}).catch(async (error: unknown) => {
        frame.story.continues = await continuesAfterRestart({...run, signal: limit}, config, runMachine.machine, error)
        throw error
      })
    })
    await work.catch((error: unknown) => {
      if (!back || run.signal.aborted) throw error
      return rollBack(run, frame, back, error)
    })
  })
}

/** Windows shows the command line of a process to every account that may list processes in detail, and logs it (event 4688). */
const TOKEN_VISIBLE =
  'other processes can read the token of --token from the command line: use --token-file or K8S_WIN_TOKEN instead'

/** The release that setup chose, and what is not as the documentation says, must be shown, not only logged. */
function reportDecision(config: Decided, bus: EventBus): void {
  const {given, sources, where} = config.origin
  const isAsked = !['host', 'stored', undefined].includes(sources['containerd-version'])
  if (config.runtime === 'containerd' && !config.containerd.isOurs && isAsked) {
    const asked = `${String(where['containerd-version'])} ${String(given['containerd-version'])} has no effect`
    const message = `${asked}: containerd ${config.versions.containerd.text} of this host is used`
    bus.emit({level: 'warn', message, type: 'log'})
  }
  for (const {default: initial, flag} of OPTIONS) {
    const isChosen =
      sources[flag] === 'cluster' || sources[flag] === 'host' || (flag === 'release' && sources[flag] === 'default')
    if (!isChosen || (flag !== 'release' && given[flag] === initial)) continue
    const message = `using --${flag} ${String(given[flag])}: ${String(where[flag])}`
    bus.emit({level: 'info', message, type: 'log'})
  }
}

function reportRelease(config: Decided, isNewest: boolean, bus: EventBus): void {
  const {text} = config.release
  const chosen = `using --release ${text}: the newest known patch of the API server's minor version`
  const message = replacesPrograms(config) ? (isNewest ? chosen : '') : `the node is at ${text} already`
  if (message !== '') bus.emit({level: 'info', message, type: 'log'})
}

/** Undefined where the release stays. */
function reportUpgrade(config: Decided, bus: EventBus): RunResultDocument['upgrade'] {
  const {release, upgrade, versions} = config
  const {release: before = release, versions: old = versions} = upgrade?.from ?? {}
  const say = (level: 'info' | 'warn', message: string): void => bus.emit({level, message, type: 'log'})
  const [was, becomes] = [old.containerd, versions.containerd]
  if (config.containerd.isOurs && replacesPrograms(config) && was.text !== becomes.text) {
    const lasting = was.major < becomes.major ? `; afterwards the data of this node cannot go back to ${was.text}` : ''
    say(lasting === '' ? 'info' : 'warn', `containerd goes from ${was.text} to ${becomes.text}${lasting}`)
  }
  if (before.text === release.text) return undefined
  say('info', `${isOlder(release, before) ? 'downgrade' : 'upgrade'} the node from ${before.text} to ${release.text}`)
  return {from: before.text, to: release.text}
}
