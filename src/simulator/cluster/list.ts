// Lists of the Kubernetes API: selected, in pages, in the shape it gives them.
import type {ModelRequest, ModelResponse} from '../model.js'
import type {KubernetesObject} from './objects.js'
import type {Access} from './rbac.js'
import {json} from './status.js'

export function listOf(
  kind: string,
  {group}: Access,
  objects: readonly KubernetesObject[],
  {query}: ModelRequest,
): ModelResponse {
  // Items of a list carry neither kind nor apiVersion.
  const bare = objects.filter(selectedBy(query)).map((item) => ({...item, apiVersion: undefined, kind: undefined}))
  const start = Number(query.get('continue') ?? 0)
  const items = bare.slice(start, start + (Number(query.get('limit')) || bare.length))
  const left = bare.length - start - items.length
  // A real server's token says more; to clients it is a text to be sent back.
  const more = left > 0 && {continue: String(start + items.length), remainingItemCount: left}
  return json(200, {
    kind,
    apiVersion: group ? `${group}/v1` : 'v1',
    metadata: {resourceVersion: '1000', ...more},
    items,
  })
}

/** labelSelector "a=b,c" and fieldSelector of a name or a pod's node. */
function selectedBy(query: URLSearchParams): (object: KubernetesObject) => boolean {
  const terms = (query.get('labelSelector') ?? '').split(',').filter(Boolean)
  const field = query.get('fieldSelector') ?? ''
  const name = /^metadata\.name=+(.+)$/.exec(field)?.[1]
  const node = /^spec\.nodeName=+(.+)$/.exec(field)?.[1]
  return ({metadata, spec}) =>
    (name === undefined || metadata.name === name) &&
    (node === undefined || spec?.['nodeName'] === node) &&
    terms.every((term) => {
      const [key = '', value] = term.split(/==?/)
      const label = metadata.labels?.[key]
      return label !== undefined && (value === undefined || label === value)
    })
}
