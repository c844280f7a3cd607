// Signature version 4 of AWS, of a POST to / (IAM User Guide, "Create a signed AWS API request").
import {createHash, createHmac} from 'node:crypto'

export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Of a role. */
  readonly sessionToken?: string
}

export interface AwsRequest {
  readonly body: string
  readonly credentials: AwsCredentials
  /** With the host. All of them are signed. */
  readonly headers: Readonly<Record<string, string>>
  readonly now: number
  readonly region: string
  readonly service: string
}

const ALGORITHM = 'AWS4-HMAC-SHA256'

/** The headers, and those that the signature adds, in lower case. */
export function signed({body, credentials, headers, now, region, service}: AwsRequest): Record<string, string> {
  const {accessKeyId, secretAccessKey, sessionToken} = credentials
  // 20150830T123600Z
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
  const own = {'x-amz-date': time, ...(sessionToken !== undefined && {'x-amz-security-token': sessionToken})}
  const all = Object.entries({...headers, ...own}).map(
    ([name, value]) => [name.toLowerCase(), value.trim().replaceAll(/ +/g, ' ')] as const,
  )
  const sorted = all.sort(([one], [other]) => (one < other ? -1 : 1))
  const names = sorted.map(([name]) => name).join(';')
  const lines = sorted.map(([name, value]) => `${name}:${value}\n`).join('')
  const canonical = ['POST', '/', '', lines, names, digestOf(body)].join('\n')
  const scope = [time.slice(0, 8), region, service, 'aws4_request']
  const key = scope.reduce<Buffer | string>((above, part) => hmac(above, part), `AWS4${secretAccessKey}`)
  const signature = hmac(key, [ALGORITHM, time, scope.join('/'), digestOf(canonical)].join('\n')).toString('hex')
  const authorization = `${ALGORITHM} Credential=${accessKeyId}/${scope.join('/')}, SignedHeaders=${names}, Signature=${signature}`
  return {...Object.fromEntries(sorted), authorization}
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest()
