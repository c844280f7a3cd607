// Docker: installed, running, with Windows containers, not too new for the kubelet's dockershim, with a way out and room.
import {win32} from 'node:path'
import {KUBELET} from '../components/kubelet.js'
import {isWithin} from '../config/base-dir.js'
import {
  baseDirWithDocker,
  driveMissing,
  dockerAbsent,
  dockerLinuxMode,
  dockerStopped,
  dockerTooNew,
} from '../errors/host.js'
import {compareApi, type EngineVersion} from '../host/docker/api.js'
import {parseJson, textAt} from '../host/document.js'
import {safeUrl} from '../machine/credentials.js'
import {FileError} from '../machine/files.js'
import {HttpError} from '../machine/http.js'
import {type Check, dependsOn, pass, type Verdict, warn} from './check.js'
import type {HostFacts} from './facts.js'
import {driveOf, judgeDrive, judgeRoom} from './hardware-checks.js'

/** The newest that dockershim of 1.21 to 1.23 speaks; it negotiates down to an older engine's (libdocker, NegotiateAPIVersion). */
const DOCKERSHIM_API = '1.41'
const SERVICE = 'docker'
/** Where dockerd looks where --config-file does not say. */
const DAEMON_JSON = String.raw`C:\ProgramData\docker\config\daemon.json`
/** That it does not answer is told once, by its own check. */
const SILENT = dependsOn('docker', 'Docker does not respond')

export const docker: Check = {
  id: 'docker',
  async run(facts) {
    const pipe = facts.config.dockerPipe
    try {
      const {apiVersion, version} = await facts.docker()
      return pass(`Docker ${version} responds with API ${apiVersion}`)
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      const service = await facts.host.services.status(SERVICE)
      if (!service) throw dockerAbsent({pipe}, {cause: error})
      const reason = `the service is ${service.state}, the pipe returned ${error.code}`
      throw dockerStopped({pipe, reason}, {cause: error})
    }
  },
  title: 'Docker',
}

/** The kubelet ends without it, whatever pipe its engine listens on. */
export const dockerService: Check = {
  id: 'docker-service',
  async run(facts) {
    const {config, host} = facts
    const startType = await host.services.startType(SERVICE)
    if (startType === undefined) return ifAnswered(facts, () => Promise.reject(dockerAbsent({pipe: config.dockerPipe})))
    if (startType === 'automatic') return pass('starts with Windows')
    return warn(
      `the service docker is started ${startType === 'demand' ? 'on demand' : `"${startType}"`}, not automatically`,
      'Start it automatically ("sc config docker start= auto"): otherwise the node does not work after a restart.',
    )
  },
  title: 'Docker service',
}

export const dockerMode: Check = {
  id: 'docker-mode',
  run: (facts) =>
    ifAnswered(facts, async ({os}) => {
      if (os !== 'windows') throw dockerLinuxMode({os})
      return pass('Windows containers')
    }),
  title: 'Docker mode',
}

export const dockerApi: Check = {
  id: 'docker-api',
  run: (facts) =>
    ifAnswered(facts, async ({apiVersion, minApiVersion, version}) => {
      const release = facts.config.release.text
      if (compareApi(minApiVersion, DOCKERSHIM_API) > 0) throw dockerTooNew({minimum: minApiVersion, release, version})
      return pass(`${minApiVersion} to ${apiVersion}; the kubelet of ${release} uses ${DOCKERSHIM_API}`)
    }),
  title: 'Docker API',
}

export const dockerProxy: Check = {
  id: 'docker-proxy',
  run: (facts) =>
    ifAnswered(facts, async () => {
      const {httpProxy, httpsProxy} = await facts.dockerInfo()
      const own = httpsProxy || httpProxy
      if (own !== '') return pass(`pulls through ${safeUrl(own)}`)
      const machine =
        (await facts.host.environment.get('HTTPS_PROXY')) ?? (await facts.host.environment.get('HTTP_PROXY'))
      if (machine === undefined || machine === '') return pass('no proxy')
      return warn(
        `this machine uses the proxy ${safeUrl(machine)}, but Docker uses none`,
        'Set HTTP_PROXY, HTTPS_PROXY and NO_PROXY in the environment of the service docker and restart it, unless images can be pulled without a proxy.',
      )
    }),
  title: 'Docker proxy',
}

export const dockerDisk: Check = {
  id: 'docker-disk',
  run: (facts) =>
    ifAnswered(facts, async ({os}) => {
      const {dataRoot} = await facts.dockerInfo()
      if (os !== 'windows' || !/^[a-z]:/i.test(dataRoot))
        return pass(`${dataRoot || 'unknown'}, not on a drive of this host`)
      judgePlace(facts.config.baseDir, win32.normalize(dataRoot))
      const letter = driveOf(dataRoot)
      const drive = await facts.host.resources.drive(letter)
      if (!drive) throw driveMissing({drive: letter})
      // windowsfilter layers are made of NTFS' own parts.
      judgeDrive(letter, drive, 'Docker', ['NTFS'])
      const isSetUp = await facts.host.services.isOurs(KUBELET)
      const {problem, warning} = judgeRoom(letter, drive, `Docker keeps images in ${dataRoot}`, isSetUp)
      if (problem) throw problem
      return warning ?? pass(`images are kept in ${dataRoot}`)
    }),
  title: 'Docker disk',
}

/**
 * dockershim leaves the logs of containers to Docker, which keeps them whole unless told otherwise. Its API does not tell
 * the options, so that they are read where dockerd does: its command line, and its configuration file.
 */
export const dockerLogs: Check = {
  id: 'docker-logs',
  run: (facts) =>
    ifAnswered(facts, async ({os}) => {
      const {loggingDriver} = await facts.dockerInfo()
      if (os !== 'windows' || (loggingDriver !== 'json-file' && loggingDriver !== '')) {
        return pass(`containers log with ${loggingDriver || 'an unknown driver'}`)
      }
      const command = (await facts.host.services.imagePath(SERVICE)) ?? ''
      const path = /--config-file[= ]"?([^"]+?\.json)/i.exec(command)?.[1] ?? DAEMON_JSON
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
    }),
  title: 'Container logs',
}

/** Setup closes the base directory to all but administrators, and with it all that is inside. */
function judgePlace(path: string, dataRoot: string): void {
  const [ours, theirs] = [path, dataRoot].map((folder) => folder.toLowerCase().replace(/(?<!\\)\\+$/, '')) as [
    string,
    string,
  ]
  if (isWithin(ours, theirs) || isWithin(theirs, ours)) throw baseDirWithDocker({dataRoot, path})
}

async function ifAnswered(facts: HostFacts, judge: (engine: EngineVersion) => Promise<Verdict>): Promise<Verdict> {
  let engine: EngineVersion
  try {
    engine = await facts.docker()
  } catch {
    return SILENT
  }
  return judge(engine)
}
