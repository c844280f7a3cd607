// The values of the options of joining: servers, tokens and hashes, and what is wrong with those that are none.
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {caCertHash, partsOf, secretsOf, server, token} from '../../../src/config/options/parse-join.js'
import type {OptionParser, Refusal} from '../../../src/config/options/parse-option.js'

function refusalOf(parser: OptionParser<string>, text: string): Refusal {
  const outcome = parser(text)
  if ('value' in outcome) throw new Error(`${text} was accepted`)
  return outcome
}

const HASH = `sha256:${'0a'.repeat(32)}`
const TOKEN = 'abcdef.0123456789abcdef'

describe('a server', () => {
  it.each([
    ['https://10.0.0.1:6443', 'https://10.0.0.1:6443'],
    ['https://10.0.0.1:6443/', 'https://10.0.0.1:6443'],
    [' HTTPS://API.Example.COM:443 ', 'https://api.example.com:443'],
    ['https://cp-1:06443', 'https://cp-1:6443'],
  ])('%s is %s', (given, value) => {
    expect(server(given)).toEqual({value})
  })

  it.each([
    ['10.0.0.1:6443', 'https:// is missing', 'https://10.0.0.1:6443'],
    ['10.0.0.1', 'https:// is missing', 'https://10.0.0.1:6443'],
    ['api.example.com', 'https:// is missing', 'https://api.example.com:6443'],
    ['API:8443', 'https:// is missing', 'https://api:8443'],
    ['http://10.0.0.1:8080', 'https only', 'https://10.0.0.1:8080'],
    ['ftp://h:1', 'https only', 'https://h:1'],
    ['https://10.0.0.1', 'port is missing', 'https://10.0.0.1:6443'],
    ['https://10.0.0.1:', 'port is missing', 'https://10.0.0.1:6443'],
    ['https://h:6443/k8s/clusters/c-1', 'path or a query', 'https://h:6443'],
    ['https://h:6443?x=1', 'path or a query', 'https://h:6443'],
    ['https://h:6443#x', 'path or a query', 'https://h:6443'],
    ['https://[fd00::1]:6443', 'IPv6', 'such as https://'],
    ['fd00::1', 'IPv6', 'such as https://'],
    ['[::1]:6443', 'IPv6', 'such as https://'],
    ['https://h:0', 'from 1 to 65535', 'such as https://'],
    ['https://h:65536', 'from 1 to 65535', 'such as https://'],
    ['https://h:64x3', 'neither an IPv4 address nor', 'such as https://'],
    ['https://10.0.0:6443', 'neither an IPv4 address nor', 'such as https://'],
    ['https://10.0.0.256:6443', 'neither an IPv4 address nor', 'such as https://'],
    ['https://0x7f000001:6443', 'neither an IPv4 address nor', 'such as https://'],
    ['https://a_b:6443', 'neither an IPv4 address nor', 'such as https://'],
    ['https://bücher.example:6443', 'neither an IPv4 address nor', 'such as https://'],
    ['https://:6443', 'neither an IPv4 address nor', 'such as https://'],
    ['https://h .example:6443', 'neither an IPv4 address nor', 'such as https://'],
    ['https:\\\\h:6443', 'neither an IPv4 address nor', 'such as https://'],
    ['', 'empty', 'such as https://'],
    ['  ', 'empty', 'such as https://'],
  ])('%s is refused: %s', (given, reason, wanted) => {
    const refused = refusalOf(server, given)
    expect(refused.reason).toContain(reason)
    expect(refused.wanted).toContain(wanted)
  })

  it.each(['https://admin:hunter2@h:6443', 'admin:hunter2@h', 'https://x/y@:hunter2@h', 'https://h:1/hunter2@x'])(
    'with a user is refused, and the password is not shown: %s',
    (given) => {
      const {reason, shown, wanted} = refusalOf(server, given)
      expect(reason).toMatch(/user name|path|neither|IPv6/)
      expect([reason, shown, wanted].join()).not.toContain('hunter2')
      expect(shown).toContain('***@')
    },
  )

  it('of any text is a valid origin or is refused', () => {
    const near = fc.stringMatching(/^(?:https?:\/\/)?[\w.:@[\]-]{0,20}(?::\d{0,6})?[/?#]?[\w/]{0,4}$/)
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl(), near), (text) => {
        const outcome = server(text)
        if (!('value' in outcome)) {
          expect(outcome.reason).toMatch(/\.$/)
          return
        }
        expect(outcome.value).toMatch(/^https:\/\/[\da-z.-]+:\d+$/)
        // The URL parser must mean the same host: nothing of it is rewritten.
        const {hostname, pathname, port} = new URL(outcome.value)
        expect(`https://${hostname}:${port || '443'}${pathname}`).toBe(`${outcome.value}/`)
        expect(server(outcome.value)).toEqual(outcome)
      }),
    )
  })
})

describe('a token', () => {
  it('is an id and a secret', () => {
    expect(token(TOKEN)).toEqual({value: TOKEN})
    expect(partsOf(TOKEN)).toEqual({id: 'abcdef', secret: '0123456789abcdef'})
  })

  it.each([
    ['', 'It is empty.'],
    ['abcdef', 'It must have two parts with a dot between them.'],
    ['abcdef.0123456789abcdef.x', 'It must have two parts with a dot between them.'],
    ['abcde.0123456789abcdef', 'The part before the dot has 5 characters instead of 6.'],
    ['abcdef.0123456789', 'The part after the dot has 10 characters instead of 16.'],
    ['abcdef.0123456789ABCDEF', 'It contains characters other than lower-case letters and digits.'],
    ['abcdef.0123456789abcde\n', 'It contains characters other than lower-case letters and digits.'],
  ])('%j is refused: %s', (given, reason) => {
    expect(token(given)).toEqual({
      reason,
      shown: '***',
      wanted: 'a bootstrap token of 6 characters, a dot and 16 characters, all lower-case letters or digits',
    })
  })

  it('that is refused is nowhere in the refusal', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\dA-Z]{6}\.[\dA-Z]{8,20}$/), (text) => {
        const [id = '', secret = ''] = text.split('.')
        const outcome = JSON.stringify(token(text))
        expect(outcome).not.toContain(id)
        expect(outcome).not.toContain(secret)
      }),
    )
  })

  it('is hidden as a whole and without its id', () => {
    expect(secretsOf(`${TOKEN}\n`)).toEqual([TOKEN, '0123456789abcdef'])
    expect(secretsOf('nodots')).toEqual(['nodots', 'nodots'])
    expect(secretsOf(' ')).toEqual([])
  })
})

describe('a hash', () => {
  it('is taken in any case', () => {
    expect(caCertHash(HASH)).toEqual({value: HASH})
    expect(caCertHash(HASH.toUpperCase())).toEqual({value: HASH})
  })

  it('without its algorithm is refused with the right form', () => {
    expect(caCertHash('0A'.repeat(32))).toMatchObject({wanted: HASH})
  })

  it.each([
    '',
    'sha256:',
    `sha512:${'0'.repeat(128)}`,
    `${HASH}0`,
    HASH.slice(1),
    `${HASH}\n`,
    `sha256:${'g'.repeat(64)}`,
  ])('%j is refused', (given) => {
    expect(refusalOf(caCertHash, given).wanted).toContain('sha256:<hex>')
  })
})
