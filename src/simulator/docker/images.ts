// Images of the simulated Docker: listed, inspected, tagged and deleted.
import {json, type ModelRequest, type ModelResponse, type Stage} from '../model.js'
import type {DockerImage, World} from '../world.js'
import {DockerRefusal, empty, isTrue, jsonLines} from './answer.js'
import {pullImage} from './pull.js'
import {nameImage, splitReference} from './registry.js'

/** By name and tag, by ID or the beginning of one. */
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
  // Without an image to pull it is an import.
  if (!from.name) throw new DockerRefusal(500, 'Get "http:": http: no Host in request URL')
  demandName(from.name, 400)
  return jsonLines(pullImage(stage, from.name, query.get('tag') ?? from.tag))
}

export const listedImage = (image: DockerImage) => ({
  Created: Math.floor(Date.parse(image.created) / 1000),
  Id: image.id,
  Labels: labelsOf(image),
  RepoDigests: image.digests ?? [],
  RepoTags: image.tags,
  Size: image.size,
})

export function tagImage(world: World, reference: string, query: URLSearchParams): ModelResponse {
  const image = demandImage(world, reference)
  const repository = query.get('repo') ?? ''
  // 400 for a pull, 500 for a tag: api/server/router/image/image_routes.go of 20.10.
  if (!repository) throw new DockerRefusal(500, 'invalid reference format')
  demandName(repository, 500)
  const tag = `${repository}:${query.get('tag') ?? 'latest'}`
  nameImage(world.docker.images, image, tag)
  return empty(201)
}

/** A first component with a dot or a port is a host, and may have capitals. */
export function demandName(name: string, status: number): void {
  const path = /^[^/.:]*[.:][^/]*\//.test(name) ? name.slice(name.indexOf('/') + 1) : name
  if (path === path.toLowerCase()) return
  throw new DockerRefusal(status, 'invalid reference format: repository name must be lowercase')
}

const labelsOf = ({labels}: Pick<DockerImage, 'labels'>): Record<string, string> | null =>
  Object.keys(labels).length > 0 ? labels : null

export function inspectImage(world: World, reference: string): ModelResponse {
  const image = findImage(world, reference)
  const {name, tag} = splitReference(reference)
  // The error twice, as engines of that time report it.
  if (!image) throw new DockerRefusal(404, `no such image: ${reference}: No such image: ${name}:${tag}`)
  return json(200, inspectedImage(image))
}

/** What k8s-win reads of it. */
export const inspectedImage = (image: DockerImage) => ({
  Id: image.id,
  RepoTags: image.tags,
  RepoDigests: image.digests ?? [],
  Config: {
    Cmd: image.command ?? ['c:\\windows\\system32\\cmd.exe'],
    Labels: labelsOf(image),
    User: image.user ?? '',
  },
  Os: 'windows',
  OsVersion: image.osVersion,
  Size: image.size,
})

/** Removes a tag, and with the last one the image (moby, daemon/images/image_delete.go). */
export function deleteImage(world: World, reference: string, query: URLSearchParams): ModelResponse {
  const {docker} = world
  const image = demandImage(world, reference)
  const {name, tag} = splitReference(reference)
  const named = `${name}:${tag}`
  const isById = !image.tags.includes(named)
  if (!isTrue(query.get('force'))) refuseInUse(world, image, reference, isById)
  const gone = isById ? image.tags : [named]
  image.tags = image.tags.filter((one) => !gone.includes(one))
  const isLast = image.tags.length === 0
  const digests = (image.digests ?? []).filter((one) => isLast || isWithoutTag(image, one))
  image.digests = (image.digests ?? []).filter((one) => !digests.includes(one))
  if (isLast) docker.images.splice(docker.images.indexOf(image), 1)
  const untagged = [...gone, ...digests].map((one) => ({Untagged: one}))
  return json(200, isLast ? [...untagged, {Deleted: image.id}] : untagged)
}

function refuseInUse({docker}: World, image: DockerImage, reference: string, isById: boolean): void {
  const short = image.id.slice(7, 19)
  if (isById && image.tags.length > 1) {
    const reason = 'image is referenced in multiple repositories'
    throw new DockerRefusal(409, `conflict: unable to delete ${short} (must be forced) - ${reason}`)
  }

  const user = docker.containers.find((container) => container.image === image.id)
  if (!user || image.tags.length > 1) return
  const container = user.id.slice(0, 12)
  if (!isById) {
    const reason = `container ${container} is using its referenced image ${short}`
    throw new DockerRefusal(
      409,
      `conflict: unable to remove repository reference "${reference}" (must force) - ${reason}`,
    )
  }

  const [how, state] = user.state === 'running' ? ['cannot be forced', 'running'] : ['must be forced', 'stopped']
  const reason = `image is being used by ${state} container ${container}`
  throw new DockerRefusal(409, `conflict: unable to delete ${short} (${how}) - ${reason}`)
}

const isWithoutTag = ({tags}: DockerImage, digest: string): boolean =>
  !tags.some((tag) => splitReference(tag).name === digest.slice(0, digest.indexOf('@')))
