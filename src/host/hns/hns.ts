// The Host Networking Service, through its one function (hcsshim internal/hns).
import {containersMissing} from '../../errors/host.js'
import {hnsRefused} from '../../errors/windows.js'
import {type Win32, Win32Error} from '../../machine/win32.js'
import {parseJson} from '../document.js'
import {shortened} from '../../errors/shortened.js'
import {isRecord} from '../../config/shape.js'
import {
  type HnsEndpoint,
  type HnsNetwork,
  type HnsPolicyList,
  type HnsSubnet,
  type HnsVersion,
  isEndpoint,
  isNetwork,
  isPolicyList,
  readList,
  type ReadOutput,
  readPortPools,
  readVersion,
  sameId,
} from './objects.js'

type Method = 'DELETE' | 'GET' | 'POST'

export interface NewHnsNetwork {
  readonly Name: string
  readonly NetworkAdapterName: string
  readonly Subnets: readonly HnsSubnet[]
  readonly Type: string
}

export interface Hns {
  createNetwork(network: NewHnsNetwork): Promise<void>
  endpoints(): Promise<readonly HnsEndpoint[]>
  network(name: string): Promise<HnsNetwork | undefined>
  networks(): Promise<readonly HnsNetwork[]>
  /** The load balancers among them are kube-proxy's. */
  policyLists(): Promise<readonly HnsPolicyList[]>
  /** How many ranges of ports it has reserved; each load balancer has its own. */
  portPools(): Promise<number>
  /**
   * The network with everything on it: policy lists first, then endpoints (10.0.17763.1554 and later refuse otherwise).
   * Returns how many policy lists there were.
   */
  removeNetwork(id: string): Promise<number>
  version(): Promise<HnsVersion>
}

/** Limit of an unexpected response in a message; it may have megabytes. */
const LONGEST_SAID = 500

export function openHns(win32: Win32): Hns {
  const call = async <T>(method: Method, path: string, read: ReadOutput<T>, body?: object): Promise<T> => {
    const {hresult, response} = await win32
      .hnsCall(method, path, body ? JSON.stringify(body) : '')
      .catch((error: unknown) => {
        const isMissing = error instanceof Win32Error && error.call === 'LoadLibrary'
        throw isMissing ? containersMissing({library: error.subject}) : error
      })
    const answer = parseAnswer(response)
    const value = hresult >= 0 && answer?.success ? read(answer.output) : undefined
    if (value !== undefined) return value
    const code = hresult < 0 ? hresult : answer?.code
    // A failed call has its answer all the same.
    const said = shortened(answer?.error || response, LONGEST_SAID) || 'nothing'
    throw hnsRefused({code: code === undefined ? 'none' : hex(code), request: `${method} ${path}`, said})
  }

  const done = async (method: Method, path: string, body?: object) => void (await call(method, path, () => true, body))
  const endpoints = () => call('GET', '/endpoints/', readList(isEndpoint))
  const networks = () => call('GET', '/networks/', readList(isNetwork))
  const policyLists = () => call('GET', '/policylists/', readList(isPolicyList))

  return {
    endpoints,
    createNetwork: (network) => done('POST', '/networks/', network),
    async network(name) {
      return (await networks()).find((network) => network.Name === name)
    },
    networks,
    policyLists,
    portPools: () => call('GET', '/portpools', readPortPools),
    async removeNetwork(id) {
      if (!(await networks()).some((network) => sameId(network.ID, id))) return 0
      const onIt = (await endpoints()).filter(({VirtualNetwork}) => sameId(VirtualNetwork ?? '', id))
      const isOnIt = (reference: string): boolean => onIt.some(({ID}) => sameId(reference, `/endpoints/${ID}`))
      const lists = (await policyLists()).filter(({References}) => References?.some(isOnIt))
      for (const list of lists) await done('DELETE', `/policylists/${list.ID}`)
      for (const endpoint of onIt) await done('DELETE', `/endpoints/${endpoint.ID}`)
      await done('DELETE', `/networks/${id}`)
      return lists.length
    },
    version: () => call('GET', '/globals/version', readVersion),
  }
}

const hex = (hresult: number): string => `0x${(hresult >>> 0).toString(16).padStart(8, '0')}`

interface Answer {
  /** In the system's language. */
  readonly error: string
  readonly code: number | undefined
  readonly output: unknown
  readonly success: boolean
}

export function parseAnswer(response: string): Answer | undefined {
  const answer = parseJson(response)
  if (!isRecord(answer)) return undefined
  const {Error: error, ErrorCode: code, Output: output, Success: success} = answer
  return {
    code: typeof code === 'number' ? code : undefined,
    // It ends with a blank.
    error: typeof error === 'string' ? error.trim() : '',
    output,
    success: success === true,
  }
}
