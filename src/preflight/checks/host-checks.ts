// Checks of this host: rights, base directory, metrics file, network adapter, node name, ports.
import {win32} from 'node:path'
import {DAEMONS, WATCH} from '../../config/daemons.js'
import {foreignLibrary, metricsFileRefused} from '../../errors/folders.js'
import {baseDirMissing, baseDirNotFolder, driveMissing, notAdministrator, portTaken} from '../../errors/host.js'
import {type K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import {LIBRARIES} from '../../host/security/trust.js'
import {inspectFolders} from '../../pipeline/desired/files/restrict-folders.js'
import {demandProgram} from '../../pipeline/desired/programs/service-program.js'
import {whyOptionsLost} from '../../pipeline/run/missing-node.js'
import {check, type Check, notChecked, pass, warn} from '../check.js'

const administrator = check(
  'administrator',
  {failsOnNode: true, on: 'host', title: 'Administrator'},
  async ({host}) => {
    if (await host.os.isAdministrator()) return pass('running as administrator')
    throw notAdministrator({})
  },
)

const baseDirectory = check('base-dir', 'Base directory', async ({config, host}) => {
  const status = await host.files.status(config.baseDir)
  if (status?.kind === 'directory') return pass(`${config.baseDir} exists`)
  if (status)
    throw baseDirNotFolder({kind: status.kind === 'other' ? 'special file' : status.kind, path: config.baseDir})
  const drive = config.baseDir.slice(0, 2)
  if (!(await host.files.status(`${drive}\\`))) throw driveMissing({drive})
  const {join, kubeconfig, kubeconfigFrom} = config
  if (kubeconfig === undefined && kubeconfigFrom === undefined && join === undefined)
    throw baseDirMissing({path: config.baseDir})
  return pass(`${config.baseDir} will be created`)
})

const networkInterface = check('interface', {area: 'host', title: 'Network adapter'}, async (facts) => {
  const {address, name, reason} = await facts.interface()
  return pass(`"${name}" with ${address}${reason === undefined ? '' : `: ${reason}`}`)
})

const nodeName = check('node-name', {on: 'host', title: 'Node name'}, async (facts) => {
  const {config, host, journal} = facts
  const name = await facts.nodeName()
  // Someone who passes the name knows which node this is.
  const lost = config.nodeName === undefined && (await whyOptionsLost(host, config.baseDir, journal, name))
  if (lost) throw lost
  return pass(name)
})

const PORTS = DAEMONS.flatMap(({formerNames, ports: its, service}) =>
  its.map((port) => ({...port, services: [service, ...formerNames]})),
).sort(({protocol: one}, {protocol: other}) => Number(one > other) - Number(one < other))

const ports = check('ports', 'Ports', async ({host}) => {
  const problems: K8sWinError[] = []
  for (const {port, protocol, services, user} of PORTS) {
    // Also an unmanaged service, which the check "services" reports with its fix.
    const states = await Promise.all(services.map(async (name) => (await host.services.status(name))?.state))
    const isRunning = states.some((state) => state !== undefined && state !== 'stopped')
    if (isRunning || (await host.net.isPortFree(protocol, port))) continue
    const owner = await host.network.portOwner(protocol, port)
    problems.push(portTaken({owner, port: String(port), protocol, user}))
  }

  if (problems.length > 0) throw new ProblemsError(problems)
  return pass(`${PORTS.map(({port, protocol}) => `${port}/${protocol}`).join(', ')} are free or used by this node`)
})

const safeFolders = check('safe-folders', {needs: ['administrator'], title: 'Folder permissions'}, async (facts) => {
  const {config, host, layout} = facts
  // The check "base-dir" reports this.
  const status = await host.files.status(config.baseDir)
  if (status && status.kind !== 'directory') return notChecked('the base directory is not a folder')
  // The kubeconfig that the kubelet of a joining node writes names its key by path, and has the access list of the folder.
  const secrets = config.join ? [] : [layout.kubeconfig]
  const {exposed, open, problems} = await inspectFolders(host, config, {secrets, theirs: []})
  if (problems.length > 0) throw new ProblemsError(problems)
  const count = open.length + exposed.length
  return pass(count === 0 ? 'restricted to administrators' : `open to other accounts: ${count}; setup restricts them`)
})

/**
 * A launcher or a browser may put k8s-win anywhere, so a folder that others can write to is only a warning: services run from
 * a copy in a closed folder. What others have already put beside k8s-win.exe, and Windows would load, is an attack.
 */
const programFolder = check('program-folder', {on: 'host', title: 'Folder of k8s-win'}, async ({config, host}) => {
  const {command, file} = host.assets.program
  if (config.watch && !(await host.services.isOurs(WATCH.service))) await demandProgram({config, host}, true)
  // A simulated host has none: it is a file of the machine that simulates, where paths have no backslash.
  const isHere = async (path: string) => path.includes('\\') && (await host.files.status(path))?.kind === 'file'
  if ((await Promise.all(command.map(isHere))).includes(false)) return pass('k8s-win runs on another host')
  if (!(await host.os.isAdministrator())) return notChecked('visible to administrators only')
  if (file !== undefined) {
    const folder = win32.dirname(file)
    const planted = [...(await host.trust.distrustedIn(folder))].filter((name) => LIBRARIES.test(name))
    if (planted.length > 0)
      throw new ProblemsError(planted.map((name) => foreignLibrary({path: win32.join(folder, name)})))
  }

  const problems = await Promise.all(command.map((path) => host.trust.problem(path, 'program')))
  const [problem] = problems.filter((one) => one !== undefined)
  if (!problem) return pass('can be changed by administrators only')
  return warn(
    `other accounts may be able to change what an administrator runs: ${problem.message}`,
    String.raw`Move k8s-win to a folder that only administrators can change, such as C:\Program Files\k8s-win, and run it from there.`,
  )
})

const metricsFile = check(
  'metrics-file',
  {needs: ['administrator'], on: 'host', title: 'Metrics file'},
  async ({config: {metricsFile: path, watch}, host: {files, trust}}) => {
    if (path === undefined || watch === false) return pass('not wanted')
    const folder = win32.dirname(path)
    const problem = (await trust.problem(folder, 'closed')) ?? (await trust.problem(path))
    if (problem) throw metricsFileRefused({path, reason: problem.message})
    const parent = await files.status(folder)
    if (parent?.kind !== 'directory')
      throw metricsFileRefused({path, reason: `${folder} ${parent ? 'is not a folder' : 'does not exist'}`})
    const {kind = 'file'} = (await files.status(path)) ?? {}
    if (kind !== 'file') throw metricsFileRefused({path, reason: 'It is not a file'})
    return pass(`${folder} is restricted to administrators`)
  },
)

export const HOST_CHECKS: readonly Check[] = [
  administrator,
  baseDirectory,
  metricsFile,
  programFolder,
  safeFolders,
  networkInterface,
  nodeName,
  ports,
]
