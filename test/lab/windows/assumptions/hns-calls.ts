// HNS asked as it is, refusals included: what our own HNS host turns into an error is what is checked here.
import type {Win32} from '../../../../src/machine/win32.js'

export interface HnsAnswer {
  /** The refusal's code, from the HRESULT or from the answer; 0 where it did what it was asked for. */
  readonly code: number
  readonly hresult: number
  readonly output: unknown
  readonly response: string
}

export type AskHns = (method: 'DELETE' | 'GET' | 'POST', path: string, body?: object) => Promise<HnsAnswer>

export const openHnsCalls =
  (win32: Win32): AskHns =>
  async (method, path, body) => {
    const {hresult, response} = await win32.hnsCall(method, path, body ? JSON.stringify(body) : '')
    const answer = parsed(response)
    const code = hresult < 0 ? hresult >>> 0 : answer?.Success === false ? (answer.ErrorCode ?? 1) >>> 0 : 0
    return {code, hresult: hresult >>> 0, output: answer?.Output, response}
  }

export interface HnsObject {
  readonly Flags?: number
  readonly ID: string
  readonly ManagementIP?: string
  readonly Name?: string
  readonly NetworkAdapterName?: string
  readonly References?: readonly string[]
  readonly Type?: string
  readonly VirtualNetwork?: string
}

export async function listOf(ask: AskHns, kind: 'endpoints' | 'networks' | 'policylists'): Promise<HnsObject[]> {
  const {output} = await ask('GET', `/${kind}/`)
  return Array.isArray(output) ? (output as HnsObject[]) : []
}

/** Types of networks that put a switch over an adapter. */
export const isOnAdapter = ({Type}: HnsObject): boolean =>
  ['l2bridge', 'l2tunnel', 'overlay', 'transparent'].includes(String(Type).toLowerCase())

export const hex = (code: number): string => `0x${code.toString(16).padStart(8, '0')}`

function parsed(response: string): {ErrorCode?: number; Output?: unknown; Success?: boolean} | undefined {
  try {
    return JSON.parse(response) as {Success?: boolean}
  } catch {
    return undefined
  }
}
