// The programs of the node: there, of the version that was asked for, and still the bytes that were verified.
import {win32} from 'node:path'
import {
  type Artifact,
  cniPluginsArtifact,
  flannelCniArtifact,
  flanneldArtifact,
  kubernetesArtifact,
  shawlArtifact,
} from '../artifacts/catalog.js'
import {layoutOf} from '../config/layout.js'
import type {NodeConfig} from '../config/model.js'
import type {ProgramStatus} from '../pipeline/status-report.js'
import type {StepId} from '../pipeline/step-id.js'
import type {FoundProblem, Probe, ProbeContext} from './probe.js'

/** Some hundred megabytes are read, on a slow disk not from memory. */
export const DIGESTS_MS = 20_000

interface Wanted {
  readonly artifact: Artifact
  readonly paths: readonly string[]
  readonly step: StepId
}

export const programsProbe: Probe<readonly ProgramStatus[]> = {
  deadlineMs: DIGESTS_MS,
  async look(context) {
    const seen = await Promise.all(
      wantedPrograms(context.config).flatMap(({artifact, paths, step}) =>
        paths.map(async (path) => ({artifact, program: await lookAt(context, step, artifact, path), step})),
      ),
    )
    const wrong = seen.filter(({program}) => program.state !== 'verified')
    return {
      problems: wrong.map(({artifact, program, step}) => problemOf(context, step, artifact, program)),
      report: seen.map(({program}) => program),
    }
  },
  steps: ['kubernetes-binaries', 'cni-binaries', 'flannel-binary'],
  what: 'the programs',
}

function wantedPrograms(config: NodeConfig): Wanted[] {
  const {binaries, cniBinaries, flanneld, shawl} = layoutOf(config.baseDir)
  const members = (artifact: Artifact, folder: string): string[] =>
    Object.values(artifact.members ?? {}).map((name) => win32.join(folder, name))
  const [kubernetes, plugins] = [kubernetesArtifact(config), cniPluginsArtifact(config)]
  return [
    {artifact: kubernetes, paths: members(kubernetes, binaries), step: 'kubernetes-binaries'},
    {artifact: plugins, paths: members(plugins, cniBinaries), step: 'cni-binaries'},
    {artifact: flannelCniArtifact(config), paths: [win32.join(cniBinaries, 'flannel.exe')], step: 'cni-binaries'},
    {artifact: flanneldArtifact(config), paths: [flanneld], step: 'flannel-binary'},
    {artifact: shawlArtifact(config), paths: [shawl], step: 'flannel-binary'},
  ]
}

async function lookAt(
  {host, journal}: ProbeContext,
  step: StepId,
  artifact: Artifact,
  path: string,
): Promise<ProgramStatus> {
  const record = journal.entries(step, 'file').find((entry) => entry.path === path && entry.sha256 !== undefined)
  const told = {artifact: artifact.id, path, version: record?.version ?? ''}
  if (!(await host.files.status(path))) return {...told, state: 'missing'}
  if (record?.version !== artifact.version) return {...told, state: 'other version'}
  const isSame = (await host.files.digest(path, 'sha256')) === record.sha256
  return {...told, state: isSame ? 'verified' : 'changed'}
}

function problemOf(
  {command}: ProbeContext,
  step: StepId,
  {id, version}: Artifact,
  {path, state, version: recorded}: ProgramStatus,
): FoundProblem {
  const told = {
    changed: {
      cause: 'Somebody or something replaced it, or the disk is damaged. Find out who before you trust this host.',
      seen: 'it is not the file that was verified when it was installed',
    },
    missing: {
      cause: 'Somebody deleted it, or an antivirus program took it away.',
      seen: 'it is not there',
    },
    'other version': {
      cause: 'It was not installed by the last setup, or the journal has lost what it noted of it.',
      seen: recorded === '' ? 'nothing is noted of it' : `it is version ${recorded}`,
    },
    verified: {cause: '', seen: ''},
  }[state]
  return {
    ...told,
    area: 'programs',
    next: command('setup'),
    steps: [step],
    subject: path,
    wanted: `${id} ${version}, as it was verified`,
  }
}
