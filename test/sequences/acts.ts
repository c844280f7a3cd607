// What happens to a host in a sequence: commands, killed or not, and what others change on it.
import fc from 'fast-check'
import type {FITTING} from '../fixtures/present-containerd.js'
import type {HostEnd} from '../interruption/host-end.js'
import {driftsOf} from './drifts.js'

/** Killed before or after the n-th effect of the command that changes more than its log; one with fewer ends as it would. */
export interface Kill {
  readonly at: number
  /** The host ends there, too, and starts again. */
  readonly end?: HostEnd | undefined
  readonly when: 'after' | 'before'
}

export type Act =
  | {readonly drift: string}
  /** A pod that can be evicted arrives on the node. */
  | {readonly pod: true}
  | {readonly restart: true}
  | {readonly kill?: Kill | undefined; readonly purge: boolean; readonly run: 'reset'}
  | SetupAct

export interface SetupAct {
  /** --containerd-version */
  readonly containerd?: string | undefined
  /** Of upgrade. */
  readonly drain?: boolean
  /** No room on the disk from the n-th file on that is written. */
  readonly full?: number | undefined
  readonly kill?: Kill | undefined
  /** The service that Windows does not start, once. */
  readonly refused?: string | undefined
  readonly release?: string | undefined
  readonly run: 'setup' | 'upgrade'
}

/** A cluster, and the releases that are asked for in it: older and newer minors, patches, and some beyond the skew. */
export interface Stage {
  /** Versions that --containerd-version asks for. */
  readonly containerd?: readonly string[]
  /** A containerd that is there already (test/fixtures/present-containerd.ts). */
  readonly present?: keyof typeof FITTING
  readonly releases: readonly string[]
  readonly server: string
}

export const STAGES: Readonly<Record<string, Stage>> = {
  // The runner of logs from 1.26 on, the endpoint as a field from 1.27 on.
  '1.27': {releases: ['1.24.17', '1.25.16', '1.26.15', '1.27.14', '1.27.16', '1.28.15'], server: '1.27.16'},
  // The cgroup flags until 1.30, and containerd 2 from 1.31 on.
  '1.31': {
    containerd: ['1.7.25', '2.2.7'],
    releases: ['1.27.16', '1.30.14', '1.30.12', '1.31.9', '1.31.14', '1.32.13'],
    server: '1.31.14',
  },
  // The rotation of logs from 1.34 on.
  '1.36': {
    containerd: ['2.2.7'],
    releases: ['1.32.13', '1.33.13', '1.34.11', '1.35.8', '1.36.3', '1.36.4'],
    server: '1.36.4',
  },
  AKS: {
    present: 'AKS: 1.7 under nssm with a file of version 1',
    releases: ['1.28.15', '1.30.14', '1.31.9', '1.31.14', '1.32.13'],
    server: '1.31.14',
  },
  EKS: {present: 'EKS: 2.1 with a file of version 3', releases: ['1.33.13', '1.34.9', '1.34.11'], server: '1.34.11'},
  'another pipe': {
    present: '2.3 with a file of version 4, another pipe, and its root on another drive',
    releases: ['1.25.16', '1.26.15', '1.27.16', '1.28.15'],
    server: '1.28.15',
  },
}

export interface Sequence {
  readonly acts: readonly Act[]
  readonly stage: string
}

/** So many effects change something, the log of k8s-win aside: of a fresh setup, of an upgrade that goes back, of a reset. */
const EFFECTS = {reset: 125, setup: 215, upgrade: 100}
/** So many files are written, each of them once or more. */
const FILES = {setup: 120, upgrade: 45}

const sometimes = <T>(arbitrary: fc.Arbitrary<T>, weight: number): fc.Arbitrary<T | undefined> =>
  fc.oneof({arbitrary: fc.constant(undefined), weight: 10 - weight}, {arbitrary, weight})

const whenever = fc.constantFrom(true, false)
const upTo = (max: number): fc.Arbitrary<number> => fc.integer({max, min: 1})

const killed = (effects: number): fc.Arbitrary<Kill | undefined> =>
  sometimes(
    fc.record({
      at: upTo(effects),
      end: fc.constantFrom(undefined, 'power' as const, 'shutdown' as const),
      when: fc.constantFrom('after' as const, 'before' as const),
    }),
    3,
  )

function setupOf({containerd = [], releases}: Stage): fc.Arbitrary<Act> {
  return fc.record({
    containerd: containerd.length === 0 ? fc.constant(undefined) : sometimes(fc.constantFrom(...containerd), 2),
    full: sometimes(upTo(FILES.setup), 1),
    kill: killed(EFFECTS.setup),
    release: sometimes(fc.constantFrom(...releases), 7),
    run: fc.constant('setup' as const),
  })
}

function actOf(stage: Stage): fc.Arbitrary<Act> {
  const upgrade = fc.record({
    drain: whenever,
    full: sometimes(upTo(FILES.upgrade), 1),
    kill: killed(EFFECTS.upgrade),
    refused: sometimes(fc.constantFrom('containerd', 'kubelet', 'kubeproxy'), 3),
    release: sometimes(fc.constantFrom(...stage.releases), 7),
    run: fc.constant('upgrade' as const),
  })
  const reset = fc.record({kill: killed(EFFECTS.reset), purge: whenever, run: fc.constant('reset' as const)})
  return fc.oneof(
    {arbitrary: setupOf(stage), weight: 5},
    {arbitrary: upgrade, weight: 5},
    {arbitrary: fc.record({drift: fc.constantFrom(...driftsOf(stage).keys())}), weight: 4},
    {arbitrary: fc.constant({pod: true as const}), weight: 1},
    {arbitrary: fc.constant({restart: true as const}), weight: 1},
    {arbitrary: reset, weight: 2},
  )
}

/** On these stages, or all of them. */
export const sequencesOn = (...stages: readonly string[]): fc.Arbitrary<Sequence> =>
  fc.constantFrom(...(stages.length === 0 ? Object.keys(STAGES) : stages)).chain((stage) => {
    const place = STAGES[stage] as Stage
    const acts = fc.tuple(setupOf(place), fc.array(actOf(place), {maxLength: 7, minLength: 2}))
    return fc.record({acts: acts.map(([first, rest]) => [first, ...rest]), stage: fc.constant(stage)})
  })
