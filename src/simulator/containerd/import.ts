// Archives of images as `docker save` and the OCI layout write them: the names and the system of each image.
import {readTar} from '../../machine/tar.js'
import type {Stage} from '../model.js'
import {sha256} from '../docker/registry.js'
import {fullName, nameImage} from './images.js'
import {type ContainerdImage, KUBERNETES_NAMESPACE} from './state.js'

export type Imported =
  | {readonly error: string}
  | {readonly error?: undefined; readonly images: readonly {readonly digest: string; readonly name: string}[]}

interface SavedImage {
  readonly Config?: string
  readonly RepoTags?: readonly string[]
}

/** core/images/archive, importer.go: manifest.json of Docker's layout. */
export function importArchive({world}: Stage, bytes: Buffer, namespace: string): Imported {
  const images: {digest: string; name: string}[] = []
  try {
    const members = new Map(readTar(bytes).map(({content, name}) => [name.replace(/^\.\//, ''), content]))
    const manifest = members.get('manifest.json')
    if (!manifest) return {error: 'unrecognized image format'}
    for (const {Config = '', RepoTags = []} of JSON.parse(manifest.toString('utf8')) as SavedImage[]) {
      const config = members.get(Config)
      if (!config) return {error: `image config ${JSON.stringify(Config)} not found`}
      const {['os.version']: osVersion = ''} = JSON.parse(config.toString('utf8')) as {'os.version'?: string}
      const digest = `sha256:${sha256(config.toString('latin1'))}`
      const known = world.containerd.images.find((one) => one.id === digest)
      const image: ContainerdImage = known ?? {digests: [], id: digest, osVersion, size: bytes.length, tags: []}
      if (!known) world.containerd.images.push(image)
      if (namespace !== KUBERNETES_NAMESPACE) image.namespace = namespace
      for (const tag of RepoTags) {
        nameImage(world, image, fullName(tag))
        images.push({digest, name: fullName(tag)})
      }
    }
  } catch (error) {
    return {error: `cannot read the archive: ${(error as Error).message}`}
  }

  return {images}
}
