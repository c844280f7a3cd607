// Checks of Docker: installed, running, Windows containers, compatible with the kubelet's dockershim, proxy, disk, logs.
import {win32} from 'node:path'
import {newestRelease} from '../../artifacts/digests.js'
import {releaseProblem} from '../../components/releases/windows-support.js'
import {isWithin} from '../../config/base-dir.js'
import {serverMinor} from '../../config/choose-release.js'
import {DOCKER_SERVICE} from '../../config/model.js'
import {DOCKER_MINOR, olderMinors, parseVersion} from '../../config/version.js'
import {
  baseDirWithDocker,
  dockerAbsent,
  dockerBesideContainerd,
  dockerLinuxMode,
  dockerStopped,
  dockerTooNew,
  driveMissing,
} from '../../errors/host.js'
import {K8sWinError} from '../../errors/k8s-win-error.js'
import {compareApi} from '../../host/docker/api.js'
import {parseJson, textAt} from '../../host/document.js'
import {orGivenUp} from '../../host/wait.js'
import {parseProxy} from '../../machine/proxy.js'
import {FileError} from '../../machine/files.js'
import {HttpError} from '../../machine/http.js'
import type {ServiceRunState} from '../../machine/win32.js'
import {type Check, check, type Finding, pass, warn} from '../check.js'
import type {Facts} from '../facts.js'
import {driveOf, judgeDrive, judgeRoom} from './hardware-checks.js'
import {unmetNeed} from '../needs.js'

/** The newest of dockershim 1.21 to 1.23, which negotiates down to older engines (libdocker, NegotiateAPIVersion). */
const DOCKERSHIM_API = '1.41'
/** For what only adds to the advice. */
const ASKING_MS = 10_000
/** dockerd's default of --config-file. */
const DAEMON_JSON = String.raw`C:\ProgramData\docker\config\daemon.json`

/** A containerd beside the Docker of a node is not refused: Mirantis' installer (get.mirantis.com/install.ps1) installs both. */
async function demandDocker(facts: Facts): Promise<Finding> {
  const pipe = facts.config.dockerPipe
  try {
    const {apiVersion, version} = await facts.docker()
    return pass(`Docker ${version} responds with API ${apiVersion}`)
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    throw dockerSilent(pipe, (await facts.host.services.status(DOCKER_SERVICE))?.state, error)
  }
}

const NODE_WITH_DOCKER =
  'This host has a node that was set up with Docker. First run "k8s-win reset" to remove it. Then stop and disable Docker ("net stop docker", "sc.exe config docker start= disabled"), and run the same command again.'

/** Docker must not run, but what it has deleted comes back only with new pods. */
const NODE_WITH_CONTAINERD =
  'Stop and disable Docker ("net stop docker", "sc.exe config docker start= disabled"). Then restart the pods of this node, whose network endpoints it may have deleted: "kubectl delete pod -A --field-selector spec.nodeName=<node>".'

/** dockerd removes the endpoints of containerd's pods when it starts, also one that is not a service. */
async function demandNoDocker(facts: Facts): Promise<Finding> {
  const {config, host, journal} = facts
  const [status, startType, isOpen] = await Promise.all([
    host.services.status(DOCKER_SERVICE),
    host.services.startType(DOCKER_SERVICE),
    host.pipes.isOpen(config.dockerPipe),
  ])
  if (isOpen || (status && status.state !== 'stopped')) {
    const release = config.release.text
    // Its containers can be removed only while Docker runs.
    if (journal.all().some(({step}) => step === 'pause-image')) {
      throw dockerBesideContainerd({advice: '', release}).with({fix: NODE_WITH_DOCKER})
    }
    if (journal.all().some(({entry, step}) => step === 'containerd-service' || entry.kind === 'present-containerd')) {
      throw dockerBesideContainerd({advice: '', release}).with({fix: NODE_WITH_CONTAINERD})
    }
    const other = await releaseWithDocker(facts)
    const advice = other === undefined ? '' : ` To keep Docker, pass --release ${other}.`
    throw dockerBesideContainerd({advice, release})
  }
  if (startType === undefined || startType === 'disabled') return pass('not running: the node uses containerd')
  return warn(
    'Docker is installed and can be started; it would delete the network endpoints of pods',
    'Disable it ("sc.exe config docker start= disabled"): the node uses containerd.',
  )
}

/** The newest that runs on this Windows and that the API server accepts. */
async function releaseWithDocker({host, server: ask, version}: Facts): Promise<string | undefined> {
  const [server, windows] = await Promise.all([
    orGivenUp(host.clock, ASKING_MS, ask()),
    orGivenUp(host.clock, ASKING_MS, version()),
  ])
  const minor = serverMinor(server?.version ?? '')
  if (minor === undefined || windows === undefined) return undefined
  const fitting = Math.min(minor, DOCKER_MINOR)
  const release = parseVersion((await newestRelease(fitting)) ?? '')
  const isAccepted = minor - fitting <= olderMinors(fitting)
  return release && isAccepted && !releaseProblem(release, windows.build) ? release.text : undefined
}

const DEMANDED = {containerd: demandNoDocker, docker: demandDocker}
const docker = check('docker', {runtime: undefined, title: 'Docker'}, (facts) => DEMANDED[facts.config.runtime](facts))

/** Why nothing responds on the pipe. `service`: the state of the service, if it exists. */
export function dockerSilent(pipe: string, service: ServiceRunState | undefined, error: Error): K8sWinError {
  if (service === undefined) return dockerAbsent({pipe}, {cause: error})
  const why = error instanceof K8sWinError ? error.reason : error.message
  const stopped = dockerStopped({pipe, reason: `the service is ${service}; ${why}`}, {cause: error})
  if (service !== 'running') return stopped
  const fix = 'It hangs, is still starting, or listens elsewhere. Restart it: "net stop docker", "net start docker".'
  return stopped.with({fix})
}

