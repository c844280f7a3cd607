// The Docker Engine API over the simulated host: which request is answered by what.
import type {ModelRequest, ModelResponse, Stage} from '../model.js'
import type {World} from '../world.js'
import {DockerRefusal, json} from './answer.js'
import {buildImage} from './build.js'
import {inspectContainer, listContainers} from './container-list.js'
import {containerLogs, createContainer, removeContainer, startContainer, waitForContainer} from './containers.js'
import {engineInfo, engineVersion} from './engine-version.js'
import {deleteImage} from './image-delete.js'
import {inspectImage} from './image-inspect.js'
import {createImage, listImages, tagImage} from './images.js'
import {createNetwork, inspectNetwork, listNetworks, removeNetwork} from './networks.js'

/** The API since which errors are JSON. */
const JSON_ERRORS = '1.24'

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
  const [, asked, path = ''] = /^(?:\/v(\d+\.\d+))?(\/.*)$/.exec(request.path) ?? []
  try {
    checkVersion(stage.world, asked)
    const answer = await route(stage, {...request, path})
    return {...answer, headers: {...answer.headers, ...headers}}
  } catch (error) {
    if (!(error instanceof DockerRefusal)) throw error
    // Clients of that time were told in plain text.
    if (asked !== undefined && compare(asked, JSON_ERRORS) < 0) {
      const type = {'content-type': 'text/plain; charset=utf-8'}
      return {body: `${error.message}\n`, headers: {...headers, ...type}, status: error.status}
    }

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
      return json(200, engineInfo(world))
    }

    case 'GET /networks': {
      return listNetworks(world)
    }

    case 'GET /version': {
      return json(200, engineVersion(world))
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

    case 'POST /networks/create': {
      return createNetwork(world, request)
    }
  }

  return routeNamed(stage, request)
}

/** Requests about one image, container or network. Image names have slashes in them. */
async function routeNamed(stage: Stage, {method, path, query}: ModelRequest): Promise<ModelResponse> {
  const {world} = stage
  const [, kind = '', rawName = '', action = ''] =
    /^\/(images|containers|networks)\/(.+?)(?:\/(json|logs|start|tag|wait))?$/.exec(path) ?? []
  const name = decodeURIComponent(rawName)
  switch (`${method} ${kind} ${action}`.trim()) {
    case 'DELETE containers': {
      return removeContainer(world, name, query)
    }

    case 'DELETE images': {
      return deleteImage(world, name, query)
    }

    case 'DELETE networks': {
      return removeNetwork(world, name)
    }

    case 'GET containers json': {
      return inspectContainer(world, name)
    }

    case 'GET containers logs': {
      return containerLogs(world, name, query)
    }

    case 'GET images json': {
      return inspectImage(world, name)
    }

    case 'GET networks': {
      return inspectNetwork(world, name)
    }

    case 'POST containers start': {
      return startContainer(stage, name)
    }

    case 'POST containers wait': {
      return waitForContainer(stage, name, () => isDockerRunning(world))
    }

    case 'POST images tag': {
      return tagImage(world, name, query)
    }
  }

  throw new DockerRefusal(404, 'page not found')
}

function compare(a: string, b: string): number {
  const [majorA = 0, minorA = 0] = a.split('.').map(Number)
  const [majorB = 0, minorB = 0] = b.split('.').map(Number)
  return majorA - majorB || minorA - minorB
}
