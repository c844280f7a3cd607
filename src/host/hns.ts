// The Host Networking Service, through its one function (hcsshim internal/hns).
import {containersMissing} from '../errors/host.js'
import {hnsRefused} from '../errors/windows.js'
import {type Win32, Win32Error} from '../machine/win32.js'
import {parseAnswer} from './hns-answer.js'
import {
  type HnsEndpoint,
  type HnsNetwork,
  type HnsSubnet,
  type HnsVersion,
  isEndpoint,
  isNetwork,
  isPolicyList,
  isRecord,
  listOf,
  type ReadOutput,
  readVersion,
} from './hns-objects.js'

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
  /** How many ranges of ports it has reserved; each load balancer has its own. */
  portPools(): Promise<number>
  /**
   * The network with everything on it: policy lists first, then endpoints (10.0.17763.1554 and later refuse otherwise).
   * Tells how many policy lists there were.
   */
  removeNetwork(id: string): Promise<number>
  version(): Promise<HnsVersion>
}

/** More of an answer that was not understood helps nobody, and it may have megabytes. */
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
    const said = shortened(answer?.error || response) || 'nothing'
    throw hnsRefused({code: code === undefined ? 'none' : hex(code), request: `${method} ${path}`, said})
  }

  const done = async (method: Method, path: string, body?: object) => void (await call(method, path, () => true, body))
  const networks = () => call('GET', '/networks/', listOf(isNetwork))

  return {
    endpoints: () => call('GET', '/endpoints/', listOf(isEndpoint)),
    createNetwork: (network) => done('POST', '/networks/', network),
    async network(name) {
      return (await networks()).find((network) => network.Name === name)
    },
    networks,
    portPools: async () => (await call('GET', '/portpools', listOf(isRecord))).length,
    async removeNetwork(id) {
      if (!(await networks()).some((network) => network.ID === id)) return 0
      const all = await call('GET', '/endpoints/', listOf(isEndpoint))
      const endpoints = all.filter((endpoint) => endpoint.VirtualNetwork === id)
      const references = new Set(endpoints.map((endpoint) => `/endpoints/${endpoint.ID}`))
      const policyLists = (await call('GET', '/policylists/', listOf(isPolicyList))).filter((list) =>
        list.References?.some((reference) => references.has(reference)),
      )
      for (const list of policyLists) await done('DELETE', `/policylists/${list.ID}`)
      for (const endpoint of endpoints) await done('DELETE', `/endpoints/${endpoint.ID}`)
      await done('DELETE', `/networks/${id}`)
      return policyLists.length
    },
    version: () => call('GET', '/globals/version', readVersion),
  }
}

const shortened = (text: string): string => (text.length > LONGEST_SAID ? `${text.slice(0, LONGEST_SAID)}…` : text)

const hex = (hresult: number): string => `0x${(hresult >>> 0).toString(16).padStart(8, '0')}`
