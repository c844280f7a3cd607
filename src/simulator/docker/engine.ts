// The Docker Engine API over the simulated host: which request is answered by what.
import type {ModelRequest, ModelResponse, Stage} from '../model.js'
import type {World} from '../world.js'
import {DockerRefusal, json} from './answer.js'
import {buildImage} from './build.js'
import {
  containerLogs,
  createContainer,
  inspectContainer,
  listContainers,
  removeContainer,
  startContainer,
  waitForContainer,
} from './containers.js'
import {createImage, deleteImage, inspectImage, listImages, tagImage} from './images.js'

/** Its service and the engine itself must both be well. */
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
  try {
    const [, asked, path = ''] = /^(?:\/v(\d+\.\d+))?(\/.*)$/.exec(request.path) ?? []
    checkVersion(stage.world, asked)
    const answer = await route(stage, {...request, path})
    return {...answer, headers: {...answer.headers, ...headers}}
  } catch (error) {
    if (!(error instanceof DockerRefusal)) throw error
    return {...json(error.status, {message: error.message}), headers: {...headers, 'content-type': 'application/json'}}
  }
}

/** The texts of moby's api/server/middleware/version.go. */
function checkVersion({docker}: World, asked: string | undefined): void {
  if (asked === undefined) return
  const {apiVersion, minApiVersion} = docker
  if (compare(asked, minApiVersion) < 0) {
    const advice = 'please upgrade your client to a newer version'
    throw new DockerRefusal(
      400,
      `client version ${asked} is too old. Minimum supported API version is ${minApiVersion}, ${advice}`,
    )
  }

  if (compare(asked, apiVersion) > 0) {
    throw new DockerRefusal(400, `client version ${asked} is too new. Maximum supported API version is ${apiVersion}`)
  }
}

async function route(stage: Stage, request: ModelRequest): Promise<ModelResponse> {
  const {method, path, query} = request
  const {world} = stage
  switch (`${method} ${path}`) {
    case 'GET /_ping':
    case 'HEAD /_ping': {
      return {body: method === 'GET' ? 'OK' : '', headers: {'content-type': 'text/plain; charset=utf-8'}, status: 200}
    }

    case 'GET /containers/json': {
      return listContainers(world, query)
    }

    case 'GET /images/json': {
      return listImages(world)
    }

    case 'GET /info': {
      return json(200, info(world))
    }

    case 'GET /version': {
      return json(200, version(world))
    }

    case 'POST /build': {
      return buildImage(stage, request)
    }

    case 'POST /containers/create': {
      return createContainer(world, request)
    }

    case 'POST /images/create': {
      return createImage(stage, request)
    }
  }

  return routeNamed(stage, request)
}

/** Requests about one image or container. Image names have slashes in them. */
async function routeNamed(stage: Stage, {method, path, query}: ModelRequest): Promise<ModelResponse> {
  const {world} = stage
  const [, kind = '', rawName = '', action = ''] =
    /^\/(images|containers)\/(.+?)(?:\/(json|logs|start|tag|wait))?$/.exec(path) ?? []
  const name = decodeURIComponent(rawName)
  switch (`${method} ${kind} ${action}`.trim()) {
    case 'DELETE containers': {
      return removeContainer(world, name, query)
    }

    case 'DELETE images': {
      return deleteImage(world, name, query)
    }

    case 'GET containers json': {
      return inspectContainer(world, name)
    }

    case 'GET containers logs': {
      return containerLogs(world, name)
    }

    case 'GET images json': {
      return inspectImage(world, name)
    }

    case 'POST containers start': {
      return startContainer(stage, name)
    }

    case 'POST containers wait': {
      return waitForContainer(world, name)
    }

    case 'POST images tag': {
      return tagImage(world, name, query)
    }
  }

  throw new DockerRefusal(404, 'page not found')
}

function version({docker, os}: World): object {
  const {apiVersion, minApiVersion, mode, version: engine} = docker
  const isWindows = mode === 'windows'
  return {
    ApiVersion: apiVersion,
    Arch: 'amd64',
    KernelVersion: isWindows ? `10.0 ${os.build} (${os.build}.1.amd64fre)` : '5.10.16.3-microsoft-standard-WSL2',
    MinAPIVersion: minApiVersion,
    Os: mode,
    Version: engine,
  }
}

function info({docker, os}: World): object {
  const {containers, images, mode, version: engine} = docker
  const isWindows = mode === 'windows'
  return {
    Architecture: 'x86_64',
    Containers: containers.length,
    ContainersRunning: containers.filter(({state}) => state === 'running').length,
    Driver: isWindows ? 'windowsfilter' : 'overlay2',
    Images: images.length,
    Isolation: isWindows ? 'process' : '',
    Name: os.computerName,
    OSType: mode,
    OSVersion: isWindows ? `10.0.${os.build}.${os.ubr}` : '',
    OperatingSystem: isWindows ? `${os.productName} Version 1809 (OS Build ${os.build}.${os.ubr})` : 'Docker Desktop',
    ServerVersion: engine,
  }
}

function compare(a: string, b: string): number {
  const [majorA = 0, minorA = 0] = a.split('.').map(Number)
  const [majorB = 0, minorB = 0] = b.split('.').map(Number)
  return majorA - majorB || minorA - minorB
}
