// For each known failure a line that is it, and lines that are close to it and are not.
import type {SignatureSource} from '../../../src/signatures/index.js'

export interface SignatureLine {
  readonly id: string
  readonly is: string
  /** Not this one; another may know it. */
  readonly isNot: readonly string[]
  readonly source: SignatureSource
}

export const line = (source: SignatureSource, id: string, is: string, ...isNot: readonly string[]): SignatureLine => ({
  id,
  is,
  isNot,
  source,
})
