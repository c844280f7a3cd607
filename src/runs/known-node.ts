// What is known of the node in a base directory: what the last setup stored, and what it noted. Reads only.
import {layoutOf} from '../config/layout.js'
import type {SetupConfig} from '../config/model.js'
import {environmentVariable, type GivenOptions} from '../config/options.js'
import {type K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {openTrust} from '../host/security/trust.js'
import type {Machine} from '../machine/machine.js'
import {type Journal, openTrustedJournal} from '../pipeline/ledger/journal.js'
import type {JournalDamage} from '../pipeline/ledger/journal-file.js'
import {readConfiguration} from './configuration.js'

export interface NodeRequest {
  /** Of --base-dir. */
  readonly baseDir?: string | undefined
  /** Of --config, which may say where the node is. */
  readonly configFile?: string | undefined
  readonly dockerHost?: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly machine: Machine
  readonly signal: AbortSignal
}

export interface KnownNode {
  /** As the last setup stored it; the defaults for what it did not store. */
  readonly config: SetupConfig
  /** What is wrong with the journal. */
  readonly damage?: JournalDamage
  /** Why the journal was not read. */
  readonly distrust?: K8sWinError
  readonly journal: Journal
  /** Why what the last setup stored cannot be used: then `config` has nothing but the defaults. */
  readonly problem?: ProblemsError
  /** No node; a setup that did not finish; one that did. */
  readonly state: 'absent' | 'begun' | 'set-up'
}

/** Throws a ProblemsError only for what is wrong with the base directory that was asked for. */
export async function readKnownNode(request: NodeRequest): Promise<KnownNode> {
  const {clock, files, win32} = request.machine
  const {config, problem} = await readStored(request)
  const layout = layoutOf(config.baseDir)
  const [{distrust, journal}, stored] = await Promise.all([
    openTrustedJournal({clock, files, trust: openTrust(win32)}, layout.journal),
    files.status(layout.nodeConfig),
  ])
  // After a reset the journal names only what that has left.
  const last = journal.all().at(-1)?.entry.kind ?? 'reset'
  const begun = last === 'reset' ? 'absent' : 'begun'
  return {
    config,
    ...(journal.damage && {damage: journal.damage}),
    ...(distrust && {distrust}),
    journal,
    ...(problem && {problem}),
    state: stored?.kind === 'file' ? 'set-up' : begun,
  }
}

/** Only which node is meant is taken from the environment: the rest would make it look like another one. */
async function readStored(request: NodeRequest): Promise<{config: SetupConfig; problem?: ProblemsError}> {
  const {baseDir, configFile, dockerHost, environment, machine, signal} = request
  const variable = environmentVariable('base-dir')
  const flags: GivenOptions = {
    ...(baseDir !== undefined && {'base-dir': baseDir}),
    ...(configFile !== undefined && {config: configFile}),
  }
  const input = {dockerHost, environment: {[variable]: environment[variable]}, flags, machine, signal}
  try {
    return {config: (await readConfiguration(input)).config}
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error
    // Without the stored values, problems of the request itself are reported again.
    return {config: (await readConfiguration({...input, withStored: false})).config, problem: error}
  }
}
