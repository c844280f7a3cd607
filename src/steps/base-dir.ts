// The base directory: there, writable by administrators only, with the kubeconfigs in it.
import {isDeepStrictEqual} from 'node:util'
import {copiedKubeconfigs, kubeconfigOf} from '../components/identity.js'
import {layoutOf} from '../config/layout.js'
import {type FetchedKubeconfig, IDENTITIES, type Node} from '../config/model.js'
import {ADMINISTRATORS_ONLY, ADMINISTRATORS_ONLY_FILE} from '../host/security/security.js'
import {applyFiles, claimFile, type DesiredFile, inspectFiles} from '../pipeline/desired/files/file.js'
import {ensureFolder} from '../pipeline/desired/files/folder.js'
import {copyText} from '../host/containerd/registry-config.js'
import {kubeconfigAt} from '../host/cluster/kubeconfig-file.js'
import {isWrittenByKubelet} from '../pipeline/desired/cluster/join-state.js'
import {copyProgram, inspectProgram} from '../pipeline/desired/programs/own-program.js'
import {removePath} from '../pipeline/desired/files/remove-path.js'
import {restrictFolders, inspectFolders, type SpecialFiles} from '../pipeline/desired/files/restrict-folders.js'
import {drifted, type Finding, inPlace, missing, type Step, type StepContext} from '../pipeline/run/step.js'
import {releaseOf} from '../pipeline/ledger/run-entries.js'
import {entryOf} from '../pipeline/desired/containers/present-containerd.js'

const ID = 'base-dir'

export const baseDir: Step = {
  async apply(context) {
    const {config, host} = context
    // That of an upgrade is recorded when it is proven.
    const releases = config.upgrade ? [] : [releaseOf(config)]
    await ensureFolder(context, ID, config.baseDir, ADMINISTRATORS_ONLY, releases)
    // Before anything is put into its folders.
    if (!isRecorded(context)) await context.journal.record(ID, entryOf(config))
    await restrictFolders(context, ID, await specialFiles(context))
    await copyProgram(context, ID)
    await applyFiles(context, ID, copyOfRegistries(config))
    for (const {from, to} of copiedKubeconfigs(config)) {
      const content = await wholeKubeconfig(context, from)
      const before = (await host.files.read(to))?.toString('utf8')
      if (before === content) continue
      // That of a node that joined with a token is nothing that reset could restore: its keys are gone then.
      const isKubelets = context.journal.entries('kubelet-service', 'tree').some(({path}) => path === to)
      if (isKubelets && before !== undefined && isWrittenByKubelet(before)) {
        await context.journal.forget(({entry}) => entry.kind === 'tree' && entry.path === to)
        await removePath(context, to)
      }

      await claimFile(context, ID, to, 'user')
      await host.files.write(to, content, {sddl: ADMINISTRATORS_ONLY_FILE})
      context.changed(`write ${to}`)
    }
  },
  // A program that runs is replaced after a minute only (delete-program.ts).
  deadlineMs: 240_000,
  driftCause: 'Access control lists were changed, or other accounts added files, which could run as SYSTEM.',
  id: ID,
  async inspect(context): Promise<Finding> {
    const {config, host} = context
    if (!(await host.files.status(config.baseDir))) return missing(`${config.baseDir} does not exist`)
    const special = await specialFiles(context)
    const {exposed, open, problems} = await inspectFolders(host, config, special)
    const evidence = [
      ...problems.map((problem) => problem.message),
      ...[...open, ...exposed].map(({path}) => `accounts other than administrators can change ${path}`),
      ...special.theirs.map((path) => `${path} is not the kubeconfig given`),
      ...(await inspectProgram(context)),
      ...(await lostCopy(context)),
      ...(isRecorded(context) ? [] : [`the journal does not name ${config.containerd.program}`]),
    ]
    return evidence.length > 0 ? drifted(...evidence) : inPlace(`${config.baseDir} is up to date`)
  },
  needs: [],
  removal: 'Restore the base directory',
  title: 'Prepare base directory',
}

/** So that a later run needs the folder of --registry-config no more. */
const copyOfRegistries = ({baseDir, registries}: Node): DesiredFile[] =>
  registries === undefined || registries.problems.length > 0
    ? []
    : [{content: copyText(registries), path: layoutOf(baseDir).registries, sddl: ADMINISTRATORS_ONLY_FILE}]

async function lostCopy(context: StepContext): Promise<readonly string[]> {
  const copies = copyOfRegistries(context.config)
  const {evidence, state} = await inspectFiles(context, ID, copies)
  return copies.length === 0 || state === 'in-place' ? [] : evidence
}

/** The containerd of this host, where k8s-win did not install it. */
function isRecorded({config, journal}: StepContext): boolean {
  if (config.containerd.isOurs) return true
  const [entry] = journal.entries(ID, 'present-containerd')
  return isDeepStrictEqual(entry, entryOf(config))
}

/** A copy that does not exist yet is not checked: a file in its place is kept under another name. */
async function specialFiles(context: StepContext): Promise<SpecialFiles> {
  const {config, host} = context
  const theirs: string[] = []
  for (const {from, to} of copiedKubeconfigs(config)) {
    const seen = (await host.files.read(to))?.toString('utf8')
    if (seen !== (await wholeKubeconfig(context, from))) theirs.push(to)
  }

  const kubeconfigs = [...new Set(IDENTITIES.map((identity) => kubeconfigOf(config, identity)))]
  // The kubelet writes its own, which names its key by path, and has the access list of the folder.
  const written = config.join ? [layoutOf(config.baseDir).kubeconfig] : []
  return {secrets: kubeconfigs.filter((path) => ![...theirs, ...written].includes(path)), theirs}
}

/** With the files it names put inside: beside the copy they would not be found. */
async function wholeKubeconfig({host}: StepContext, from: FetchedKubeconfig | string): Promise<string> {
  return (await kubeconfigAt(host, from)).write()
}
