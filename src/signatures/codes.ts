// Patterns of codes: they are the same in every language of Windows, where the words beside them are not.
import type {Signature, SignatureSource} from './signature.js'

/** Whoever calls HNS hands its code on. */
export const CALLERS_OF_HNS: readonly SignatureSource[] = [
  'hns',
  'flanneld',
  'kubelet',
  'kube-proxy',
  'docker',
  'containerd',
]
export const DAEMONS: readonly SignatureSource[] = ['flanneld', 'kubelet', 'kube-proxy']

/** `seenIn`: of a code whose fix is right for some of the callers only. */
export type HnsFailure = Omit<Signature, 'pattern' | 'seenIn'> &
  Partial<Pick<Signature, 'seenIn'>> & {readonly code: number}

export const fromHns = ({code, ...failure}: HnsFailure, pattern: (code: number) => RegExp): Signature => ({
  seenIn: CALLERS_OF_HNS,
  ...failure,
  pattern: pattern(code),
})

const FACILITY_WIN32 = 0x8007_0000
/** hcsshim names the function it called, then gives Windows' text, which may have any letters, then the code. */
const HCSSHIM = String.raw`(?:hnsCall|hcn[A-Z]\w{3,40}) failed in Win32: [^(]{0,300}\(`

/** An HRESULT of HNS: 0x803b0006, or as the ErrorCode of its answer. */
export function hresult(code: number): RegExp {
  return new RegExp(`${hex(code)}(?![\\da-f])|${errorCode(code)}`, 'i')
}

/** A Win32 code from HNS: hcsshim shows 0x80070057 as (0x57). */
export function win32FromHns(code: number): RegExp {
  const whole = FACILITY_WIN32 + code
  return new RegExp(`${hex(whole)}(?![\\da-f])|${HCSSHIM}${hex(code)}\\)|${errorCode(whole)}`, 'i')
}

/** A code of the Host Compute Service, with either of its two severities. */
export function computeCode(code: number): RegExp {
  return new RegExp(`0x[8c]${(code & 0xfff_ffff).toString(16).padStart(7, '0')}(?![\\da-f])`, 'i')
}

/** A code of the service manager: alone, after a word that announces it, or as the event log writes it. */
export function serviceCode(code: number): RegExp {
  return new RegExp(`(?:^|error |failed |code |%%)${code}(?![\\d.])`, 'i')
}

const hex = (code: number): string => `0x${code.toString(16)}`
const errorCode = (code: number): string => `"ErrorCode\\\\?":${code}(?!\\d)`
