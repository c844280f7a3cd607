// A run that was killed, anywhere: every command has the same answer to whether it is unfinished. Before its first change it is
// not, and from then on it is until its end.
import {describe, expect, test} from 'vitest'
import type {Machine} from '../../../src/machine/machine.js'
import {Win32Error} from '../../../src/machine/win32.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {printedCommand} from '../../../src/runs/daemons/foreground-command.js'
import {readKnownNode} from '../../../src/runs/known-node.js'
import {whyAside} from '../../../src/runs/watch/stand-aside.js'
import {examine} from '../../doctor/doctor-rig.js'
import {allowEverything} from '../../fakes/administrator.js'
import {faultyMachine} from '../../fakes/faulty.js'
import {assets} from '../../fixtures/assets.js'
import {type Recorded, recordPoints, spread} from '../../interruption/kill-points.js'
import {resetOn} from '../../reset/reset-run.js'
import {isWhole} from '../../sample.js'
import {setupOn} from '../../setup/in-process.js'
import {statusOn} from '../../status/status-on.js'
import {HostFolder, profileOf} from '../../steps/host-folder.js'
import {nodeAt, PROFILE} from '../../upgrade/node-at.js'
import {verifyOn} from '../../verify/verify-run.js'
import {daemonsOn} from '../daemons/daemons-on.js'
import {recoverOn} from '../recover-on.js'

/** Of the states that a kill leaves. */
const ASKED = isWhole ? 40 : 4
const UNFINISHED = ['RESET_UNFINISHED', 'SETUP_UNFINISHED', 'UPGRADE_UNFINISHED']

/** What a command says of runs; "none": no run is unfinished, whatever else is wrong. */
function answerIn(ids: readonly (string | undefined)[]): string {
  if (ids.includes('NO_NODE')) return 'absent'
  return ids.find((id) => id !== undefined && UNFINISHED.includes(id)) ?? 'none'
}

const idsOf = (error: unknown): (string | undefined)[] => [(error as {readonly id?: string} | undefined)?.id]

/** By the name of the command. Each has a host of its own. */
async function answersOn(host: HostFolder): Promise<Readonly<Record<string, string>>> {
  const profile = profileOf(host.dir)
  const open = () => openSimulator({dir: host.copy().dir, profile})
  const request = {environment: {}, signal: new AbortController().signal}
  const {document: status} = await statusOn(host.copy().dir, {profile})
  const {document: doctor} = await examine(host.copy(), {profile})
  const machine = await open()
  const known = await readKnownNode({...request, machine})
  const aside = known.state === 'set-up' ? await whyAside({...known, machine}) : undefined
  const printed = printedCommand({...request, assets, machine: await open()}, 'kubelet', [])
  const idOfStatus = status.exitCode === 9 ? 'absent' : answerIn(status.problems.map(({id}) => id))
  return {
    status: idOfStatus,
    doctor: doctor.node === 'absent' ? 'absent' : answerIn(doctor.problems.map(({id}) => id)),
    recover: answerIn(idsOf((await recoverOn(host.copy().dir)).result.error)),
    'run --print': await printed.then(
      () => 'none',
      (error: unknown) => answerIn(idsOf(error)),
    ),
    start: answerIn(idsOf((await daemonsOn(host.copy().dir, 'start')).result.error)),
    stop: answerIn(idsOf((await daemonsOn(host.copy().dir, 'stop')).result.error)),
    verify: answerIn(idsOf((await verifyOn(host.copy())).result.error)),
    ...(known.state === 'set-up' && {watch: aside?.kind === 'unfinished' ? idOfStatus : 'none'}),
  }
}

const holder = (words: string) => ({command: `k8s-win ${words}`, processId: 4711, user: 'ann'})

async function setUp(): Promise<HostFolder> {
  const host = HostFolder.empty()
  expect((await setupOn(host.dir, {}, {}, 'ws2019')).result.exitCode).toBe(0)
  host.edit(allowEverything)
  return host
}

const ROWS: readonly [
  name: string,
  make: () => Promise<HostFolder>,
  run: Recorded,
  before: string,
  during: string,
  after: string,
][] = [
  [
    'a setup of a new node',
    () => HostFolder.fresh(allowEverything),
    async (dir, wrap) => void (await setupOn(dir, {}, {holder: holder('setup'), wrap})),
    'absent',
    'SETUP_UNFINISHED',
    'none',
  ],
  [
    'a setup over a node that is set up',
    setUp,
    async (dir, wrap) => void (await setupOn(dir, {'node-label': ['a=b']}, {holder: holder('setup'), wrap})),
    'none',
    'SETUP_UNFINISHED',
    'none',
  ],
  [
    'a setup over a reset that did not finish',
    async () => {
      const host = await setUp()
      const wrap = (machine: Machine): Machine =>
        faultyMachine(machine, [
          {
            at: ({args, what}) => what === 'deleteService' && args[0] === 'flanneld',
            does: new Win32Error('DeleteService', 5, 'flanneld'),
            when: 'before',
          },
        ])
      expect((await resetOn(host.dir, {given: {yes: true}, wrap})).result.exitCode).toBe(7)
      return host
    },
    async (dir, wrap) => void (await setupOn(dir, {}, {holder: holder('setup'), wrap})),
    'RESET_UNFINISHED',
    'SETUP_UNFINISHED',
    'none',
  ],
  [
    'an upgrade',
    () => nodeAt('1.30.14', '1.31.14'),
    async (dir, wrap) => {
      const upgrade = {drainMs: 60_000}
      await setupOn(dir, {release: '1.31.14'}, {holder: holder('upgrade'), upgrade, wrap}, PROFILE)
    },
    'none',
    'UPGRADE_UNFINISHED',
    'none',
  ],
  [
    'a reset',
    setUp,
    async (dir, wrap) => void (await resetOn(dir, {given: {yes: true}, holder: holder('reset --yes'), wrap})),
    'none',
    'RESET_UNFINISHED',
    'absent',
  ],
]

describe('review W3-7: of a run that was killed every command says the same', () => {
  test.each(ROWS)(
    '%s',
    async (_, make, run, before, during, after) => {
      const host = await make()
      const {left} = await recordPoints(host, () => true, run)
      const order: string[] = []
      for (const {host: killed, points} of [...left.slice(0, 1), ...spread({left}, ASKED), ...left.slice(-1)]) {
        if (!killed) throw new Error('nothing was killed')
        const answers = await answersOn(killed)
        const {status = ''} = answers
        expect(answers, points[0]).toEqual(Object.fromEntries(Object.keys(answers).map((name) => [name, status])))
        if (order.at(-1) !== status) order.push(status)
      }
      expect(order).toEqual([before, during, after])
    },
    600_000,
  )
})
