// Images of the simulated Docker: list, inspect, tag, delete.
import type {ModelRequest, ModelResponse, Stage} from '../model.js'
import type {DockerImage, World} from '../world.js'
import {DockerRefusal, empty, json, jsonLines} from './answer.js'
import {pullImage} from './pull.js'
import {sha256, splitReference} from './registry.js'

/** By name and tag, by id or the beginning of one, as Docker looks it up. */
export function findImage(world: World, reference: string): DockerImage | undefined {
  const {name, tag} = splitReference(reference)
  const id = reference.replace(/^sha256:/, '')
  return (
    world.docker.images.find(({tags}) => tags.includes(`${name}:${tag}`)) ??
    (/^[\da-f]{4,64}$/.test(id) ? world.docker.images.find((image) => image.id.startsWith(`sha256:${id}`)) : undefined)
  )
}

export function demandImage(world: World, reference: string): DockerImage {
  const found = findImage(world, reference)
  const {name, tag} = splitReference(reference)
  if (!found) throw new DockerRefusal(404, `No such image: ${name}:${tag}`)
  return found
}

export function createImage(stage: Stage, {query}: ModelRequest): ModelResponse {
  const from = splitReference(query.get('fromImage') ?? '')
  if (!from.name) throw new DockerRefusal(400, 'fromImage is required')
  return jsonLines(pullImage(stage, from.name, query.get('tag') ?? from.tag))
}

export function listImages({docker}: World): ModelResponse {
  return json(
    200,
    docker.images.map((image) => ({
      Containers: -1,
      Created: Math.floor(Date.parse(image.created) / 1000),
      Id: image.id,
      Labels: labelsOf(image),
      ParentId: '',
      RepoDigests: digestsOf(image),
      RepoTags: image.tags,
      SharedSize: -1,
      Size: image.size,
      VirtualSize: image.size,
    })),
  )
}

export function inspectImage(world: World, reference: string): ModelResponse {
  const image = demandImage(world, reference)
  return json(200, {
    Id: image.id,
    RepoTags: image.tags,
    RepoDigests: digestsOf(image),
    Parent: '',
    Comment: '',
    Created: image.created,
    DockerVersion: '',
    Author: '',
    Config: {Env: null, Cmd: ['c:\\windows\\system32\\cmd.exe'], Labels: labelsOf(image)},
    Architecture: 'amd64',
    Os: 'windows',
    OsVersion: image.osVersion,
    Size: image.size,
    VirtualSize: image.size,
  })
}

export function tagImage(world: World, reference: string, query: URLSearchParams): ModelResponse {
  const image = demandImage(world, reference)
  const repository = query.get('repo') ?? ''
  if (!repository) throw new DockerRefusal(400, 'repository name must have at least one component')
  const tag = `${repository}:${query.get('tag') ?? 'latest'}`
  for (const other of world.docker.images) other.tags = other.tags.filter((one) => one !== tag)
  image.tags.push(tag)
  return empty(201)
}

export function deleteImage({docker, ...world}: World, reference: string, query: URLSearchParams): ModelResponse {
  const image = demandImage({docker, ...world}, reference)
  const {name, tag} = splitReference(reference)
  const untagged = image.tags.filter((one) => one === `${name}:${tag}`)
  const remaining = untagged.length > 0 ? image.tags.filter((one) => one !== `${name}:${tag}`) : []
  const user = docker.containers.find((container) => container.image === image.id)
  if (remaining.length === 0 && user && query.get('force') !== '1' && query.get('force') !== 'true') {
    const [imageId, userId] = [image.id.slice(7, 19), user.id.slice(0, 12)]
    const verb = user.state === 'running' ? 'cannot be forced' : 'must be forced'
    const use = user.state === 'running' ? 'running' : 'stopped'
    throw new DockerRefusal(
      409,
      `conflict: unable to remove repository reference "${reference}" (${verb}) - container ${userId} is using its referenced image ${imageId} (${use})`,
    )
  }

  const gone = untagged.length > 0 ? untagged : image.tags
  image.tags = remaining
  if (remaining.length === 0) docker.images.splice(docker.images.indexOf(image), 1)
  const answer: object[] = gone.map((one) => ({Untagged: one}))
  return json(200, remaining.length === 0 ? [...answer, {Deleted: image.id}] : answer)
}

const labelsOf = ({labels}: DockerImage): Record<string, string> | null =>
  Object.keys(labels).length > 0 ? labels : null
const digestsOf = (image: DockerImage): string[] => [
  ...new Set(
    image.tags
      .filter((tag) => tag.includes('.'))
      .map((tag) => `${splitReference(tag).name}@sha256:${sha256(image.id)}`),
  ),
]
