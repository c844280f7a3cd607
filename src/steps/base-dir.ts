// The base directory: there, writable by administrators only, with the kubeconfigs in it.
import {kubeconfigOf} from '../components/identity.js'
import {layoutOf} from '../config/layout.js'
import type {Identity, NodeConfig} from '../config/model.js'
import {readKubeconfig} from '../host/kubeconfig.js'
import {ADMINISTRATORS_ONLY_FILE, isAdministratorsOnly} from '../host/security.js'
import {claimFile, ensureFolder, removeFiles} from '../pipeline/desired-file.js'
import {drifted, type Finding, inPlace, missing, type Step, type StepContext} from '../pipeline/step.js'

const ID = 'base-dir'
const IDENTITIES: readonly Identity[] = ['kubelet', 'kube-proxy', 'flanneld']

export const baseDir: Step = {
  async apply(context) {
    const {config, host, journal} = context
    await ensureFolder(context, ID, config.baseDir)
    for (const path of await openToOthers(context)) {
      await journal.record(ID, {kind: 'security', path, previous: await host.security.of(path)})
      await host.security.restrict(path, path === config.baseDir ? 'folder' : 'file')
      context.changed(`let only administrators into ${path}`)
    }

    for (const {from, to} of copies(config)) {
      const content = await wholeKubeconfig(context, from)
      if ((await host.files.read(to))?.toString('utf8') === content) continue
      await claimFile(context, ID, to)
      await host.files.write(to, content, {sddl: ADMINISTRATORS_ONLY_FILE})
      context.changed(`write ${to}`)
    }
  },
  deadlineMs: 120_000,
  id: ID,
  async inspect(context): Promise<Finding> {
    const {config, host} = context
    if (!(await host.files.status(config.baseDir))) return missing(`${config.baseDir} is not there`)
    const evidence: string[] = []
    for (const path of await openToOthers(context)) evidence.push(`others than administrators may touch ${path}`)
    for (const {from, to} of copies(config)) {
      const seen = (await host.files.read(to))?.toString('utf8')
      if (seen !== (await wholeKubeconfig(context, from))) evidence.push(`${to} is not the kubeconfig given`)
    }

    return evidence.length > 0 ? drifted(...evidence) : inPlace(`${config.baseDir} is as wanted`)
  },
  needs: [],
  async remove(context) {
    const {host, journal} = context
    // The oldest entry of a path has what it was before us.
    const before = new Map(journal.entries(ID, 'security').map((entry) => [entry.path, entry.previous]))
    for (const [path, previous] of before) {
      if (!(await host.files.status(path)) || (await host.security.of(path)) === previous) continue
      await host.security.set(path, previous)
      context.changed(`give ${path} the access list it had`)
    }

    await removeFiles(context, ID)
  },
  title: 'Prepare the base directory',
}

/** A planted program or a readable key in here would be a way to SYSTEM (aks-engine#4633, CVE-2023-32197). */
async function openToOthers(context: StepContext): Promise<string[]> {
  const {config, host} = context
  const copied = new Set(copies(config).map((copy) => copy.to))
  const kubeconfigs = [...new Set(IDENTITIES.map((identity) => kubeconfigOf(config, identity)))]
  const open: string[] = []
  for (const path of [config.baseDir, ...kubeconfigs.filter((file) => !copied.has(file))]) {
    if ((await host.files.status(path)) && !isAdministratorsOnly(await host.security.of(path))) open.push(path)
  }

  return open
}

function copies(config: NodeConfig): {from: string; to: string}[] {
  const shared =
    config.kubeconfig === undefined ? [] : [{from: config.kubeconfig, to: layoutOf(config.baseDir).kubeconfig}]
  const own = IDENTITIES.flatMap((identity) => {
    const from = config.identityFiles[identity]
    return from === undefined ? [] : [{from, to: kubeconfigOf(config, identity)}]
  })
  return [...shared, ...own]
}

/** With the files it names put inside: beside the copy they would not be found. */
async function wholeKubeconfig(context: StepContext, path: string): Promise<string> {
  const {files} = context.host
  const content = (await files.read(path)) ?? Buffer.alloc(0)
  return (await readKubeconfig(path, content, (file) => files.read(file))).whole
}
