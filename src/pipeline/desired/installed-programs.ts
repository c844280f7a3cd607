// The programs of a node: where each is, what it comes from, and what was recorded of it when it was verified.
import type {Artifact} from '../../artifacts/catalog.js'
import {programsOf} from '../../artifacts/programs.js'
import type {SetupConfig} from '../../config/model.js'
import type {Journal} from '../ledger/journal.js'
import type {StepId} from '../run/step-id.js'

export interface InstalledProgram {
  readonly artifact: Artifact
  /** Undefined where the journal names no digest of it. */
  readonly noted?: {readonly sha256?: string; readonly version?: string}
  readonly path: string
  readonly step: StepId
}

export function installedPrograms(config: SetupConfig, journal: Pick<Journal, 'entries'>): InstalledProgram[] {
  return programsOf(config).flatMap(({artifact, paths, step}) =>
    paths.map((path) => {
      const files = journal.entries(step, 'file')
      const noted = files.find((entry) => entry.path === path && entry.sha256 !== undefined)
      return {artifact, ...(noted && {noted}), path, step}
    }),
  )
}
