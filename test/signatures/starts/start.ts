// A healthy start, as a program logs it: the words are those of its source at the version.
import type {ComplainedFile, SignatureSource} from '../../../src/signatures/index.js'

export interface HealthyStart {
  /** "kubelet 1.36.4" */
  readonly at: string
  readonly lines: readonly string[]
  readonly source: SignatureSource
}

/** All of them are there when setup has finished. */
export const WRITTEN: readonly ComplainedFile[] = ['10-flannel.conflist', 'cni.conf', 'subnet.env']
