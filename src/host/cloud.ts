// Which cloud this host runs in: its firmware names the candidates, the metadata service of one of them confirms it. Where
// nothing answers, one candidate alone is it: a host may have no route to the service until k8s-win adds one. What other
// hosts answer is not trusted: of each answer only the status and one header, or the shape of the document, counts.
import type {CloudName} from '../config/model.js'
import {HttpError, type HttpRequest, type HttpResponse} from '../machine/http.js'
import type {Hardware} from './condition.js'
import {at, parseJson, textAt} from './document.js'
import type {Host} from './host.js'

export const METADATA_SERVICE = 'http://169.254.169.254'
/** Each responds within milliseconds: a host without one must not wait for long. */
const ANSWER_MS = 1000
const LARGEST = 64 * 1024

interface Cloud {
  readonly ask: Pick<HttpRequest, 'headers' | 'method'> & {readonly path: string}
  readonly confirms: (answer: HttpResponse) => boolean
  /** What the firmware of its machines reports. */
  readonly firmware: (hardware: Hardware) => boolean
  readonly name: Exclude<CloudName, 'none'>
}

/**
 * Hyper-V outside of Azure reports the same. Only the chassis' tag differs (cloud-init, sources/azure/identity.py), which is
 * not in the registry.
 */
const isHyperV = ({manufacturer, product}: Hardware): boolean =>
  manufacturer === 'Microsoft Corporation' && product === 'Virtual Machine'

const CLOUDS: readonly Cloud[] = [
  {
    // Nitro: the manufacturer is "Amazon EC2" (aws/clock-bound, autodetect/amazon.rs); Xen: the version of the BIOS is
    // "4.2.amazon" (insights-core, combiners/cloud_provider.py). IMDSv1 may be off, IMDSv2 is not: its token is asked for, and not read; its
    // answer repeats the header (aws-sdk-go-v2, feature/ec2/imds/api_op_GetToken.go).
    ask: {headers: {'X-aws-ec2-metadata-token-ttl-seconds': '60'}, method: 'PUT', path: '/latest/api/token'},
    confirms: ({headers}) => /^\d{1,5}$/.test(headers['x-aws-ec2-metadata-token-ttl-seconds'] ?? ''),
    firmware: ({bios, manufacturer}) => /amazon/i.test(`${bios} ${manufacturer}`),
    name: 'aws',
  },
  {
    // The product is "Google" or "Google Compute Engine" (google-cloud-cpp, detect_gcp_impl.cc); the service sends the header
    // that it demands (google-auth-library-python, compute_engine/_metadata.py).
    ask: {headers: {'Metadata-Flavor': 'Google'}, method: 'GET', path: '/computeMetadata/v1/'},
    confirms: ({headers}) => headers['metadata-flavor'] === 'Google',
    firmware: ({manufacturer, product}) => [manufacturer, product].some((text) => /^Google\b/.test(text)),
    name: 'gce',
  },
  {
    // The one path that needs no version (learn.microsoft.com, "Azure Instance Metadata Service", section "Versioning").
    ask: {headers: {Metadata: 'true'}, method: 'GET', path: '/metadata/versions'},
    confirms: ({body}) => Array.isArray(at(documentOf(body), 'apiVersions')),
    firmware: isHyperV,
    name: 'azure',
  },
  {
    // cloud-init, DataSourceOpenStack.py; with Hyper-V below it the firmware is Hyper-V's.
    ask: {method: 'GET', path: '/openstack/latest/meta_data.json'},
    confirms: ({body}) => textAt(documentOf(body), 'uuid') !== '',
    firmware: (hardware) => /^OpenStack (Compute|Nova)$/.test(hardware.product) || isHyperV(hardware),
    name: 'openstack',
  },
]

/** Undefined where the firmware names no cloud, or several. */
export function cloudByFirmware(hardware: Hardware): CloudName | undefined {
  const [only, ...others] = CLOUDS.filter(({firmware}) => firmware(hardware))
  return others.length === 0 ? only?.name : undefined
}

/** Undefined where the firmware names no cloud, so that nothing is asked. */
export async function detectCloud(
  {condition, http}: Pick<Host, 'condition' | 'http'>,
  signal: AbortSignal,
): Promise<{readonly value: CloudName; readonly where: string} | undefined> {
  const hardware = await condition.hardware().catch(() => undefined)
  const candidates = CLOUDS.filter(({firmware}) => hardware && firmware(hardware))
  if (candidates.length === 0) return undefined
  const answers = await Promise.all(
    candidates.map(async ({ask: {path, ...ask}, confirms}) => {
      const how = {
        deadlineMs: ANSWER_MS,
        effect: 'read',
        followRedirects: false,
        isDirect: true,
        isProbe: true,
      } as const
      try {
        const answer = await http.request({
          ...ask,
          ...how,
          maxBytes: LARGEST,
          signal,
          url: `${METADATA_SERVICE}${path}`,
        })
        return answer.status === 200 && confirms(answer) ? 'confirmed' : 'denied'
      } catch (error) {
        if (!(error instanceof HttpError)) throw error
        // Codes of the network; others are of an answer that was not read to its end.
        return error.code.startsWith('E') ? 'silent' : 'denied'
      }
    }),
  )
  const found = candidates.find((_, index) => answers[index] === 'confirmed')
  if (found) return {value: found.name, where: 'the metadata service of this host responds'}
  const [only, ...others] = candidates
  if (only && others.length === 0 && answers[0] === 'silent') {
    return {value: only.name, where: 'the firmware of this host; its metadata service does not respond'}
  }
  const names = candidates.map(({name}) => name).join(' or ')
  return {value: 'none', where: `the metadata service of ${names} does not respond`}
}

const documentOf = (body: Buffer): unknown => parseJson(body.toString('utf8'))
