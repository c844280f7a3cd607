// The Host Networking Service, through its one function (hcsshim internal/hns).
import {containersMissing} from '../errors/host.js'
import {hnsRefused} from '../errors/windows.js'
import {type Win32, Win32Error} from '../machine/win32.js'

export interface HnsSubnet {
  readonly AddressPrefix: string
  readonly GatewayAddress: string
  readonly Policies?: readonly {readonly Type: string; readonly VSID?: number}[]
}

export interface HnsNetwork {
  readonly ID: string
  readonly ManagementIP?: string
  readonly Name: string
  readonly Subnets?: readonly HnsSubnet[]
  /** Overlay, L2Bridge, NAT, …; compare without case. */
  readonly Type: string
}

export interface HnsEndpoint {
  readonly ID: string
  readonly Name?: string
  /** The network's ID. */
  readonly VirtualNetwork?: string
}

export interface HnsPolicyList {
  readonly ID: string
  /** "/endpoints/<id>" */
  readonly References?: readonly string[]
}

export interface NewHnsNetwork {
  readonly Name: string
  readonly NetworkAdapterName: string
  readonly Subnets: readonly HnsSubnet[]
  readonly Type: string
}

export interface Hns {
  createNetwork(network: NewHnsNetwork): Promise<void>
  network(name: string): Promise<HnsNetwork | undefined>
  /** The network with everything on it: policy lists first, then endpoints (10.0.17763.1554 and later refuse otherwise). */
  removeNetwork(id: string): Promise<void>
  version(): Promise<{readonly Major: number; readonly Minor: number}>
}

interface Answer {
  /** In the system's language. */
  readonly Error?: string
  readonly ErrorCode?: number
  readonly Output?: unknown
  readonly Success: boolean
}

export function openHns(win32: Win32): Hns {
  const call = async (method: 'DELETE' | 'GET' | 'POST', path: string, body?: object): Promise<unknown> => {
    const {hresult, response} = await win32
      .hnsCall(method, path, body ? JSON.stringify(body) : '')
      .catch((error: unknown) => {
        const isMissing = error instanceof Win32Error && error.call === 'LoadLibrary'
        throw isMissing ? containersMissing({library: error.subject}) : error
      })
    const request = `${method} ${path}`
    const answer = parseAnswer(response)
    if (hresult >= 0 && answer?.Success) return answer.Output
    const code = hresult < 0 ? hresult : answer?.ErrorCode
    // A failed call has its answer all the same; the text ends with a blank.
    const said = answer?.Error?.trim() || response || 'nothing'
    throw hnsRefused({code: code === undefined ? 'none' : hex(code), request, said})
  }

  const list = async <T>(path: string): Promise<readonly T[]> => {
    const output = await call('GET', path)
    return Array.isArray(output) ? (output as T[]) : []
  }

  return {
    async createNetwork(network) {
      await call('POST', '/networks/', network)
    },
    async network(name) {
      return (await list<HnsNetwork>('/networks/')).find((network) => network.Name === name)
    },
    async removeNetwork(id) {
      const networks = await list<HnsNetwork>('/networks/')
      if (!networks.some((network) => network.ID === id)) return
      const endpoints = (await list<HnsEndpoint>('/endpoints/')).filter((endpoint) => endpoint.VirtualNetwork === id)
      const references = new Set(endpoints.map((endpoint) => `/endpoints/${endpoint.ID}`))
      for (const policyList of await list<HnsPolicyList>('/policylists/')) {
        if (policyList.References?.some((reference) => references.has(reference))) {
          await call('DELETE', `/policylists/${policyList.ID}`)
        }
      }

      for (const endpoint of endpoints) await call('DELETE', `/endpoints/${endpoint.ID}`)
      await call('DELETE', `/networks/${id}`)
    },
    version: async () => (await call('GET', '/globals/version')) as {Major: number; Minor: number},
  }
}

function parseAnswer(response: string): Answer | undefined {
  try {
    const answer: unknown = JSON.parse(response)
    return typeof answer === 'object' && answer !== null && 'Success' in answer ? (answer as Answer) : undefined
  } catch {
    return undefined
  }
}

const hex = (hresult: number): string => `0x${(hresult >>> 0).toString(16).padStart(8, '0')}`
