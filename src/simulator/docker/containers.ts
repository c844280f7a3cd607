// Containers of the simulated Docker: what runs ends at once and well, if its image fits the host.
import {randomBytes} from 'node:crypto'

import type {ModelRequest, ModelResponse, Stage} from '../model.js'
import type {DockerContainer, World} from '../world.js'
import {DockerRefusal, empty, json} from './answer.js'
import {demandImage} from './images.js'
import {buildOf} from './pull.js'

const START_MS = 2000

interface CreateBody {
  readonly HostConfig?: {readonly Isolation?: string}
  readonly Image?: string
  readonly Labels?: Record<string, string>
}

export function createContainer(world: World, {body, query}: ModelRequest): ModelResponse {
  const asked = parse(body)
  const image = demandImage(world, asked.Image ?? '')
  const id = randomBytes(32).toString('hex')
  const name = query.get('name') ?? `quiet_host_${id.slice(0, 6)}`
  const taken = world.docker.containers.find((one) => one.name === name)
  if (taken) {
    const advice = 'You have to remove (or rename) that container to be able to reuse that name.'
    throw new DockerRefusal(
      409,
      `Conflict. The container name "/${name}" is already in use by container "${taken.id}". ${advice}`,
    )
  }

  const isolation = asked.HostConfig?.Isolation || 'default'
  if (isolation !== 'default' && isolation !== 'hyperv' && isolation !== 'process') {
    throw new DockerRefusal(400, `invalid isolation: ${isolation}`)
  }

  const labels = {...image.labels, ...asked.Labels}
  world.docker.containers.push({exitCode: 0, id, image: image.id, isolation, labels, name, state: 'created'})
  return json(201, {Id: id, Warnings: []})
}

export async function startContainer(stage: Stage, reference: string): Promise<ModelResponse> {
  const container = demandContainer(stage.world, reference)
  if (container.state === 'running') return empty(304)
  await stage.elapse(START_MS)
  assertFitsHost(stage.world, container)
  container.exitCode = 0
  container.state = 'exited'
  return empty(204)
}

/**
 * The build, not the patch level, must be the host's (facts.md d.8).
 * The text is that of Docker 19.03 and newer, which no longer gives the code 0xc0370101 (microsoft/service-fabric#1000).
 */
export function assertFitsHost(
  {docker, os}: World,
  container: Pick<DockerContainer, 'id' | 'image' | 'isolation'>,
): void {
  const image = docker.images.find(({id}) => id === container.image)
  if (!image || buildOf(image.osVersion) === os.build || container.isolation === 'hyperv') return
  const extra = JSON.stringify({SystemType: 'Container', Name: container.id, Owner: 'docker', HvPartition: false})
  throw new DockerRefusal(
    500,
    `hcsshim::CreateComputeSystem ${container.id}: The container operating system does not match the host operating system.\n(extra info: ${extra})`,
  )
}

export function listContainers({docker}: World, query: URLSearchParams): ModelResponse {
  const isAll = ['1', 'true'].includes(query.get('all')?.toLowerCase() ?? '')
  const wanted = labelFilters(query.get('filters'))
  const fits = ({labels}: DockerContainer): boolean =>
    wanted.every((filter) => {
      const [key = '', value] = filter.split(/=(.*)/s)
      return key in labels && (value === undefined || labels[key] === value)
    })
  const shown = docker.containers.filter((one) => (isAll || one.state === 'running') && fits(one))
  return json(
    200,
    shown.map(({id, image, labels, name, state}) => ({
      Id: id,
      Image: docker.images.find((one) => one.id === image)?.tags[0] ?? image,
      ImageID: image,
      Labels: labels,
      Names: [`/${name}`],
      State: state,
      Status: state,
    })),
  )
}

export function inspectContainer(world: World, reference: string): ModelResponse {
  const {exitCode, id, image, isolation, labels, name, state} = demandContainer(world, reference)
  return json(200, {
    Config: {Image: image, Labels: labels},
    HostConfig: {Isolation: isolation ?? 'default'},
    Id: id,
    Image: image,
    Name: `/${name}`,
    State: {Error: '', ExitCode: exitCode, Running: state === 'running', Status: state},
  })
}

export function waitForContainer(world: World, reference: string): ModelResponse {
  return json(200, {Error: null, StatusCode: demandContainer(world, reference).exitCode})
}

/** Nothing that is run here prints anything. */
export function containerLogs(world: World, reference: string): ModelResponse {
  demandContainer(world, reference)
  return {body: '', headers: {'content-type': 'application/octet-stream'}, status: 200}
}

export function removeContainer(world: World, reference: string, query: URLSearchParams): ModelResponse {
  const container = demandContainer(world, reference)
  if (container.state === 'running' && !['1', 'true'].includes(query.get('force') ?? '')) {
    const advice = 'Stop the container before attempting removal or force remove'
    throw new DockerRefusal(409, `You cannot remove a running container ${container.id}. ${advice}`)
  }

  world.docker.containers.splice(world.docker.containers.indexOf(container), 1)
  return empty(204)
}

function demandContainer({docker}: World, reference: string): DockerContainer {
  const found = docker.containers.find(({id, name}) => name === reference || id.startsWith(reference))
  if (!found) throw new DockerRefusal(404, `No such container: ${reference}`)
  return found
}

function parse(body: Buffer): CreateBody {
  try {
    return JSON.parse(body.toString('utf8')) as CreateBody
  } catch {
    throw new DockerRefusal(400, 'invalid JSON: EOF')
  }
}

/** {"label": ["a=b"]}, and the older {"label": {"a=b": true}}. */
function labelFilters(filters: string | null): string[] {
  const {label = []} = JSON.parse(filters || '{}') as {label?: Record<string, boolean> | string[]}
  return Array.isArray(label) ? label : Object.keys(label)
}
