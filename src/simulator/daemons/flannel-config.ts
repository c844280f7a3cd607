// net-conf.json as flanneld reads it: Go's JSON takes keys without case; the vxlan backend's limits on Windows.
import {parseCidr} from '../windows/names.js'

export interface FlannelConfig {
  readonly backendType: string
  readonly directRouting: boolean
  readonly gbp: boolean
  readonly macPrefix: string
  readonly name: string
  readonly network: string
  readonly port: number
  readonly vni: number
}

type Parsed = {readonly config: FlannelConfig; readonly error?: undefined} | {readonly error: string}

const DEFAULT_VNI = 4096
const VXLAN_PORT = 4789

export function parseNetConf(bytes: Buffer): Parsed {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    return {error: `invalid character '${bytes.toString('latin1')[0] ?? ''}' looking for beginning of value`}
  }

  const top = fields(value)
  const network = top.get('network')
  if (typeof network !== 'string' || !parseCidr(network)) {
    return {error: 'please define a correct Network parameter in the flannel config'}
  }

  const backend = fields(top.get('backend'))
  const number = (key: string, otherwise: number): number => (backend.has(key) ? Number(backend.get(key)) : otherwise)
  const text = (key: string, otherwise: string): string => {
    const one = backend.get(key)
    return typeof one === 'string' && one !== '' ? one : otherwise
  }

  const vni = number('vni', DEFAULT_VNI)
  return {
    config: {
      backendType: text('type', 'udp'),
      directRouting: backend.get('directrouting') === true,
      gbp: backend.get('gbp') === true,
      macPrefix: text('macprefix', '0E-2A'),
      name: text('name', `flannel.${vni}`),
      network,
      port: number('port', VXLAN_PORT),
      vni,
    },
  }
}

/**
 * pkg/backend/vxlan/vxlan_windows.go, RegisterNetwork: the texts are its own. host-gw runs on Windows too
 * (flannel-io/flannel#1858), but k8s-win sets up vxlan only, and this model ends at any other.
 */
export function backendProblem({
  backendType,
  directRouting,
  gbp,
  macPrefix,
  port,
  vni,
}: FlannelConfig): string | undefined {
  if (backendType !== 'vxlan') return `unknown backend type: ${backendType}`
  const invalid = 'invalid VXLAN backend config.'
  if (vni < DEFAULT_VNI) return `${invalid} VNI [${vni}] must be greater than or equal to ${DEFAULT_VNI} on Windows`
  if (port !== VXLAN_PORT) {
    return `${invalid} Port [${port}] is not supported on Windows. Omit the setting to default to port ${VXLAN_PORT}`
  }

  if (directRouting) return `${invalid} DirectRouting is not supported on Windows`
  if (gbp) return `${invalid} GBP is not supported on Windows`
  if (!/^..-..$/.test(macPrefix)) {
    return `${invalid}MacPrefix [${macPrefix}] is invalid, prefix must be of the format xx-xx e.g. 0E-2A`
  }

  return undefined
}

function fields(value: unknown): Map<string, unknown> {
  const isObject = typeof value === 'object' && value !== null
  return new Map(isObject ? Object.entries(value).map(([key, one]) => [key.toLowerCase(), one]) : [])
}
