// DELETE /images/{name}: a tag is taken away, and with the last one the image (moby, daemon/images/image_delete.go).
import type {ModelResponse} from '../model.js'
import type {DockerImage, World} from '../world.js'
import {DockerRefusal, json} from './answer.js'
import {demandImage} from './images.js'
import {splitReference} from './registry.js'

export function deleteImage(world: World, reference: string, query: URLSearchParams): ModelResponse {
  const {docker} = world
  const image = demandImage(world, reference)
  const {name, tag} = splitReference(reference)
  const named = `${name}:${tag}`
  const isById = !image.tags.includes(named)
  const isForced = ['1', 'true'].includes(query.get('force')?.toLowerCase() ?? '')
  if (!isForced) refuseInUse(world, image, reference, isById)
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
