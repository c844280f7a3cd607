// Checks of this Windows: rights, version, folder, adapter, name, ports.
import {KUBE_PROXY} from '../components/kube-proxy.js'
import {FLANNELD} from '../components/flanneld.js'
import {KUBELET} from '../components/kubelet.js'
import {KUBELET_PORT, VXLAN_PORT} from '../config/model.js'
import {isBelow} from '../config/version.js'
import {
  baseDirMissing,
  baseDirNotFolder,
  driveMissing,
  notAdministrator,
  portTaken,
  windowsUnsupported,
} from '../errors/host.js'
import {type K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {type Check, pass} from './check.js'

export const administrator: Check = {
  id: 'administrator',
  async run({host}) {
    if (await host.os.isAdministrator()) return pass('running as administrator')
    throw notAdministrator({})
  },
  title: 'Administrator',
}

export const windowsVersion: Check = {
  id: 'windows-version',
  async run(facts) {
    const version = await facts.version()
    const build = version?.build ?? 0
    const release = facts.config.release
    // 1.23 is the first release that was tested on Windows Server 2022.
    const fits = build === 17_763 || (build === 20_348 && !isBelow(release, 1, 23))
    if (fits) return pass(`${version?.productName ?? 'Windows'}, build ${build}.${version?.ubr ?? 0}`)
    throw windowsUnsupported({
      build: String(build),
      product: version?.productName ?? 'This Windows',
      release: release.text,
    })
  },
  title: 'Version of Windows',
}

export const baseDirectory: Check = {
  id: 'base-dir',
  async run({config, host}) {
    const status = await host.files.status(config.baseDir)
    if (status?.kind === 'directory') return pass(`${config.baseDir} is there`)
    if (status)
      throw baseDirNotFolder({kind: status.kind === 'other' ? 'special file' : status.kind, path: config.baseDir})
    if (config.kubeconfig === undefined) throw baseDirMissing({path: config.baseDir})
    const drive = config.baseDir.slice(0, 2)
    if (!(await host.files.status(`${drive}\\`))) throw driveMissing({drive})
    return pass(`${config.baseDir} will be made`)
  },
  title: 'Base directory',
}

export const networkInterface: Check = {
  id: 'interface',
  async run(facts) {
    const {address, name, reason} = await facts.interface()
    return pass(`"${name}" with ${address}${reason === undefined ? '' : `: ${reason}`}`)
  },
  title: 'Network adapter',
}

export const nodeName: Check = {
  id: 'node-name',
  async run(facts) {
    return pass(await facts.nodeName())
  },
  title: 'Name of the node',
}

const PORTS = [
  {port: KUBELET_PORT, protocol: 'tcp', service: KUBELET, user: 'The kubelet'},
  {port: 10_256, protocol: 'tcp', service: KUBE_PROXY, user: 'kube-proxy'},
  {port: VXLAN_PORT, protocol: 'udp', service: FLANNELD, user: "flannel's overlay"},
] as const

export const ports: Check = {
  id: 'ports',
  async run({host}) {
    const problems: K8sWinError[] = []
    for (const {port, protocol, service, user} of PORTS) {
      const ours =
        ((await host.services.status(service))?.state ?? 'stopped') !== 'stopped' &&
        (await host.services.isOurs(service))
      if (ours || (await host.net.isPortFree(protocol, port))) continue
      problems.push(portTaken({port: String(port), protocol, user}))
    }

    if (problems.length > 0) throw new ProblemsError(problems)
    return pass(`${PORTS.map(({port, protocol}) => `${port}/${protocol}`).join(', ')} are free or ours`)
  },
  title: 'Ports',
}
