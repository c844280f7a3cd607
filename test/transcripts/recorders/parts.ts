// What recorders have in common: an answer as a file, and replacements for what belongs to this machine only.
import type {HttpResponse} from '../../../src/machine/http.js'
import type {Replacement} from '../sink.js'

/** Transfer encoding and lengths are the connection's, not the answer's. */
const OF_THE_CONNECTION = ['connection', 'content-length', 'keep-alive', 'transfer-encoding']

export function httpPart({body, headers, status}: HttpResponse): Buffer {
  const lines = Object.entries(headers)
    .filter(([name]) => !OF_THE_CONNECTION.includes(name))
    .map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`, 'latin1'), body])
}

/** A name of this machine, wherever it stands. */
export function literally(name: string, by: string, what: string): Replacement[] {
  if (name === '') return []
  const pattern = new RegExp(
    String.raw`(?<![\w.-])${name.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)}(?![\w-])`,
    'g',
  )
  return [{by, pattern, told: `${what}: ${by}`}]
}
