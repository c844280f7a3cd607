// Assumptions about HNS that need no switch: its version, and how it refuses.
import {openOperatingSystem} from '../../../../src/host/os.js'
import {compared, notSettled, type Settler} from './settler.js'
import {hex, listOf, openHnsCalls} from './hns-calls.js'

/** By build and patch level; 15.4 was seen on Windows Server 2025 (src/components/releases/windows-support.ts), and may be newer. */
export const HNS_VERSIONS: Readonly<Record<string, RegExp>> = {
  '17763.2237': /^9\.5$/,
  '20348.1547': /^13\.2$/,
  '26100.6899': /^15\.(?:[4-9]|\d\d)$/,
}
const NAME = 'k8s-win-lab-private'
const E_INVALIDARG = 0x80070057
const NETWORK_EXISTS = 0x803b0010

export const hnsVersion: Settler = async ({machine: {win32}}) => {
  const [version, {code, output}] = await Promise.all([
    openOperatingSystem(win32).version(),
    openHnsCalls(win32)('GET', '/globals/version'),
  ])
  if (code !== 0) return notSettled(`HNS refuses with ${hex(code)}`)
  const {Major, Minor} = output as {Major: number; Minor: number}
  const level = `${version?.build}.${version?.ubr}`
  const seen = `${Major}.${Minor} on 10.0.${level}`
  const assumed = HNS_VERSIONS[level]
  return assumed === undefined
    ? notSettled(`nothing is assumed of this patch level; HNS is ${seen}`)
    : compared(assumed.test(`${Major}.${Minor}`), seen, String(assumed))
}

/** Half of it is a question; a name that exists needs a network of that name. */
export const hnsRefusals: Settler = async ({changesAllowed, machine: {win32}}) => {
  const ask = openHnsCalls(win32)
  const unknown = await ask('GET', '/nonsense')
  const unknownSeen = `GET /nonsense has ${hex(unknown.hresult)} and ${quoted(unknown.response)}`
  const assumed = `${hex(E_INVALIDARG)} and no answer; POST of a name that exists ${hex(NETWORK_EXISTS)} with its answer`
  const isUnknownAsAssumed = unknown.hresult === E_INVALIDARG && unknown.response === ''
  if (!isUnknownAsAssumed || !changesAllowed) {
    return isUnknownAsAssumed
      ? notSettled(`${unknownSeen}, as assumed; the other half needs --yes-change-this-host`)
      : compared(false, unknownSeen, assumed)
  }

  const network = {Name: NAME, Type: 'Private'}
  try {
    const first = await ask('POST', '/networks/', network)
    if (first.code !== 0) return notSettled(`HNS does not make a private network: ${quoted(first.response)}`)
    const again = await ask('POST', '/networks/', network)
    const seen = `${unknownSeen}; POST of a name that exists has ${hex(again.hresult)} and ${quoted(again.response)}`
    return compared(again.hresult === NETWORK_EXISTS && again.response !== '', seen, assumed)
  } finally {
    for (const {ID} of (await listOf(ask, 'networks')).filter(({Name}) => Name === NAME)) {
      await ask('DELETE', `/networks/${ID}`)
    }
  }
}

const quoted = (response: string): string => (response === '' ? 'no answer' : response.slice(0, 300))
