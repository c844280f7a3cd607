// HNSCall of vmcompute.dll: method, path and JSON in; HRESULT and {Success, Error, Output} out (docs/facts.md#hns, hcsshim internal/hns).
import type {HnsReply} from '../../machine/win32.js'
import type {Stage} from '../model.js'
import type {EndpointRequest} from './hns-endpoints.js'
import {createEndpoint, createPolicyList, deleteEndpoint, deletePolicyList} from './hns-endpoints.js'
import {createNetwork, deleteNetwork, type NetworkRequest} from './hns-networks.js'
import type {HnsError, HnsPolicyList} from './hns-objects.js'
import {endpointsOf, HNS_ERRORS, isHnsRunning, networksOf, policyListsOf} from './hns-objects.js'
import {sameName} from './names.js'

type Method = 'DELETE' | 'GET' | 'POST'

const E_ACCESSDENIED = 0x80070005
/** Facility 7 with the Win32 code 1062: the service has not been started. */
const E_SERVICE_NOT_STARTED = 0x80070426
/** Creating a network on an adapter blocks the caller for seconds (docs/facts.md#hns). */
const SWITCH_CALL_MS = 4000

const succeeded = (output?: unknown): HnsReply => {
  const empty = output === undefined || (Array.isArray(output) && output.length === 0)
  // An empty list comes without Output; hcsshim tests for exactly that (hnsCall: len(Output) == 0).
  return {hresult: 0, response: JSON.stringify(empty ? {Success: true} : {Output: output, Success: true})}
}

/**
 * What HNS understood and refuses: the text with a blank after it, its code as a number (microsoft/SDN#269). What was to be
 * made has the code as its HRESULT too (microsoft/hcsshim#850, on this build); what was only looked for has HRESULT 0
 * (Azure/azure-container-networking#715).
 */
const notFound = ({code, text}: HnsError): HnsReply => ({
  hresult: 0,
  response: JSON.stringify({Error: `${text} `, ErrorCode: code, Success: false}),
})
const refused = (error: HnsError): HnsReply => ({...notFound(error), hresult: error.code | 0})

/** What does not get as far: a negative HRESULT and no answer (hcsshim hnsCallRawResponse; docker/for-win#8226 for 0x80070426). */
const failed = (code: number): HnsReply => ({hresult: code | 0, response: ''})

export async function hnsCall(stage: Stage, method: Method, path: string, request: string): Promise<HnsReply> {
  const {os} = stage.world
  if (!os.administrator) return failed(E_ACCESSDENIED)
  if (!isHnsRunning(stage.world)) return failed(E_SERVICE_NOT_STARTED)
  const [kind = '', id = ''] = path.replace(/^\/+|\/+$/g, '').split('/')
  let body: unknown
  try {
    body = request === '' ? undefined : (JSON.parse(request) as unknown)
  } catch {
    return refused(HNS_ERRORS.invalidJson)
  }

  if (method === 'POST' && (typeof body !== 'object' || body === null)) return refused(HNS_ERRORS.invalidJson)
  switch (kind.toLowerCase()) {
    case 'activities':
      return method === 'GET' ? succeeded([]) : refused(HNS_ERRORS.unsupported)
    case 'endpoints':
      return endpoints(stage, method, id, body as EndpointRequest)
    case 'globals':
      return method === 'GET' && id === 'version'
        ? succeeded(stage.world.hns.version)
        : failed(HNS_ERRORS.parameter.code)
    case 'networks':
      return networks(stage, method, id, body as NetworkRequest)
    case 'policylists':
      return policyLists(stage, method, id, body as HnsPolicyList)
    case 'portpools':
      // Each load balancer reserves a pool of ports (docs/facts.md#hns).
      return succeeded(policyListsOf(stage.world).map(({ID}) => ({ID, PortCount: 64})))
    default:
      return failed(HNS_ERRORS.parameter.code)
  }
}

async function networks(stage: Stage, method: Method, id: string, body: NetworkRequest): Promise<HnsReply> {
  if (method === 'GET') return found(networksOf(stage.world), id, HNS_ERRORS.networkNotFound)
  if (method === 'DELETE') return done(deleteNetwork(stage, id))
  if (id) return refused(HNS_ERRORS.unsupported)
  const outcome = createNetwork(stage, body)
  if (outcome.error) return refused(outcome.error)
  if (outcome.madeSwitch) await stage.elapse(SWITCH_CALL_MS)
  return succeeded(outcome.network)
}

function endpoints(stage: Stage, method: Method, id: string, body: EndpointRequest): HnsReply {
  if (method === 'GET') return found(endpointsOf(stage.world), id, HNS_ERRORS.endpointNotFound)
  if (method === 'DELETE') return done(deleteEndpoint(stage, id))
  // k8s-win attaches none to a container; win-overlay does so over the second version of HNS' interface.
  if (id) return refused(HNS_ERRORS.unsupported)
  const outcome = createEndpoint(stage, body)
  return outcome.error ? refused(outcome.error) : succeeded(outcome.made)
}

function policyLists(stage: Stage, method: Method, id: string, body: HnsPolicyList): HnsReply {
  if (method === 'GET') return found(policyListsOf(stage.world), id, HNS_ERRORS.policyNotFound)
  if (method === 'DELETE') return done(deletePolicyList(stage, id))
  const outcome = createPolicyList(stage, body)
  return outcome.error ? refused(outcome.error) : succeeded(outcome.made)
}

function found<T extends {ID: string}>(all: readonly T[], id: string, missing: HnsError): HnsReply {
  if (!id) return succeeded(all)
  const one = all.find(({ID}) => sameName(ID, id))
  return one ? succeeded(one) : notFound(missing)
}

const done = (error: HnsError | undefined): HnsReply => (error ? notFound(error) : succeeded())
