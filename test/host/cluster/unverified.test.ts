// A connection that verifies nothing is made in one place: for the first request of discovery, which has no credentials.
import {readdirSync, readFileSync} from 'node:fs'
import {fileURLToPath} from 'node:url'
import {join} from 'node:path'
import {expect, it} from 'vitest'

const src = fileURLToPath(new URL('../../../src', import.meta.url))
/** The simulated cluster answers such requests; it makes none. */
const files = readdirSync(src, {encoding: 'utf8', recursive: true}).filter(
  (name) => name.endsWith('.ts') && !name.startsWith('simulator'),
)
const naming = (pattern: RegExp): string[] =>
  files
    .filter((name) => pattern.test(readFileSync(join(src, name), 'utf8')))
    .map((name) => name.replaceAll('\\', '/'))
    .sort()

it('is asked for by discovery alone', () => {
  expect(naming(/isUnverified: true/)).toEqual(['host/cluster/discovery.ts'])
  expect(naming(/\bisUnverified\b/)).toEqual([
    'host/cluster/discovery.ts',
    'machine/http.ts',
    'machine/real/http-exchange.ts',
  ])
  expect(naming(/rejectUnauthorized|NODE_TLS_REJECT_UNAUTHORIZED/)).toEqual(['machine/real/http-exchange.ts'])
})
