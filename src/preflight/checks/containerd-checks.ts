// Checks of a host that gets containerd: no other containerd, a safe folder with room, the proxy, versions that fit.
import {win32} from 'node:path'
import {containerdWarnings} from '../../components/releases/containerd-support.js'
import {isPublicProxy} from '../../components/machine-proxy.js'
import {DEFAULT_CONTAINERD} from '../../config/decide.js'
import {CONTAINERD_DATA, CONTAINERD_FOLDERS, layoutOf} from '../../config/layout.js'
import {CONTAINERD, CONTAINERD_PIPE, type Decided} from '../../config/model.js'
import {isBelow, type Version} from '../../config/version.js'
import {driveUnsuitable} from '../../errors/condition.js'
import {fileInTheWay} from '../../errors/folders.js'
import {
  containerdChanged,
  containerdPresent,
  driveMissing,
  pipeTaken,
  registryConfigForeign,
  versionUnsupported,
} from '../../errors/host.js'
import {ProblemsError} from '../../errors/k8s-win-error.js'
import {changesOf, misfitsOf, rke2Misfit, unfit} from '../../host/containerd/fitness.js'
import {hasHosts} from '../../host/containerd/hosts-toml.js'
import {isMisfit} from '../../host/containerd/present.js'
import {unverifiedIn} from '../../host/containerd/registry-config.js'
import {demandNothingPlanted, demandTrees} from '../../host/security/planted.js'
import {isUnread} from '../../pipeline/desired/services/configuration-read.js'
import {shortList} from '../../pipeline/short-list.js'
import {parseProxy} from '../../machine/proxy.js'
import {check, type Check, notChecked, pass, type Finding, warn} from '../check.js'
import type {Facts} from '../facts.js'
import {driveOf, judgeRoom} from './hardware-checks.js'
import {proxyOf} from '../node-config.js'

/** That it responds on a node that is set up is reported by the node's health. */
const containerd = check('containerd', {cost: 'process', title: 'containerd'}, async (facts) => {
  const {config, host, journal} = facts
  const {services} = host
  const rke2 = await rke2Misfit(host)
  if (rke2) throw unfit([rke2])
  const status = await services.status(CONTAINERD)
  if (status && !(await services.isOurs(CONTAINERD))) {
    if (journal.entries('containerd-service', 'service').length > 0) {
      throw containerdPresent({path: (await services.imagePath(CONTAINERD)) ?? 'unknown'})
    }
    return presentContainerd(facts)
  }
  const [recorded] = journal.entries('base-dir', 'present-containerd')
  if (recorded) throw containerdChanged({changes: `the service ${recorded.service} no longer exists`})
  const isStarted = status !== undefined && status.state !== 'stopped'
  if (!isStarted && (await host.pipes.isOpen(CONTAINERD_PIPE))) {
    const said = `the service ${CONTAINERD} ${status ? 'is stopped' : 'does not exist'}`
    throw pipeTaken({pipe: CONTAINERD_PIPE, said})
  }
  if (status && status.state !== 'running') return notChecked(`its service is ${status.state}; setup starts it`)
  return pass(status ? 'running, managed by k8s-win' : `setup installs containerd ${config.versions.containerd.text}`)
})

/** What is there is used if it fits; nothing of it is changed, except for what --adopt repairs. */
async function presentContainerd(facts: Facts): Promise<Finding> {
  const {config, host, journal} = facts
  const found = await facts.presentContainerd()
  if (!found) return pass('not installed')
  const misfits = await misfitsOf(host, found, {
    adopts: config.adopt,
    restarts: isUnread(journal, 'containerd-config', CONTAINERD),
  })
  if (misfits.length > 0 || isMisfit(found)) throw unfit(misfits)
  const [recorded] = journal.entries('base-dir', 'present-containerd')
  const changes = recorded ? changesOf({...recorded, isOurs: false}, found.place) : []
  if (changes.length > 0) throw containerdChanged({changes: changes.join('; ')})
  return pass(`containerd ${found.version.text} of this host is used: ${found.place.program}`)
}

