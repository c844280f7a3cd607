// CertificateSigningRequests of the simulated cluster, and the controllers that approve, sign and delete them
// (pkg/controller/certificates/{approver,signer,cleaner}). The simulated kubelet makes its requests without HTTP.
import {randomBytes, X509Certificate} from 'node:crypto'

import {remembered} from '../../machine/remembered.js'
import {SIGNER} from './certificates.js'
import type {Identity} from './identity.js'
import {type KubernetesObject, objectOf, timeOf} from './objects.js'
import {authorize} from './permissions.js'
import type {ClusterState, SigningCondition, SigningRequest} from './state.js'
import {issueCertificate, type ParsedRequest, parseRequest} from './x509.js'

const CSR_GROUP = 'certificates.k8s.io'
export const CSR_RESOURCE = 'certificatesigningrequests'
export const KUBELET_CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet'
const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS
const BACKDATE_MS = 5 * 60_000
/** cleaner.go: approvedExpiration and deniedExpiration, and pendingExpiration. */
const KEPT_MS = {decided: HOUR_MS, pending: 24 * HOUR_MS}
/** pkg/apis/certificates/helpers.go, kubeletClientRequiredUsages and kubeletClientRequiredUsagesNoRSA. */
const CLIENT_USAGES = ['client auth,digital signature', 'client auth,digital signature,key encipherment']

/** Its name is generated. */
export function createRequest(
  cluster: ClusterState,
  {groups, user}: Identity,
  wanted: Pick<SigningRequest, 'request' | 'signerName' | 'usages'>,
  now: number,
): SigningRequest {
  const made: SigningRequest = {...wanted, createdAt: now, groups: [...groups], name: `csr-${suffix()}`, username: user}
  cluster.certificateSigningRequests = [...(cluster.certificateSigningRequests ?? []), made]
  return made
}

/** apiserver/pkg/storage/names/generate.go: five characters without vowels. */
const GENERATED = /^csr-[\da-z]{5}$/
const suffix = (): string => [...randomBytes(5)].map((byte) => 'bcdfghjklmnpqrstvwxz2456789'[byte % 27] ?? 'x').join('')

/** As the API server shows it. */
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

const conditionOf = ({conditions = []}: SigningRequest, type: SigningCondition['type']): boolean =>
  conditions.some((one) => one.type === type)

/** The controllers, at a moment of the cluster's own clock. True if something changed. */
export function advanceRequests(cluster: ClusterState, now: number): boolean {
  const requests = cluster.certificateSigningRequests
  if (!requests || requests.length === 0) return false
  // A twin keeps them: they show which certificates it has signed.
  const kept = cluster.elsewhere ? requests : requests.filter((one) => !isOld(one, now))
  if (kept.length < requests.length) cluster.certificateSigningRequests = kept
  const changes = kept.map((one) => {
    const isApproved = approve(cluster, one, now)
    return signRequest(cluster, one, now) || isApproved
  })
  return changes.includes(true) || kept.length < requests.length
}

/** sarapprove.go. On a twin the real cluster decides, which is assumed to approve. */
function approve(cluster: ClusterState, request: SigningRequest, now: number): boolean {
  if (request.certificate !== undefined || conditionOf(request, 'Approved') || conditionOf(request, 'Denied')) {
    return false
  }

  const parsed = parse(request.request)
  if (!parsed || request.signerName !== KUBELET_CLIENT || !isOfKubelet(parsed, request.usages)) return false
  const identity = {groups: request.groups, user: request.username}
  const may = (part: string): boolean => {
    const access = {group: CSR_GROUP, name: '', namespace: '', resource: `${CSR_RESOURCE}/${part}`, verb: 'create'}
    return cluster.elsewhere === true || authorize(cluster, identity, access).allowed
  }

  const isSelf = request.username === parsed.commonName && may('selfnodeclient')
  if (!isSelf && !may('nodeclient')) return false
  const message = `Auto approving ${isSelf ? 'self ' : ''}kubelet client certificate after SubjectAccessReview.`
  request.conditions = [...(request.conditions ?? []), {at: now, message, reason: 'AutoApproved', type: 'Approved'}]
  return true
}

/** signer.go, handle; policies.go, PermissiveSigningPolicy. */
function signRequest(cluster: ClusterState, request: SigningRequest, now: number): boolean {
  const approved = request.conditions?.find(({type}) => type === 'Approved')
  if (request.certificate !== undefined || !approved || now < approved.at + (cluster.signerDelayMs ?? 0)) return false
  const parsed = parse(request.request)
  if (!parsed || !isOfKubelet(parsed, request.usages)) return false
  const {signingDurationMs: duration = YEAR_MS} = cluster
  const isShort = duration < 8 * HOUR_MS
  request.certificate = issueCertificate({
    notAfter: now + duration - (isShort ? 0 : BACKDATE_MS),
    notBefore: now - BACKDATE_MS,
    request: parsed,
    signer: SIGNER,
    usages: request.usages,
  })
  return true
}

/** ValidateKubeletClientCSR. */
const isOfKubelet = (
  {commonName, hasAlternativeNames, organizations}: ParsedRequest,
  usages: readonly string[],
): boolean =>
  organizations.join() === 'system:nodes' &&
  !hasAlternativeNames &&
  commonName.startsWith('system:node:') &&
  CLIENT_USAGES.includes([...usages].sort().join())

/** cleaner.go. The simulated one does not wait for its hourly round. */
function isOld(request: SigningRequest, now: number): boolean {
  const {certificate, conditions = [], createdAt} = request
  if (certificate !== undefined && endOf(certificate) < now) return true
  if (conditions.length === 0) return now - createdAt > KEPT_MS.pending
  const isDecided = certificate !== undefined || conditionOf(request, 'Denied') || conditionOf(request, 'Failed')
  return isDecided && conditions.every(({at}) => now - at > KEPT_MS.decided)
}

const parse = remembered(parseRequest)
const endOf = remembered((pem) => Date.parse(new X509Certificate(pem).validTo))
