// What an identity asks about its own rights.
import {json, type ModelRequest, type ModelResponse} from '../model.js'
import type {Identity} from './identity.js'
import {authorize} from './permissions.js'
import type {Access} from './rbac.js'
import type {ClusterState} from './state.js'
import {badRequest, notAllowed, readBody} from './status.js'

const NODE_NAME = 'spec.nodeName'

export function reviewAccess(cluster: ClusterState, identity: Identity, request: ModelRequest): ModelResponse {
  if (request.method !== 'POST') return notAllowed()
  const review = readBody<{spec?: {resourceAttributes?: Partial<Access> & ReviewedParts}}>(request)
  if (!review) return badRequest('unexpected EOF')
  const {
    fieldSelector,
    group = '',
    name = '',
    namespace = '',
    resource = '',
    subresource,
    verb = '',
  } = review.spec?.resourceAttributes ?? {}
  const full = subresource ? `${resource}/${subresource}` : resource
  // pkg/registry/authorization/util/helpers.go, fieldSelectorAsSelector: "In" takes one value.
  const selected = fieldSelector?.requirements?.find(({key, operator}) => key === NODE_NAME && operator === 'In')
  const onNode = selected?.values?.length === 1 ? selected.values[0] : undefined
  const {allowed, reason} = authorize(cluster, identity, {group, name, namespace, onNode, resource: full, verb})
  const answer = {kind: 'SelfSubjectAccessReview', apiVersion: 'authorization.k8s.io/v1'}
  const status = {allowed, ...(reason && {reason})}
  return json(201, {...answer, metadata: {creationTimestamp: null}, spec: review.spec, status})
}

interface ReviewedParts {
  readonly fieldSelector?: {readonly requirements?: readonly {key?: string; operator?: string; values?: string[]}[]}
  readonly subresource?: string
}