const containerdDisk = check('containerd-disk', 'containerd disk', async (facts) => {
  const {config, host} = facts
  const {data} = config.containerd
  const letter = driveOf(data)
  const drive = await host.resources.drive(letter)
  if (!drive) throw driveMissing({drive: letter})
  // containerd's windows snapshotter requires it (plugins/snapshots/windows/windows.go).
  if (drive.fileSystem !== 'NTFS') {
    const why = drive.fileSystem || 'a drive that cannot be read'
    const fix = `Use a host whose drive ${letter} is formatted with NTFS: containerd keeps images in ${data}.`
    throw driveUnsuitable({drive: letter, what: 'containerd', why}).with({fix})
  }
  const {problem, warning} = await judgeRoom(facts, letter, drive, `containerd keeps images in ${data}`)
  if (problem) throw problem
  return warning ?? pass(`images are kept in ${data}`)
})

/** Every user may create folders in ProgramData, and containerd uses what it finds in its own. */
const containerdFolder = check(
  'containerd-folder',
  {needs: ['administrator'], on: 'host', title: 'containerd folder'},
  async ({config, host, journal}) => {
    if (!config.containerd.isOurs) {
      // containerd runs its shim and the plugins as SYSTEM, and does what the configuration of CNI says.
      const {cniBinaries, cniConfigFolder, program} = config.containerd
      await demandNothingPlanted(host, [win32.dirname(program), cniBinaries, cniConfigFolder])
      return pass(`only administrators can change ${program}, ${cniBinaries} and ${cniConfigFolder}`)
    }
    await host.trust.demand(CONTAINERD_DATA, 'folder')
    const status = await host.files.status(CONTAINERD_DATA)
    if (status && status.kind !== 'directory') throw fileInTheWay({path: CONTAINERD_DATA})
    await demandNothingPlanted(host, CONTAINERD_FOLDERS)
    // hosts.toml of a registry, and the certificates beside it, are two levels down.
    await demandTrees(host, [layoutOf(config.baseDir).containerd.certs], 'folder')
    const isOurs = journal.entries('containerd-service', 'tree').length > 0
    if (!status || isOurs || (await host.files.list(CONTAINERD_DATA)).length === 0) {
      return pass(`${CONTAINERD_DATA} is used by k8s-win only`)
    }
    // Its record may be lost, or it is the host's own and does not fit; the folder of a service that runs cannot be renamed.
    if (await host.services.status(CONTAINERD)) {
      const owner = (await host.services.isOurs(CONTAINERD)) ? 'k8s-win' : 'this host'
      return pass(`${CONTAINERD_DATA} is used by the containerd of ${owner}`)
    }
    return warn(
      `${CONTAINERD_DATA} has data of another containerd: its images and containers will be used, and "k8s-win reset" does not remove them`,
      `If they are not needed, rename the folder ("ren ${CONTAINERD_DATA} containerd.old") and run the same command again.`,
    )
  },
)

const containerdProxy = check('containerd-proxy', {on: 'host', title: 'containerd proxy'}, async ({config, host}) => {
  if (!config.containerd.isOurs) return notChecked('containerd of this host has its own settings')
  const proxies = Object.entries(await proxyOf(host)).filter(([name]) => name !== 'NO_PROXY')
  const [first] = proxies
  if (!first) return pass('no proxy')
  const secret = proxies.find((one) => !isPublicProxy(one))
  if (!secret)
    return pass(`pulls through ${parseProxy((proxies.find(([name]) => name === 'HTTPS_PROXY') ?? first)[1]).shown}`)
  return warn(
    `${secret[0]} has a password, and setup does not pass it on to containerd: every user of this host can read the environment of a service`,
    'Use a proxy that needs no password for this host; or pass a registry that is reachable without a proxy to --image-registry.',
  )
})

interface Floor {
  readonly below: readonly [major: number, minor: number]
  readonly flag: string
  readonly name: string
  readonly reason: string
  readonly versionOf: (versions: Decided['versions']) => Version
}

