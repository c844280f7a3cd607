// How Docker on Windows speaks of itself.
import {compared, notSettled, type Settler} from './settler.js'

const DOCKER_PIPE = String.raw`\\.\pipe\docker_engine`

/** The text for a program that is not in the image needs an image: the suite of Docker has it. */
export const dockerVersion: Settler = async ({machine: {http}}) => {
  const {body, status} = await http.request({
    deadlineMs: 30_000,
    effect: 'read',
    method: 'GET',
    pipe: DOCKER_PIPE,
    url: 'http://docker/version',
  })
  if (status !== 200) return notSettled(`Docker answers GET /version with ${status}`)
  const {BuildTime, GitCommit, GoVersion, Os} = JSON.parse(body.toString('utf8')) as Record<string, string | undefined>
  if (Os !== 'windows') return notSettled(`this engine is for ${Os}`)
  const isSame =
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(BuildTime ?? '') &&
    /^[0-9a-f]{7,40}$/.test(GitCommit ?? '') &&
    /^go\d/.test(GoVersion ?? '')
  return compared(isSame, `${BuildTime} ${GitCommit} ${GoVersion}`, 'a time, a commit in hex, go and a version')
}

/** That of Docker: dockerd is the process of its service. */
export const pipeServerProcess: Settler = async ({machine: {win32}}) => {
  const [server, service] = [await win32.pipeServer(DOCKER_PIPE), await win32.queryServiceStatus('docker')]
  if (!server || !service) return notSettled('no Docker is running as a service')
  const owner = /^O:(.+?)(?:G:|D:|$)/.exec(server.sddl)?.[1] ?? 'none'
  const isSame = server.processId === service.processId && ['BA', 'SY'].includes(owner)
  const seen = `process ${server.processId}, owner ${owner}`
  return compared(isSame, seen, `process ${service.processId}, owner BA or SY`)
}
