// What the parts of watch tell each other: what was found, what is done about it, and what others get to see.
import type {StepId} from '../../config/step-ids.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import type {Machine} from '../../machine/machine.js'
import type {Redact} from '../../output/text/redact.js'
import type {HealthDocument} from '../../pipeline/run/health-document.js'

export type WatchVerdict = HealthDocument['verdict']

/** Something that is wrong with the node. */
export interface Trouble {
  /** The name of a daemon's service, `runtime` or `network`. */
  readonly component: string
  readonly error: Pick<K8sWinError, 'fix' | 'id' | 'message'>
  /** Of the Node's condition: in CamelCase, e.g. `FlanneldStopped`. */
  readonly reason: string
  /** What repairs it; none where it is only reported. */
  readonly repairedBy: readonly StepId[]
}

/** kube-proxy is KubeProxy, and NODE_IS_A_COPY is NodeIsACopy. */
export const inCamelCase = (name: string): string =>
  name.toLowerCase().replaceAll(/(?:^|[-_])([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

export interface WatchRepair {
  readonly at: number
  readonly outcome: HealthDocument['repairs'][number]['outcome']
  /** "flanneld", "overlay network": what was repaired, in words. */
  readonly what: string
  /** Of a repair that failed, or was given up. */
  readonly why?: string
}

export const repairText = ({outcome, what, why = 'unknown'}: WatchRepair): string =>
  `k8s-win ${outcome === 'repaired' ? `repaired ${what}` : `gave up on ${what}: ${why}`}`

/** What is known at one moment. */
export interface WatchState {
  readonly at: number
  /** Every component that is watched: what is not in `troubles` is healthy. */
  readonly components: readonly string[]
  /** Why nothing is repaired, in words: paused until …, a restart of Windows is pending. */
  readonly detail?: string
  /** Another run is at work, or this host is not the node's. */
  readonly isBusy?: boolean
  /** The newest last. */
  readonly repairs: readonly WatchRepair[]
  /** When the verdict became what it is. */
  readonly since: number
  readonly troubles: readonly Trouble[]
  readonly verdict: WatchVerdict
}

/** What reporters on the host need. */
export interface ReporterInput {
  readonly baseDir: string
  readonly machine: Machine
  readonly redact: Redact
}

/** Shows the state to a user or a program. It never rejects. */
export interface WatchReporter {
  /** At an orderly stop. */
  end?(): Promise<void>
  /** After every round; what has not changed is not shown again. */
  report(state: WatchState): Promise<void>
}

/** A disk that hangs must not collect writes: what comes meanwhile is left out. What fails is tried again in the next round. */
export function oneAtATime(show: WatchReporter['report']): WatchReporter['report'] {
  let isBusy = false
  return async (state) => {
    if (isBusy) return
    isBusy = true
    await show(state).catch(() => {})
    isBusy = false
  }
}

/** How a child process that repairs, or looks for what the loop itself cannot see, has ended. */
export interface ChildOutcome {
  readonly changed: number
  readonly exitCode: number
  /** What is wrong after it. */
  readonly problems: readonly Pick<Trouble, 'component' | 'error' | 'reason'>[]
}
