// Plays a sequence on a simulated host, and compares the host after every command with what the model says.
import {expect} from 'vitest'
import {newestRelease} from '../../src/artifacts/digests.js'
import type {Machine} from '../../src/machine/machine.js'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {claimsOf} from '../interruption/records.js'
import {resetOn} from '../reset/reset-run.js'
import {differences, wholeHost} from '../reset/whole-host.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import type {HostFolder} from '../steps/host-folder.js'
import {at, expectEnded, pod, releasesOf} from '../upgrade/node-at.js'
import {refusing} from '../upgrade/refusing.js'
import type {Act, Sequence, SetupAct} from './acts.js'
import {driftsOf} from './drifts.js'
import {
  differing,
  freshOn,
  nodeOn,
  presentOn,
  PROFILE,
  removePods,
  restart,
  settled,
  SETTLED_MS,
  SMALL,
  stageOf,
  untouchedAt,
} from './hosts.js'
import {fullFrom, killable} from './killable.js'
import {afterFailure, afterKill, afterReset, afterSetup, type Node, type Outcome, type State} from './model.js'

const DRAIN_MS = 60_000
/** For a service that was asked to stop. */
const STOPPED_MS = 30_000
/** The data of containerd, which only --purge removes. */
const KEPT = /^(?:files ProgramData\/containerd|world containerd|world security c:\\programdata\\containerd)/
/** Of a service, what a restart of the host changes. */
const STARTED = /^world > services > \w+ > (?!config|name|state)/
const KEPT_OF_PRESENT = /^world containerd containers: undefined -> list$/

/** Rejects at the act that did not end as it must; otherwise, how each of them has ended. */
export async function play({acts, stage}: Sequence): Promise<readonly string[]> {
  const place = stageOf(stage)
  const newest = String(await newestRelease(Number(place.server.split('.')[1])))
  const player = new Player(await freshOn(place), stage, newest)
  const all: Act[] = [...acts, {purge: true, run: 'reset'}]
  for (const [index, act] of all.entries()) {
    await player.play(act).catch((error: unknown) => {
      const where = `act ${index + 1} of ${all.length}, ${JSON.stringify(act)}`
      throw new Error(`${where}, after ${player.endings.join(', ')}`, {cause: error})
    })
  }

  return player.endings
}

interface Judged {
  readonly outcome: Outcome
  readonly state: State
}

class Player {
  /** Of the acts so far. */
  readonly endings: string[] = []
  readonly #before: HostFolder
  #hasRestarted = false
  /** The last command was not killed, and has not failed. */
  #isWhole = true
  #states: readonly State[] = [{}]

  constructor(
    private host: HostFolder,
    private readonly stage: string,
    private readonly newest: string,
  ) {
    this.#before = host.copy()
  }

  async play(act: Act): Promise<void> {
    if ('drift' in act) this.#drift(act.drift)
    else if ('pod' in act) {
      this.endings.push('a pod')
      this.host.edit(({cluster}) => (cluster.pods = [pod('web')]))
    } else if ('restart' in act) {
      this.endings.push('restarted')
      this.#hasRestarted = true
      await restart(this.host)
    } else if (act.run === 'reset') await this.#reset(act)
    else await this.#setup(act)
  }

