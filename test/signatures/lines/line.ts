// For each known failure a line that is it, with the program and version whose source has its words, and lines that are
// close to it and are not.
import type {SignatureSource} from '../../../src/signatures/index.js'

export interface SignatureLine {
  /** "kubelet 1.36.4": the program that writes it, and the version at whose source it was read. */
  readonly at: string
  readonly id: string
  readonly is: string
  /** Not this one; another may know it. */
  readonly isNot: readonly string[]
  readonly source: SignatureSource
}

export const line = (
  source: SignatureSource,
  id: string,
  at: string,
  is: string,
  ...isNot: readonly string[]
): SignatureLine => ({at, id, is, isNot, source})