const FLOORS: readonly Floor[] = [
  {
    // containernetworking/plugins 8b8825bc
    below: [1, 2],
    flag: 'cni-version',
    name: 'The CNI plugins',
    reason: 'win-overlay supports the network namespaces of containerd (apiVersion 2) from 1.2.0 on',
    versionOf: ({cni}) => cni,
  },
  {
    below: [1, 6],
    flag: 'containerd-version',
    name: 'containerd',
    reason: 'the kubelet requires version 1 of the container runtime interface, which containerd has from 1.6.0 on',
    versionOf: ({containerd: version}) => version,
  },
  {
    // cri-tools#1426, #1566
    below: [1, 32],
    flag: 'crictl-version',
    name: 'crictl',
    reason: 'crictl fails on Windows before 1.32.0',
    versionOf: ({crictl}) => crictl,
  },
]

const containerdVersions = check('containerd-versions', 'containerd versions', async ({config, host}) => {
  const {
    containerd: {isOurs},
    release,
    versions,
  } = config
  const problems = FLOORS.flatMap(({below: [major, minor], flag, name, reason, versionOf}) => {
    // The check of containerd itself reports one that was there before.
    if (!isOurs && name === 'containerd') return []
    const version = versionOf(versions)
    return isBelow(version, major, minor) ? [versionUnsupported({flag, name, reason, version: version.text})] : []
  })
  if (problems.length > 0) throw new ProblemsError(problems)
  const {text} = versions.containerd
  const warnings = containerdWarnings(versions.containerd, release, host.clock.now())
  if (warnings.length > 0) {
    return warn(
      `containerd ${text}: ${warnings.join('; ')}`,
      isOurs
        ? `Pass ${DEFAULT_CONTAINERD.text} to --containerd-version of setup or upgrade. Afterwards the data of this node cannot go back to an older major version.`
        : `Upgrade it to ${DEFAULT_CONTAINERD.text} or newer.`,
    )
  }
  return pass(`containerd ${text}, crictl ${versions.crictl.text}, CNI plugins ${versions.cni.text}`)
})

/** From then on a hosts.toml may name the capability "referrers"; an older containerd does not use a file with it (containerd b668614b5). */
const REFERRERS = [2, 2] as const

const registries = check('registries', 'Registries', async ({config}) => {
  const {
    containerd: {config: path, isOurs},
    versions: {containerd: version},
  } = config
  if (!config.registries) return pass('no --registry-config')
  if (!isOurs) throw registryConfigForeign({config: path})
  const {files} = config.registries
  const isNewer = files.some(({content}) => /(["'])referrers\1/i.test(content))
  if (isNewer && isBelow(version, ...REFERRERS)) {
    const reason = `the capability "referrers" in a hosts.toml of --registry-config is known from 2.2.0 on`
    throw versionUnsupported({flag: 'containerd-version', name: 'containerd', reason, version: version.text})
  }
  const isRootOnly = files.some(({content, path: file}) => /hosts\.toml$/i.test(file) && !hasHosts(content))
  if (isRootOnly && isBelow(version, 2, 0)) {
    const reason = `a hosts.toml of --registry-config without a table [host."..."] is ignored before 2.0.0`
    throw versionUnsupported({flag: 'containerd-version', name: 'containerd', reason, version: version.text})
  }
  const unverified = unverifiedIn(config.registries)
  if (unverified.length > 0) {
    return {
      fix: 'Name the authority of the registry with "ca" in hosts.toml instead of skip_verify = true, and run "k8s-win setup --registry-config <folder>".',
      warnings: unverified.map(
        ({host, path: file}) =>
          `images are pulled from ${host} whoever answers there, because ${file} of --registry-config has skip_verify`,
      ),
    }
  }
  const names = [...new Set(files.map((file) => win32.dirname(file.path)))]
  return pass(names.length === 0 ? 'none: the folder of --registry-config is empty' : shortList(names))
})

export const CONTAINERD_CHECKS: readonly Check[] = [
  containerd,
  containerdDisk,
  containerdFolder,
  containerdProxy,
  containerdVersions,
  registries,
]
