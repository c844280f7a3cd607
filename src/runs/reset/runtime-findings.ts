// What one reset has found out about the runtime, and what of it is k8s-win's.
import {containerdFailed} from '../../errors/downloads-and-images.js'
import {containerdAbsent, containerdStopped} from '../../errors/host.js'
import type {StepContext} from '../../pipeline/run/step.js'

export interface RuntimeFindings {
  /** Ended as the last resort: its pods and images went without it. */
  isEnded: boolean
  /** Something that pods and images are removed with was not there. */
  isMissing: boolean
  /** What pods and images are removed with is whole. */
  isRestored: boolean
  /** With --purge: nothing of it is to stay. */
  readonly mayEnd: boolean
  /** What is in containerd's data, which therefore stays, and k8s-win did not create. Undefined as long as it is unknown. */
  others?: readonly string[]
  readonly warned: Set<string>
}

export const MOST_NAMES = 10

export const newFindings = (mayEnd: boolean): RuntimeFindings => ({
  isEnded: false,
  isMissing: false,
  isRestored: true,
  mayEnd,
  warned: new Set(),
})

export const isShared = ({others = []}: RuntimeFindings): boolean => others.length > 0

/** containerd has answered before, so something may be in it. */
export const isUsed = ({host, journal}: Pick<StepContext, 'host' | 'journal'>): boolean =>
  host.runtime.name === 'containerd' &&
  (journal.entries('kubelet-service', 'service').length > 0 ||
    journal.all().some(({step}) => step === 'base-images' || step === 'sandbox-image'))

export const isDataOurs = ({journal}: Pick<StepContext, 'journal'>): boolean =>
  journal.entries('containerd-service', 'tree').length > 0

export const isOfContainerd = (error: unknown): boolean =>
  [containerdAbsent, containerdStopped, containerdFailed].some((one) => one.is(error))
