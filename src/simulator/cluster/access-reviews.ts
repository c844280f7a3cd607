// What an identity asks about its own rights.
import {json, type ModelRequest, type ModelResponse} from '../model.js'
import type {Identity} from './identity.js'
import {nodeOf} from './node-authorizer.js'
import {authorize, entriesFor} from './permissions.js'
import {type Access, rulesFor} from './rbac.js'
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

/**
 * The rules of RBAC alone (pkg/registry/authorization/selfsubjectrulesreview/rest.go). The Node authorizer cannot list its own
 * and says so (node_authorizer.go, RulesFor), so for a node this is no substitute for reviews of its access.
 */
export function reviewRules(cluster: ClusterState, identity: Identity, request: ModelRequest): ModelResponse {
  if (request.method !== 'POST') return notAllowed()
  const review = readBody<{spec?: {namespace?: string}}>(request)
  if (!review) return badRequest('unexpected EOF')
  const {namespace = ''} = review.spec ?? {}
  if (namespace === '') return badRequest('no namespace on request')
  const entries = entriesFor(cluster, identity.user)
  const isNode = entries.includes('Node') && nodeOf(identity) !== undefined
  const status = {
    resourceRules: entries.includes('RBAC') ? rulesFor(cluster, identity, namespace) : [],
    nonResourceRules: [],
    incomplete: isNode,
    ...(isNode && {evaluationError: 'node authorizer does not support user rule resolution'}),
  }
  const answer = {kind: 'SelfSubjectRulesReview', apiVersion: 'authorization.k8s.io/v1'}
  return json(201, {...answer, metadata: {creationTimestamp: null}, spec: {}, status})
}
