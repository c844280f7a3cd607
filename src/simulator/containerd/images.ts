// The images of the simulated containerd: found, tagged and removed, by the names that the CRI and ctr use.
import type {World} from '../world.js'
import {type ContainerdImage, KUBERNETES_NAMESPACE} from './state.js'

/** distribution/reference, ParseDockerRef: the CRI completes a name; ctr does not. */
export function fullName(reference: string): string {
  const [first = ''] = reference.split('/', 1)
  const hasHost = reference.includes('/') && (/[.:]/.test(first) || first === 'localhost')
  const named = hasHost ? reference : `docker.io/${reference.includes('/') ? '' : 'library/'}${reference}`
  if (named.includes('@')) return named.replace(/:[^/:@]+@/, '@')
  return named.lastIndexOf(':') > named.lastIndexOf('/') ? named : `${named}:latest`
}

export const imagesIn = ({containerd}: World, namespace = KUBERNETES_NAMESPACE): ContainerdImage[] =>
  containerd.images.filter((image) => (image.namespace ?? KUBERNETES_NAMESPACE) === namespace)

/** Every name that ctr lists: tags, digests, and in the CRI's namespace the ID. */
export const namesOf = ({digests, id, namespace = KUBERNETES_NAMESPACE, tags}: ContainerdImage): string[] => [
  ...tags,
  ...digests,
  ...(namespace === KUBERNETES_NAMESPACE ? [id] : []),
]

/** internal/cri/store/image: by the completed name, or by an ID or the beginning of one. */
export function resolveImage(world: World, reference: string): ContainerdImage | undefined {
  const id = reference.replace(/^sha256:/, '')
  const name = fullName(reference)
  const images = imagesIn(world)
  return (
    images.find(({digests, tags}) => tags.includes(name) || digests.includes(name)) ??
    (/^[\da-f]{1,64}$/.test(id) ? images.find((image) => image.id.startsWith(`sha256:${id}`)) : undefined)
  )
}

export const imageNamed = (world: World, name: string, namespace: string): ContainerdImage | undefined =>
  imagesIn(world, namespace).find((image) => namesOf(image).includes(name))

/** A name stands for one image only: it is taken from another one. */
export function nameImage(world: World, image: ContainerdImage, name: string): void {
  for (const other of imagesIn(world, image.namespace)) if (other !== image) forgetName(world, other, name)
  if (!image.tags.includes(name)) image.tags.push(name)
}

/** The image is collected with its last name; an ID alone does not keep it. */
export function forgetName(world: World, image: ContainerdImage, name: string): void {
  const isId = name === image.id
  image.tags = isId ? [] : image.tags.filter((one) => one !== name)
  image.digests = isId ? [] : image.digests.filter((one) => one !== name)
  if (image.tags.length === 0 && image.digests.length === 0) removeImage(world, image)
}

export function removeImage({containerd}: World, image: ContainerdImage): void {
  containerd.images = containerd.images.filter((one) => one !== image)
}
