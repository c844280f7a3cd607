// The Host Networking Service, through its one function (hcsshim internal/hns).
import {containersMissing} from '../errors/host.js'
import {hnsRefused} from '../errors/windows.js'
import {type Win32, Win32Error} from '../machine/win32.js'
import {parseAnswer} from './hns-answer.js'
import {
  type HnsNetwork,
  type HnsSubnet,
  type HnsVersion,
  isEndpoint,
  isNetwork,
  isPolicyList,
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
  network(name: string): Promise<HnsNetwork | undefined>
  networks(): Promise<readonly HnsNetwork[]>
  /** The network with everything on it: policy lists first, then endpoints (10.0.17763.1554 and later refuse otherwise). */
  removeNetwork(id: string): Promise<void>
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
    createNetwork: (network) => done('POST', '/networks/', network),
    async network(name) {
      return (await networks()).find((network) => network.Name === name)
    },
    networks,
    async removeNetwork(id) {
      if (!(await networks()).some((network) => network.ID === id)) return
      const all = await call('GET', '/endpoints/', listOf(isEndpoint))
      const endpoints = all.filter((endpoint) => endpoint.VirtualNetwork === id)
      const references = new Set(endpoints.map((endpoint) => `/endpoints/${endpoint.ID}`))
      for (const policyList of await call('GET', '/policylists/', listOf(isPolicyList))) {
        if (policyList.References?.some((reference) => references.has(reference))) {
          await done('DELETE', `/policylists/${policyList.ID}`)
        }
      }

      for (const endpoint of endpoints) await done('DELETE', `/endpoints/${endpoint.ID}`)
      await done('DELETE', `/networks/${id}`)
    },
    version: () => call('GET', '/globals/version', readVersion),
  }
}

const shortened = (text: string): string => (text.length > LONGEST_SAID ? `${text.slice(0, LONGEST_SAID)}…` : text)

const hex = (hresult: number): string => `0x${(hresult >>> 0).toString(16).padStart(8, '0')}`
