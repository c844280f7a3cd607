// What is the address of a proxy, and what is the login that nobody may see.
import {expect, test} from 'vitest'
import {parseProxy} from '../../src/machine/proxy.js'

test.each<[string, string, string | undefined, readonly string[]]>([
  ['proxy:3128', 'http://proxy:3128/', 'http://proxy:3128/', []],
  ['bob:pw@proxy:3128', 'http://proxy:3128/', 'http://bob:pw@proxy:3128/', ['bob:pw', 'pw']],
  [' bob:p@ss@proxy:3128 ', 'http://proxy:3128/', 'http://bob:p%40ss@proxy:3128/', ['bob:p@ss', 'p@ss']],
  ['http://bob:1/w@proxy:3128', 'http://proxy:3128/', 'http://bob:1%2Fw@proxy:3128/', ['bob:1/w', '1/w']],
  ['http://bob:a%2Fb@proxy', 'http://proxy/', 'http://bob:a%2Fb@proxy/', ['bob:a%2Fb', 'bob:a/b', 'a%2Fb', 'a/b']],
  ['http://bob:a%ZZ@proxy', 'http://proxy/', 'http://bob:a%25ZZ@proxy/', ['bob:a%ZZ', 'a%ZZ']],
  ['bob:50%off@proxy', 'http://proxy/', 'http://bob:50%25off@proxy/', ['bob:50%off', '50%off']],
  ['https://key@proxy', 'https://proxy/', 'https://key@proxy/', ['key']],
  ['socks5://bob:pw@proxy:1080', 'socks5://proxy:1080', undefined, ['bob:pw', 'pw']],
  ['bob:pw@', '', undefined, ['bob:pw', 'pw']],
  ['bob:pw@not a host', 'http://not a host', undefined, ['bob:pw', 'pw']],
  ['', '', undefined, []],
])('review S2-3: %j is shown as %j', (text, shown, url, secrets) => {
  const parsed = parseProxy(text)
  expect({...parsed, url: parsed.url?.href}).toEqual({secrets, shown, url})
})
