// What setup left in writing, for who only looks: also where some of it is damaged, half-made or not ours to read.
import {layoutOf} from '../config/layout.js'
import type {SetupConfig} from '../config/model.js'
import {environmentVariable} from '../config/options.js'
import {STEP_IDS, type StepId} from '../config/step-ids.js'
import {ProblemsError} from '../errors/k8s-win-error.js'
import {listAt, parseJson, textAt} from '../host/document.js'
import {readUserFile} from '../host/user-file.js'
import {type Journal, openJournal} from '../pipeline/journal.js'
import type {StatusProblem, Unseen} from '../pipeline/status-report.js'
import {whyUnseen} from '../probes/probe.js'
import {readConfiguration} from './configuration.js'
import {type NodeRequest, readKnownNode} from './known-node.js'
import {within} from './status-node.js'

const RECORDS_MS = 5000
/** Of what another run wrote about itself. */
const LONGEST = 200

/** A problem whose command is still to be put together. */
export type RecordProblem = Omit<StatusProblem, 'next'> & {readonly next?: string}

export interface LookedUpNode {
  readonly config: SetupConfig
  /** It is known what this node was set up with, so that drift from it can be told. */
  readonly isComparable: boolean
  readonly journal: Journal
  readonly problems: readonly RecordProblem[]
  readonly state: 'absent' | 'there'
  readonly unseen: readonly Unseen[]
  readonly warnings: readonly string[]
}

/** Throws a ProblemsError only for what is wrong with the base directory that was asked for. */
export async function lookUpNode(asked: NodeRequest): Promise<LookedUpNode> {
  const {clock} = asked.machine
  // Somebody's remote Docker is not this node's, and no reason not to look.
  const request = {...asked, dockerHost: /^npipe:/i.test(asked.dockerHost ?? '') ? asked.dockerHost : undefined}
  try {
    const known = await within(clock, RECORDS_MS, readKnownNode(request))
    const {damage, journal, problem, state} = known
    const layout = layoutOf(known.config.baseDir)
    const [last, lock] = await within(
      clock,
      RECORDS_MS,
      Promise.all([layout.result, layout.lock].map((path) => readRecord(request, path))),
    )
    const config = {...known.config, skip: skippedIn(last)}
    const isAbsent = state === 'absent' && damage === undefined && problem === undefined
    const problems = [
      ...(problem ? [unusable(problem, layout.nodeConfig)] : []),
      ...(damage?.message === undefined ? [] : [damaged(damage.message, layout.journal)]),
      ...(state === 'set-up' || isAbsent ? [] : [unfinished(last, config.baseDir)]),
    ]
    const isComparable = state === 'set-up' && problem === undefined
    const unseen =
      isAbsent || isComparable ? [] : [{what: 'drift', why: 'it is not known what this node was set up with'}]
    const there = isAbsent ? 'absent' : 'there'
    return {config, isComparable, journal, problems, state: there, unseen, warnings: atWork(lock)}
  } catch (error) {
    request.signal.throwIfAborted()
    if (error instanceof ProblemsError) throw error
    return unreadable(request, error)
  }
}

/** Services, networks and ports are seen without it; a node that is there must not be called absent. */
async function unreadable(request: NodeRequest, error: unknown): Promise<LookedUpNode> {
  const {baseDir, dockerHost, environment, machine, signal} = request
  const variable = environmentVariable('base-dir')
  const flags = baseDir === undefined ? {} : {'base-dir': baseDir}
  const input = {dockerHost, environment: {[variable]: environment[variable]}, flags, machine, signal}
  const {config} = await readConfiguration({...input, withStored: false})
  const {journal: path, state} = layoutOf(config.baseDir)
  const {clock, files} = machine
  return {
    config,
    isComparable: false,
    journal: await openJournal({...files, ...NOTHING_THERE}, path, () => clock.now()),
    problems: [],
    state: 'there',
    unseen: [{what: `the records of setup in ${state}`, why: whyUnseen(error, {deadlineMs: RECORDS_MS})}],
    warnings: [],
  }
}

const NOTHING_THERE = {
  read: () => Promise.resolve(undefined),
  readRange: () => Promise.resolve(undefined),
  status: () => Promise.resolve(undefined),
}

/** Undefined where there is none, or nothing that can be read. */
async function readRecord({machine}: NodeRequest, path: string): Promise<unknown> {
  const content = await readUserFile(machine.files, path).catch(() => undefined)
  return content && parseJson(content.toString('utf8'))
}

/** The record of who holds the lock: what is seen now may be half of what is being made. */
function atWork(lock: unknown): string[] {
  if (lock === undefined) return []
  const [command, since] = [textAt(lock, 'command').slice(0, LONGEST), textAt(lock, 'since').slice(0, LONGEST)]
  return [`a run of k8s-win is at work on this node, or died (since ${since || 'unknown'}: ${command || 'unknown'})`]
}

/** What the last setup was told to leave out is no drift. node.yaml does not keep it: it is for one run. */
function skippedIn(last: unknown): StepId[] {
  if (textAt(last, 'command') !== 'setup') return []
  const skipped = listAt(last, 'steps').filter((step) => textAt(step, 'state') === 'skipped')
  return STEP_IDS.filter((id) => skipped.some((step) => textAt(step, 'id') === id))
}

const unusable = ({problems}: ProblemsError, path: string): RecordProblem => ({
  area: 'setup',
  cause: problems.map(({reason}) => reason).join(' '),
  next: problems.map(({fix}) => fix).join(' '),
  seen: problems.map(({message}) => message).join('; '),
  subject: path,
  wanted: 'what the last setup stored',
})

const damaged = (message: string, path: string): RecordProblem => ({
  area: 'setup',
  cause: 'Somebody edited it, or the disk lost a part of it.',
  seen: message,
  subject: path,
  wanted: 'the journal as setup wrote it',
})

function unfinished(last: unknown, baseDir: string): RecordProblem {
  const said = textAt(last, 'error', 'message')
  return {
    area: 'setup',
    cause: said === '' ? 'It was interrupted, failed, or is still at work.' : `The last run ended with: ${said}.`,
    seen: 'a setup began here and did not come to its end',
    subject: baseDir,
    wanted: 'a setup that came to its end',
  }
}