  /** Only what a node has can be changed: on another host it would be a thing of its own. */
  #drift(name: string): void {
    const isPossible = this.#isWhole && this.#states[0]?.node !== undefined
    this.endings.push(isPossible ? 'drifted' : 'nothing')
    if (isPossible) driftsOf(stageOf(this.stage)).get(name)?.make(this.host)
  }

  async #setup(act: SetupAct): Promise<void> {
    const {newest} = this
    const stage = stageOf(this.stage)
    const around = {hasPods: hasPods(this.host), newest, present: presentOn(stage), server: stage.server}
    const judged = this.#states.map((state) => ({outcome: afterSetup(state, act, around), state}))
    const untouched = this.host.copy()
    const result = await this.#run(act, (dir, wrap) => setupWith(act, dir, wrap))
    if (!result) {
      this.#set(
        judged.flatMap(({outcome, state}) => ('error' in outcome ? [state] : afterKill(state, outcome.state))),
        false,
      )
      return
    }

    const refusals = judged.filter(({outcome}) => 'error' in outcome && outcome.error === result.error?.id)
    if (refusals.length > 0) {
      expect(result.exitCode).toBe(result.error?.id === 'NO_NODE' ? 9 : 3)
      const later = this.host.world.os.time + SETTLED_MS
      expect(differing(await untouchedAt(untouched, later), await untouchedAt(this.host, later))).toEqual([])
      this.#set(
        refusals.map(({state}) => state),
        this.#isWhole,
      )
      return
    }

    const isHindered = act.refused !== undefined || act.full !== undefined
    if (isHindered && result.exitCode !== 0) return this.#failed(judged, result)
    const done = judged.flatMap(({outcome}) => ('error' in outcome ? [] : [outcome.state]))
    const expected = judged.map(({outcome}) => outcome)
    const isDone = result.exitCode === 0 && done.length > 0
    expect(isDone ? undefined : {error: result.error, exitCode: result.exitCode, expected}).toBeUndefined()
    await this.#expectOneOf(done)
  }

  /** A service did not start, or the disk was full: an upgrade goes back, and another run is resumed by the next command. */
  async #failed(judged: readonly Judged[], {error, exitCode}: RunResultDocument): Promise<void> {
    const after = judged.flatMap(({outcome, state}) => ('error' in outcome ? [] : afterFailure(state, outcome.state)))
    if (error?.id === 'UPGRADE_ROLLED_BACK') return this.#expectOneOf(after)
    // 7: the way back did not succeed, either.
    expect([5, 6, 7], error?.id).toContain(exitCode)
    this.#set(after, false)
  }

  async #reset(act: Extract<Act, {run: 'reset'}>): Promise<void> {
    const {purge} = act
    const after = this.#states.map((state) => afterReset(state, purge))
    const run: Parameters<typeof killable>[2] = async (dir, wrap) =>
      (await resetOn(dir, {given: {purge, yes: true}, profile: PROFILE, wrap})).result
    let result = await this.#run(act, run)
    if (result?.exitCode === 7 && !purge && hasLostContainerd(this.host, this.stage)) {
      expect(result.error?.id).toBe('RESET_INCOMPLETE')
      // As docs/reset.md says for a containerd that does not recover.
      await deleteContainerd(this.host)
      result = await this.#run({}, run)
    }

    if (!result) {
      this.#set(
        this.#states.flatMap((state, nth) => afterKill(state, after[nth] ?? {})),
        false,
      )
      return
    }

    expect({error: result.error, exitCode: result.exitCode}).toEqual({exitCode: 0})
    this.#set(after, true)
    if (purge) {
      const changed = differences(wholeHost(this.#before), await purged(this.host))
      expect(changed.filter((line) => !(this.#hasRestarted && STARTED.test(line)))).toEqual([])
    } else {
      const kept = stageOf(this.stage).present === undefined ? KEPT : KEPT_OF_PRESENT
      const changed = differing(await settled(this.#before), await settled(this.host))
      expect(changed.filter((line) => !kept.test(line))).toEqual([])
    }
  }

  async #run(act: {readonly kill?: SetupAct['kill']}, run: Parameters<typeof killable>[2]) {
    const {host, result} = await killable(this.host, act.kill, run)
    this.host = host
    this.#hasRestarted ||= !result && act.kill?.end !== undefined
    this.endings.push(result ? (result.error?.id ?? 'done') : 'killed')
    return result
  }

  /** The node of one of these states: all of it is of one release, healthy, and nothing is open. */
  async #expectOneOf(states: readonly State[]): Promise<void> {
    const {host} = this
    const node = nodeOf(host)
    const matching = states.filter((state) => JSON.stringify(state.node) === JSON.stringify(node))
    if (matching.length === 0) expect(node).toEqual(states.map((state) => state.node))
    expect(releasesOf(host)).toEqual(at(node.release))
    const wanted = await nodeOn(this.stage, node)
    expect(differing(wanted.node, await settled(host))).toEqual([])
    const claims = claimsOf(host)
    expect(wanted.claims.filter((claim) => !claims.includes(claim))).toEqual([])
    expectEnded(host)
    const {problems, verdict} = (await statusOn(host.dir, {profile: PROFILE})).document
    expect({problems, verdict}).toEqual({problems: [], verdict: 'healthy'})
    this.#set(matching, true)
  }

  #set(states: readonly State[], isWhole: boolean): void {
    this.#states = [...new Map(states.map((state) => [JSON.stringify([state.node, state.opened]), state])).values()]
    this.#isWhole = isWhole
  }
}

const hasPods = ({world}: HostFolder): boolean =>
  (world.cluster.pods ?? []).some(({deletedAt}) => deletedAt === undefined)

async function setupWith(
  {containerd, drain = false, full, refused, release, run}: SetupAct,
  dir: HostFolder['dir'],
  wrap: (machine: Machine) => Machine,
): Promise<RunResultDocument> {
  const given = {
    ...SMALL,
    ...(release !== undefined && {release}),
    ...(containerd !== undefined && {'containerd-version': containerd}),
  }
  const watch = {
    ...(run === 'upgrade' && {upgrade: drain ? {drainMs: DRAIN_MS} : {}}),
    wrap(machine: Machine): Machine {
      const whole = refused === undefined ? machine : refusing(refused, 1)(machine)
      return wrap(full === undefined ? whole : fullFrom(full)(whole))
    },
  }
  return (await setupOn(dir, given, watch, PROFILE)).result
}

/** After a drift and a restart the containerd of k8s-win may not start: then a reset cannot remove the pods. */
const hasLostContainerd = ({world}: HostFolder, stage: string): boolean =>
  stageOf(stage).present === undefined && world.services['containerd']?.stage !== 'serving'

async function deleteContainerd({dir}: HostFolder): Promise<void> {
  const {clock, win32} = await openSimulator({dir, profile: PROFILE})
  await win32.deleteService('containerd')
  await win32.stopService('containerd')
  await clock.sleep(STOPPED_MS)
}

/** What runs on the host: the rest is compared with a setup of just this. */
function nodeOf({world}: HostFolder): Node {
  const {kubeletVersion = ''} = world.cluster.nodes.find(({name}) => name === 'win-1') ?? {}
  return {containerd: (world.containerd.version ?? '').replace('v', ''), release: kubeletVersion.replace('v', '')}
}

async function purged(host: HostFolder): Promise<ReturnType<typeof wholeHost>> {
  const copy = host.copy()
  await removePods(copy)
  // The simulator notices as time passes that containerd's data is gone.
  await (await openSimulator({dir: copy.dir, profile: PROFILE})).clock.sleep(1)
  return wholeHost(copy)
}
