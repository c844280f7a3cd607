// The API of CertificateSigningRequests: what users ask the simulated API server for.
import {json, type ModelRequest, type ModelResponse, type Stage} from '../model.js'
import type {Identity} from './identity.js'
import {type KubernetesObject, objectOf, timeOf} from './objects.js'
import {authorize} from './permissions.js'
import type {Access} from './rbac.js'
import {addCondition, conditionOf, createRequest, CSR_GROUP, CSR_RESOURCE} from './signing-requests.js'
import type {ClusterState, SigningCondition, SigningRequest} from './state.js'
import {alreadyExists, badRequest, invalid, notAdmitted, notFound, readBody} from './status.js'
import {parseRequest} from './x509.js'

interface Body {
  readonly metadata?: {readonly generateName?: string; readonly name?: string}
  readonly spec?: {
    readonly expirationSeconds?: number
    readonly request?: string
    readonly signerName?: string
    readonly usages?: string[]
  }
  readonly status?: {
    readonly conditions?: readonly {message?: string; reason?: string; status?: string; type?: string}[]
  }
}

/** By the server, of generateName: apiserver/pkg/storage/names/generate.go. */
const GENERATED = /^csr-[\da-z]{5}$/

const serverTime = ({now, world}: Stage): number => now() + (world.cluster.clockAheadMs ?? 0)

export function requestObject(request: SigningRequest): KubernetesObject {
  const {certificate, conditions, createdAt, expirationSeconds, groups, name, signerName, usages, username} = request
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
  const ends = expirationSeconds !== undefined && {expirationSeconds}
  const spec = {request: base64(request.request), signerName, ...ends, usages, username, groups}
  return objectOf(`${CSR_GROUP}/v1/CertificateSigningRequest`, named, {spec, status})
}

/** POST. Who makes the request is written into it (pkg/registry/certificates/certificates/strategy.go, PrepareForCreate). */
export function postRequest(stage: Stage, request: ModelRequest, access: Access, identity: Identity): ModelResponse {
  const body = readBody<Body>(request)
  if (!body) return badRequest('the object provided is unrecognized (must be of type CertificateSigningRequest)')
  const {expirationSeconds, request: encoded = '', signerName = '', usages = []} = body.spec ?? {}
  const name = body.metadata?.name ?? ''
  const pem = Buffer.from(encoded, 'base64').toString()
  const causes = [
    ...(name === '' && !body.metadata?.generateName
      ? [{field: 'metadata.name', message: 'Required value: name or generateName is required'}]
      : []),
    ...(parseRequest(pem)
      ? []
      : [{field: 'spec.request', message: 'Invalid value: PEM block type must be CERTIFICATE REQUEST'}]),
    ...(usages.length === 0 ? [{field: 'spec.usages', message: 'Required value'}] : []),
    ...(/^[^/]+\.[^/]+\/.+/.test(signerName) ? [] : [{field: 'spec.signerName', message: 'Required value'}]),
  ]
  if (causes.length > 0) return invalid({...access, name}, 'CertificateSigningRequest', causes)
  const wanted = {
    name,
    request: pem,
    signerName,
    usages,
    ...(expirationSeconds !== undefined && {expirationSeconds}),
  }
  const made = createRequest(stage.world.cluster, identity, wanted, serverTime(stage))
  return made ? json(201, requestObject(made)) : alreadyExists({...access, name})
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
