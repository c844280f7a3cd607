// The Docker Engine API of the simulated host.
import {json, type ModelRequest, type ModelResponse, type Stage} from '../model.js'
import {compareVersions} from '../versions.js'
import type {World} from '../world.js'
import {DockerRefusal} from './answer.js'
import {buildImage} from './build.js'
import {
  containerLogs,
  createContainer,
  listContainers,
  removeContainer,
  startContainer,
  waitForContainer,
} from './containers.js'
import {createImage, deleteImage, inspectImage, listedImage, tagImage} from './images.js'
import {createNetwork, inspectNetwork, listNetworks, removeNetwork} from './networks.js'

/** The API version since which errors are JSON; older clients get plain text. */
const JSON_ERRORS = '1.24'
const PLAIN_TEXT = {'content-type': 'text/plain; charset=utf-8'}

export function isDockerRunning({docker, services}: World): boolean {
  return docker.running && services['docker']?.state === 'running'
}

export async function answerDocker(stage: Stage, request: ModelRequest): Promise<ModelResponse> {
  const {apiVersion, mode, version} = stage.world.docker
  const headers = {
    'api-version': apiVersion,
    'docker-experimental': 'false',
    ostype: mode,
    server: `Docker/${version} (${mode})`,
  }
  const [, asked, path = ''] = /^(?:\/v(\d+\.\d+))?(\/.*)$/.exec(request.path) ?? []
  try {
    checkVersion(stage.world, asked)
    const answer = await route(stage, {...request, path})
    return {...answer, headers: {...answer.headers, ...headers}}
  } catch (error) {
    if (!(error instanceof DockerRefusal)) throw error
    const isPlain = asked !== undefined && compareVersions(asked, JSON_ERRORS) < 0
    const answer = isPlain
      ? {body: `${error.message}\n`, headers: PLAIN_TEXT, status: error.status}
      : json(error.status, {message: error.message})
    return {...answer, headers: {...answer.headers, ...headers}}
  }
}

/** moby, api/server/middleware/version.go. */
function checkVersion({docker}: World, asked: string | undefined): void {
  if (asked === undefined) return
  const {apiVersion, minApiVersion} = docker
  if (compareVersions(asked, minApiVersion) < 0) {
    const advice = 'please upgrade your client to a newer version'
    throw new DockerRefusal(
      400,
      `client version ${asked} is too old. Minimum supported API version is ${minApiVersion}, ${advice}`,
    )
  }

  if (compareVersions(asked, apiVersion) > 0) {
    throw new DockerRefusal(400, `client version ${asked} is too new. Maximum supported API version is ${apiVersion}`)
  }
}

type Handler = (stage: Stage, request: ModelRequest, name: string) => ModelResponse | Promise<ModelResponse>

/** By method and path; `*` stands for the name of an image, a container or a network. */
const ROUTES: Readonly<Record<string, Handler>> = {
  'DELETE /containers/*': ({world}, {query}, name) => removeContainer(world, name, query),
  'DELETE /images/*': ({world}, {query}, name) => deleteImage(world, name, query),
  'DELETE /networks/*': ({world}, _, name) => removeNetwork(world, name),
  'GET /containers/*/logs': ({world}, {query}, name) => containerLogs(world, name, query),
  'GET /containers/json': ({world}, {query}) => listContainers(world, query),
  'GET /images/*/json': ({world}, _, name) => inspectImage(world, name),
  'GET /images/json': ({world}) => json(200, world.docker.images.map(listedImage)),
  'GET /info': ({world}) => json(200, engineInfo(world)),
  'GET /networks': ({world}) => listNetworks(world),
  'GET /networks/*': ({world}, _, name) => inspectNetwork(world, name),
  'GET /version': ({world}) => json(200, engineVersion(world)),
  'POST /build': buildImage,
  'POST /containers/*/start': (stage, _, name) => startContainer(stage, name),
  'POST /containers/*/wait': (stage, _, name) => waitForContainer(stage, name, () => isDockerRunning(stage.world)),
  'POST /containers/create': ({world}, request) => createContainer(world, request),
  'POST /images/*/tag': ({world}, {query}, name) => tagImage(world, name, query),
  'POST /images/create': createImage,
  'POST /networks/create': ({world}, request) => createNetwork(world, request),
}

async function route(stage: Stage, request: ModelRequest): Promise<ModelResponse> {
  const {method, path} = request
  // Image names contain slashes.
  const [, kind = '', name = '', action = ''] =
    /^\/(images|containers|networks)\/(.+?)(\/(?:json|logs|start|tag|wait))?$/.exec(path) ?? []
  const handler = ROUTES[`${method} ${path}`] ?? ROUTES[`${method} /${kind}/*${action}`]
  if (!handler) throw new DockerRefusal(404, 'page not found')
  return handler(stage, request, decodeURIComponent(name))
}

const DEFAULT_DATA_ROOT = String.raw`C:\ProgramData\docker`

/** What k8s-win reads of it, and what the assumption docker-version-strings is about. */
const engineVersion = ({docker: {apiVersion, minApiVersion, mode, version}}: World): object => ({
  ApiVersion: apiVersion,
  BuildTime: '2021-10-12T20:46:22.000000000+00:00',
  GitCommit: '6b54ff6f17',
  GoVersion: 'go1.16.12m2',
  MinAPIVersion: minApiVersion,
  Os: mode,
  Version: version,
})

function engineInfo({docker, os}: World): object {
  const {dataRoot = DEFAULT_DATA_ROOT, httpProxy = '', httpsProxy = '', loggingDriver = 'json-file', mode} = docker
  const isWindows = mode === 'windows'
  return {
    DockerRootDir: isWindows ? dataRoot : '/var/lib/docker',
    HttpProxy: httpProxy,
    HttpsProxy: httpsProxy,
    LoggingDriver: loggingDriver,
    OSType: mode,
    OSVersion: isWindows ? `10.0.${os.build}.${os.ubr}` : '',
    ServerVersion: docker.version,
  }
}
