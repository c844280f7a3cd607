// Images of the simulated Docker: listed, inspected, tagged.
import type {ModelRequest, ModelResponse, Stage} from '../model.js'
import type {DockerImage, World} from '../world.js'
import {DockerRefusal, empty, json, jsonLines} from './answer.js'
import {pullImage} from './pull.js'
import {splitReference} from './registry.js'

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
  // Without an image to pull it is an import, from nowhere.
  if (!from.name) throw new DockerRefusal(500, 'Get "http:": http: no Host in request URL')
  demandName(from.name, 400)
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
      RepoDigests: image.digests ?? [],
      RepoTags: image.tags,
      SharedSize: -1,
      Size: image.size,
      VirtualSize: image.size,
    })),
  )
}

export function tagImage(world: World, reference: string, query: URLSearchParams): ModelResponse {
  const image = demandImage(world, reference)
  const repository = query.get('repo') ?? ''
  // A pull of such a name is a 400, a tag is not: api/server/router/image/image_routes.go of 20.10.
  if (!repository) throw new DockerRefusal(500, 'invalid reference format')
  demandName(repository, 500)
  const tag = `${repository}:${query.get('tag') ?? 'latest'}`
  for (const other of world.docker.images) if (other !== image) other.tags = other.tags.filter((one) => one !== tag)
  if (!image.tags.includes(tag)) image.tags.push(tag)
  return empty(201)
}

/** The first component is a host where it has a dot or a port, and hosts may have capitals. */
export function demandName(name: string, status: number): void {
  const path = /^[^/]*[.:][^/]*\//.test(name) ? name.slice(name.indexOf('/') + 1) : name
  if (path === path.toLowerCase()) return
  throw new DockerRefusal(status, 'invalid reference format: repository name must be lowercase')
}

const labelsOf = ({labels}: DockerImage): Record<string, string> | null =>
  Object.keys(labels).length > 0 ? labels : null
