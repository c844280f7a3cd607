// What containerd has in its database, read from the file: also where containerd cannot answer
// (containerd, core/metadata/buckets.go has the schema).
import {win32} from 'node:path'
import {CONTAINERD_ROOT} from '../../config/layout.js'
import {containerdFailed} from '../../errors/downloads-and-images.js'
import {FileError, type Files} from '../../machine/files.js'
import {BoltError, type Bucket, readBolt} from './bolt.js'
import {inNamespace, POD_LABEL, PROBE} from './containers.js'
import {NAMESPACE} from './programs.js'

/** plugins/metadata/plugin.go */
export const DATABASE = win32.join(CONTAINERD_ROOT, 'io.containerd.metadata.v1.bolt', 'meta.db')
/** Layers of containers and images (containerd, plugins/snapshots/windows). */
export const SNAPSHOTS = win32.join(CONTAINERD_ROOT, 'io.containerd.snapshotter.v1.windows', 'snapshots')

const SCHEMA = 'v1'
/** What a namespace can have besides, such as an image that is being pulled. */
const REST = ['content', 'sandboxes', 'snapshots']

/** As `Containers.others`. Rejects where it cannot be known. */
export async function othersInDatabase(files: Files): Promise<readonly string[]> {
  const failed = (said: string, cause?: unknown): Error =>
    containerdFailed({operation: `be asked, so ${DATABASE} was read`, said}, {cause})
  try {
    const bytes = await files.read(DATABASE)
    if (bytes) return othersIn(readBolt(bytes))
    if ((await files.list(SNAPSHOTS)).length === 0) return []
  } catch (error) {
    if (error instanceof BoltError || error instanceof FileError) throw failed(error.message, error)
    throw error
  }

  throw failed('nothing, as there is no such file, but there are layers')
}

function othersIn(root: Bucket): string[] {
  const schema = below(root, SCHEMA)
  const inside = [...schema.keys()].flatMap((namespace) => {
    const own = below(schema, namespace)
    return namespace === NAMESPACE ? othersOfKubelet(own) : allOf(own, namespace)
  })
  // Sandboxes are beside the schema (createSandboxBucket), and another schema would be.
  const outside = [...root.keys()].filter((name) => name !== SCHEMA && name !== NAMESPACE && hasKeys(below(root, name)))
  return [...inside, ...outside.map((name) => `the namespace ${name}`)]
}

/** An image there may be the kubelet's. */
function othersOfKubelet(own: Bucket): string[] {
  const containers = below(own, 'containers')
  return [...containers.keys()]
    .filter((id) => id !== PROBE && !below(below(containers, id), 'labels').has(POD_LABEL))
    .map((id) => inNamespace('container', id, NAMESPACE))
}

function allOf(own: Bucket, namespace: string): string[] {
  const named = [
    ...[...below(own, 'containers').keys()].map((id) => inNamespace('container', id, namespace)),
    ...[...below(own, 'images').keys()].map((name) => inNamespace('image', name, namespace)),
  ]
  if (named.length > 0) return named
  return REST.some((name) => hasKeys(below(own, name))) ? [`the namespace ${namespace}`] : []
}

/** A bucket of empty buckets has nothing, such as that of the blobs which were collected. */
const hasKeys = (bucket: Bucket): boolean =>
  [...bucket.values()].some((value) => typeof value !== 'function' || value().size > 0)

/** An empty one where there is none. */
function below(bucket: Bucket, name: string): Bucket {
  const value = bucket.get(name)
  return typeof value === 'function' ? value() : new Map()
}
