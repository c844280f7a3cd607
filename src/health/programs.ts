// The programs of the node: there, of the version that was asked for, and still the bytes that were verified.
import type {Artifact} from '../artifacts/catalog.js'
import {programsOf} from '../artifacts/programs.js'
import {programChanged, programMissing, programOfOtherVersion} from '../errors/unhealthy-node.js'
import {verifiedProgram} from '../pipeline/ledger/memo.js'
import type {ProgramStatus} from '../pipeline/run/status-report.js'
import type {StepId} from '../pipeline/run/step.js'
import {
  byCommand,
  type FoundProblem,
  type Ground,
  type Probe,
  type ProbeContext,
  problemOf,
  type Seen,
} from './probe.js'

/** Some hundred megabytes are read, on a slow disk not from memory. */
export const DIGESTS_MS = 20_000

export const programsProbe: Probe<readonly ProgramStatus[]> = {
  check: 'node-programs',
  deadlineMs: DIGESTS_MS,
  async look(context) {
    const seen = await Promise.all(
      programsOf(context.config).flatMap(({artifact, paths, step}) =>
        paths.map(async (path) => ({artifact, program: await lookAt(context, artifact, step, path), step})),
      ),
    )
    const wrong = seen.filter(({program}) => program.state !== 'verified')
    return {
      problems: wrong.map(({artifact, program, step}) => unfit(context, step, artifact, program)),
      report: seen.map(({program}) => program),
    }
  },
  steps: ['kubernetes-binaries', 'cni-binaries', 'flannel-binary'],
  what: 'the programs',
}

async function lookAt(
  {host, journal}: ProbeContext,
  artifact: Artifact,
  step: StepId,
  path: string,
): Promise<ProgramStatus> {
  const noted = verifiedProgram(journal, step, path)
  const told = {artifact: artifact.id, path, version: noted?.version ?? ''}
  if (!(await host.files.status(path))) return {...told, state: 'missing'}
  if (noted?.version !== artifact.version) return {...told, state: 'other version'}
  const isSame = (await host.files.digest(path, 'sha256')) === noted.sha256
  return {...told, state: isSame ? 'verified' : 'changed'}
}

/** Of a journal that has lost some of its records: what it does not name cannot be judged. */
export function withLostDigests(seen: Seen<readonly ProgramStatus[]>): Seen<readonly ProgramStatus[]> {
  const isLost = ({state, version}: ProgramStatus): boolean => state === 'other version' && version === ''
  const lost = seen.report?.filter(isLost).length ?? 0
  if (!seen.report || lost === 0) return seen
  const what = lost === 1 ? '1 program' : `${lost} programs`
  return {
    ...seen,
    report: seen.report.map((program) => (isLost(program) ? {...program, state: 'not checked'} : program)),
    unseen: [...seen.unseen, {what, why: 'the journal has lost the digests'}],
  }
}

function unfit(
  {command}: ProbeContext,
  step: StepId,
  {id, version}: Artifact,
  {path, state, version: recorded}: ProgramStatus,
): FoundProblem {
  const told = {
    changed: {
      cause: 'It was replaced, or the disk is damaged. Find out by whom before you trust this host.',
      seen: 'the file has changed since it was installed',
    },
    missing: {
      cause: 'It was deleted, by hand or by an antivirus program.',
      seen: 'the file does not exist',
    },
    'not checked': {cause: '', seen: ''},
    'other version': {
      cause: 'It was not installed by the last setup, or the journal has lost its record.',
      seen: recorded === '' ? 'it is not recorded in the journal' : `it is version ${recorded}`,
    },
    verified: {cause: '', seen: ''},
  }[state]
  const restsOn: Ground[] =
    state === 'missing' ? ['end of the run'] : recorded === '' ? ['end of the run', 'journal'] : []
  if (state === 'other version') restsOn.push('stored values')
  const error =
    state === 'missing'
      ? programMissing({path})
      : state === 'changed'
        ? programChanged({path})
        : programOfOtherVersion({path, seen: told.seen})
  return problemOf(error, {
    ...told,
    area: 'programs',
    ...byCommand(command('setup')),
    restsOn,
    steps: [step],
    subject: path,
    wanted: `${id} ${version}, verified`,
  })
}
