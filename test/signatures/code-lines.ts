// The codes of HNS and of the service manager, in all the shapes they are reported in.
import type {SignatureSource} from '../../src/signatures/index.js'
import {errorS, flannelEnds, hcn, sandbox} from './log-lines.js'

/** id, code: HNS' own. */
export const HNS_CODES: readonly (readonly [string, number])[] = [
  ['hns-network-not-found', 0x803b_0001],
  ['hns-endpoint-not-found', 0x803b_0002],
  ['hns-subnet-not-found', 0x803b_0005],
  ['hns-adapter-not-found', 0x803b_0006],
  ['hns-port-not-found', 0x803b_0007],
  ['hns-policy-not-found', 0x803b_0008],
  ['hns-invalid-policy', 0x803b_000d],
  ['hns-network-exists', 0x803b_0010],
  ['hns-port-exists', 0x803b_0013],
  ['hns-endpoint-attached', 0x803b_0014],
  ['hns-request-unsupported', 0x803b_0015],
  ['hns-invalid-address', 0x803b_001e],
  ['hns-has-references', 0x803b_002c],
  ['hns-address-taken', 0x803b_002f],
]

/** id, Win32 code: Windows' own, which HNS hands on. */
export const HNS_WINDOWS_CODES: readonly (readonly [string, number])[] = [
  ['hns-stale-after-update', 0x22],
  ['hns-not-supported', 0x32],
  ['hns-parameter-incorrect', 0x57],
  ['hns-rule-exists', 0xb7],
  ['hns-element-not-found', 0x490],
  ['hns-not-started', 0x426],
  ['hns-interface-unknown', 0x6b5],
  ['hns-not-running', 0x6ba],
  ['hns-not-listening', 0x6d9],
  ['hns-object-exists', 0x1392],
]

export const SERVICE_CODES = [
  2, 3, 5, 193, 1051, 1053, 1058, 1060, 1061, 1062, 1066, 1067, 1068, 1069, 1072, 1073, 1075, 1077,
]

const HRESULT_OF_WIN32 = 0x8007_0000

/** As k8s-win itself, flanneld, the kubelet and kube-proxy tell it; in German, for the words decide nothing. */
export function hnsLines(code: number): readonly (readonly [SignatureSource, string])[] {
  const whole = code < 0x1_0000 ? HRESULT_OF_WIN32 + code : code
  const answer = `{"Success":false,"Error":"Etwas fehlt. ","ErrorCode":${whole}}`
  return [
    ['hns', `The Host Networking Service said: Etwas fehlt. (code 0x${whole.toString(16)}).`],
    [
      'flanneld',
      flannelEnds(`failed to create HostComputeNetwork vxlan0: ${hcn('hcnCreateNetwork', 'Etwas fehlt.', code)}`),
    ],
    ['kubelet', sandbox(`failed to create the new HNSEndpoint: ${hcn('hnsCall', 'Etwas fehlt.', code)}`)],
    [
      'kube-proxy',
      errorS('proxier.go:1202', 'Policy creation failed', `hcnCreateLoadBalancer failed in Win32: ${answer}`),
    ],
  ]
}
