// The API of CertificateSigningRequests: what users ask the simulated API server for. The simulated kubelet makes
// its requests without HTTP.
import {json, type ModelRequest, type ModelResponse, type Stage} from '../model.js'
import type {Identity} from './identity.js'
import {type KubernetesObject, objectOf, timeOf} from './objects.js'
import {authorize} from './permissions.js'
import type {Access} from './rbac.js'
import {addCondition, conditionOf, CSR_GROUP, CSR_RESOURCE} from './signing-requests.js'
import type {ClusterState, SigningCondition, SigningRequest} from './state.js'
import {badRequest, invalid, notAdmitted, notFound, readBody} from './status.js'

interface Body {
  readonly status?: {
    readonly conditions?: readonly {message?: string; reason?: string; status?: string; type?: string}[]
  }
}

/** By the server, of generateName: apiserver/pkg/storage/names/generate.go. */
const GENERATED = /^csr-[\da-z]{5}$/

const serverTime = ({now, world}: Stage): number => now() + (world.cluster.clockAheadMs ?? 0)

export function requestObject(request: SigningRequest): KubernetesObject {
  const {certificate, conditions, createdAt, groups, name, signerName, usages, username} = request
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  const status = {
    ...(conditions && {
      conditions: conditions.map(({at, message, reason, type}) => ({
        type,
        status: 'True',
        reason,
        message,
        lastUpdateTime: timeOf(at),
        lastTransitionTime: timeOf(at),
      })),
    }),
    ...(certificate !== undefined && {certificate: base64(certificate)}),
  }
  const named = {name, ...(GENERATED.test(name) && {generateName: 'csr-'}), creationTimestamp: timeOf(createdAt)}
  const spec = {request: base64(request.request), signerName, usages, username, groups}
  return objectOf(`${CSR_GROUP}/v1/CertificateSigningRequest`, named, {spec, status})
}

/** PUT and PATCH of the approval, as "kubectl certificate approve" and "deny" send it. */
export function decideRequest(stage: Stage, request: ModelRequest, access: Access, identity: Identity): ModelResponse {
  const {cluster} = stage.world
  const found = cluster.certificateSigningRequests?.find(({name}) => name === access.name)
  if (!found) return notFound({...access, resource: CSR_RESOURCE})
  if (!mayApprove(cluster, identity, found.signerName)) {
    const reason = `user not permitted to approve requests with signerName "${found.signerName}"`
    return notAdmitted(access, reason)
  }

  const body = readBody<Body>(request)
  if (!body) return badRequest('the body of the request is not valid JSON')
  const wanted = (body.status?.conditions ?? []).filter(
    (one): one is typeof one & {type: SigningCondition['type']} => one.type === 'Approved' || one.type === 'Denied',
  )
  const types = new Set([...wanted.map(({type}) => type), ...(found.conditions ?? []).map(({type}) => type)])
  if (types.has('Approved') && types.has('Denied')) {
    const message = 'Invalid value: "Approved": Approved and Denied conditions are mutually exclusive'
    return invalid({...access, resource: CSR_RESOURCE}, 'CertificateSigningRequest', [
      {field: 'status.conditions', message},
    ])
  }

  for (const {message = '', reason = '', type} of wanted) {
    if (!conditionOf(found, type)) addCondition(found, {at: serverTime(stage), message, reason, type})
  }

  return json(200, requestObject(found))
}

/** plugin/pkg/admission/certificates/approval and certificates/util.go, IsAuthorizedForSignerName. */
function mayApprove(cluster: ClusterState, identity: Identity, signerName: string): boolean {
  const names = [signerName, `${signerName.split('/')[0]}/*`]
  return names.some(
    (name) =>
      authorize(cluster, identity, {group: CSR_GROUP, name, namespace: '', resource: 'signers', verb: 'approve'})
        .allowed,
  )
}