/** The kubelet exits without this service, whatever pipe the engine listens on. */
const dockerService = check('docker-service', 'Docker service', async (facts) => {
  const {config, host} = facts
  const startType = await host.services.startType(DOCKER_SERVICE)
  if (startType === undefined) {
    const silent = await unmetNeed(['docker'], facts)
    if (silent) return silent
    throw dockerAbsent({pipe: config.dockerPipe})
  }
  if (startType === 'automatic') return pass('starts with Windows')
  return warn(
    `the service docker is started ${startType === 'demand' ? 'on demand' : `"${startType}"`}, not automatically`,
    'Start it automatically ("sc.exe config docker start= auto"): otherwise the node does not work after a restart.',
  )
})

const dockerMode = check('docker-mode', {needs: ['docker'], title: 'Docker mode'}, async (facts) => {
  const {os} = await facts.docker()
  if (os !== 'windows') throw dockerLinuxMode({os})
  return pass('Windows containers')
})

const dockerApi = check('docker-api', {needs: ['docker'], title: 'Docker API'}, async (facts) => {
  const {apiVersion, minApiVersion, version} = await facts.docker()
  const release = facts.config.release.text
  if (compareApi(minApiVersion, DOCKERSHIM_API) > 0) throw dockerTooNew({minimum: minApiVersion, release, version})
  return pass(`${minApiVersion} to ${apiVersion}; the kubelet of ${release} uses ${DOCKERSHIM_API}`)
})

const dockerProxy = check('docker-proxy', {needs: ['docker'], on: 'host', title: 'Docker proxy'}, async (facts) => {
  const {httpProxy, httpsProxy} = await facts.dockerInfo()
  const own = httpsProxy || httpProxy
  if (own !== '') return pass(`pulls through ${parseProxy(own).shown}`)
  const machine = (await facts.host.environment.get('HTTPS_PROXY')) ?? (await facts.host.environment.get('HTTP_PROXY'))
  if (machine === undefined || machine === '') return pass('no proxy')
  return warn(
    `this machine uses the proxy ${parseProxy(machine).shown}, but Docker uses none`,
    'Set HTTP_PROXY, HTTPS_PROXY and NO_PROXY in the environment of the service docker and restart it, unless images can be pulled without a proxy.',
  )
})

const dockerDisk = check('docker-disk', {needs: ['docker'], title: 'Docker disk'}, async (facts) => {
  const [{os}, {dataRoot}] = await Promise.all([facts.docker(), facts.dockerInfo()])
  if (os !== 'windows' || !/^[a-z]:/i.test(dataRoot))
    return pass(`${dataRoot || 'unknown'}, not on a drive of this host`)
  judgePlace(facts.config.baseDir, win32.normalize(dataRoot))
  const letter = driveOf(dataRoot)
  const drive = await facts.host.resources.drive(letter)
  if (!drive) throw driveMissing({drive: letter})
  // Docker's windowsfilter driver requires NTFS.
  judgeDrive(letter, drive, 'Docker', ['NTFS'])
  const {problem, warning} = await judgeRoom(facts, letter, drive, `Docker keeps images in ${dataRoot}`)
  if (problem) throw problem
  return warning ?? pass(`images are kept in ${dataRoot}`)
})

/**
 * Docker does not rotate the logs of containers by default, and dockershim does not either. Docker's API does not report the
 * options, so they are read from dockerd's command line and configuration file.
 */
const dockerLogs = check('docker-logs', {needs: ['docker'], on: 'host', title: 'Container logs'}, async (facts) => {
  const [{os}, {loggingDriver}] = await Promise.all([facts.docker(), facts.dockerInfo()])
  if (os !== 'windows' || (loggingDriver !== 'json-file' && loggingDriver !== '')) {
    return pass(`containers log with ${loggingDriver || 'an unknown driver'}`)
  }
  const command = (await facts.host.services.imagePath(DOCKER_SERVICE)) ?? ''
  const [, named = ''] = command.split(/--config-file[= ]/i)
  const path = /^"?([^"]+?\.json)/i.exec(named)?.[1] ?? DAEMON_JSON
  const content = await facts.host.files.read(path).catch((error: unknown) => {
    if (error instanceof FileError) return undefined
    throw error
  })
  const size = textAt(parseJson(content?.toString('utf8') ?? ''), 'log-opts', 'max-size')
  if (size !== '') return pass(`container logs are rotated at ${size}`)
  if (/--log-opt[= ]"?max-size=/i.test(command)) return pass('container logs are rotated')
  return warn(
    `container logs grow without limit: ${path} sets no "log-opts" "max-size"`,
    `Add {"log-driver": "json-file", "log-opts": {"max-size": "10m", "max-file": "3"}} to ${path} and restart Docker; it applies to new containers.`,
  )
})

/** Setup restricts the base directory with everything in it to administrators. */
function judgePlace(path: string, dataRoot: string): void {
  const [baseDir, dockerRoot] = [path, dataRoot].map((folder) => folder.toLowerCase().replace(/(?<!\\)\\+$/, '')) as [
    string,
    string,
  ]
  if (isWithin(baseDir, dockerRoot) || isWithin(dockerRoot, baseDir)) throw baseDirWithDocker({dataRoot, path})
}

export const DOCKER_CHECKS: readonly Check[] = [
  docker,
  dockerService,
  dockerMode,
  dockerApi,
  dockerProxy,
  dockerDisk,
  dockerLogs,
]
