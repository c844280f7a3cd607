// The programs of a node: there, and still the bytes that were verified when they were installed.
import {programChanged, programMissing} from '../errors/sick-node.js'
import {type K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {type InstalledProgram, installedPrograms} from '../pipeline/installed-programs.js'
import {type Check, notLookedAt, pass} from '../preflight/check.js'
import type {HostFacts} from '../preflight/facts.js'

/** Of the version that is installed: doctor may be asked about another one that is to come. */
export const nodePrograms: Check = {
  id: 'node-programs',
  async run(facts) {
    const programs = installedPrograms(facts.config, facts.journal)
    const found = await Promise.all(programs.map((program) => whyWrong(facts, program)))
    const problems = found.filter((problem) => problem !== undefined)
    if (problems.length > 0) throw new ProblemsError(problems)
    const unnoted = programs.filter(({noted}) => noted === undefined)
    if (unnoted.length === 0) return pass(`${programs.length} programs as they were verified`)
    return notLookedAt(`all are there, but the journal has no digest of ${unnoted.length} of ${programs.length}`)
  },
  title: 'Programs of the node',
}

async function whyWrong({host}: HostFacts, {noted, path}: InstalledProgram): Promise<K8sWinError | undefined> {
  if (!(await host.files.status(path))) return programMissing({path})
  const isSame = noted === undefined || (await host.files.digest(path, 'sha256')) === noted.sha256
  return isSame ? undefined : programChanged({path})
}
