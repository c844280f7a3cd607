// The programs of a node: present, of the version that setup installed, and unchanged since they were verified.
import type {Node} from '../config/model.js'
import {type Programs, programsOf} from '../artifacts/programs.js'
import {programChanged, programMissing, programOfOtherVersion} from '../errors/unhealthy-node.js'
import {DIGESTS_MS} from '../pipeline/desired/programs/programs.js'
import {verifiedProgram} from '../pipeline/desired/programs/programs.js'
import type {ProgramStatus} from '../pipeline/run/status-report.js'
import {check, type FoundProblem} from '../preflight/check.js'
import type {Facts} from '../preflight/facts.js'
import {NotCheckedError, problemOf} from './run-reporting-check.js'

export const programsCheck = check<readonly ProgramStatus[], Node>(
  'node-programs',
  {
    deadlineMs: DIGESTS_MS,
    healthy: 'verified',
    on: 'node',
    part: 'programs',
    steps: ['containerd-binaries', 'kubernetes-binaries', 'cni-binaries', 'flannel-binary'],
    title: 'Installed programs',
    what: 'the programs',
  },
  async (context) => {
    if (context.journal.all().length === 0)
      throw new NotCheckedError('their digests are in the journal, which cannot be read')
    const found = await Promise.all(
      programsOf(context.config).flatMap((programs) =>
        programs.paths.map(async (path) => ({programs, status: await statusOf(context, programs, path)})),
      ),
    )
    const wrong = found.filter(({status}) => !/^(?:not-checked|verified)$/.test(status.state))
    const lost = found.filter(({status}) => status.state === 'not-checked').length
    const what = lost === 1 ? '1 program' : `${lost} programs`
    return {
      ...(lost > 0 && {notChecked: [{what, why: 'the journal has lost the digests'}]}),
      problems: wrong.map(({programs, status}) => problemIn(programs, status)),
      report: found.map(({status}) => status),
    }
  },
)

async function statusOf(
  {host, journal, options: {isJournalIncomplete = false}}: Facts<Node>,
  {artifact, step}: Programs,
  path: string,
): Promise<ProgramStatus> {
  const recorded = verifiedProgram(journal, step, path)
  const about = {artifact: artifact.id, path, version: recorded?.version ?? ''}
  if (!(await host.files.status(path))) return {...about, state: 'missing'}
  // Setup decides which shawl is wanted: the one of this package may be older.
  const isOther = artifact.id !== 'shawl' && recorded?.version !== artifact.version
  if (!recorded || isOther)
    return {...about, state: isJournalIncomplete && about.version === '' ? 'not-checked' : 'other version'}
  const isSame = (await host.files.digest(path, 'sha256')) === recorded.sha256
  return {...about, state: isSame ? 'verified' : 'changed'}
}

function problemIn({artifact, step}: Programs, {path, state, version}: ProgramStatus): FoundProblem {
  const about = {area: 'programs', steps: [step], subject: path} as const
  const wanted = `${artifact.id} ${artifact.version}, verified`
  if (state === 'missing') return problemOf(programMissing({path, wanted}), {...about, restsOn: ['end of the run']})
  if (state === 'changed') return problemOf(programChanged({path, wanted}), about)
  const seen = version === '' ? 'is not recorded in the journal' : `is version ${version}`
  const lost = version === '' ? (['end of the run', 'journal'] as const) : []
  return problemOf(programOfOtherVersion({path, seen, wanted}), {...about, restsOn: [...lost, 'stored values']})
}
