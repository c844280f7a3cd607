// Logins of proxies without a scheme. How long a hostile text takes is measured by bench/text.ts.
import {expect, test} from 'vitest'
import {bareLogins} from '../../../src/output/text/secret-shapes.js'

test.each([',a:@', '=a:@', '(a:@'])('review S2-3: %s has none, however often it is repeated', (part) => {
  expect([...bareLogins(part.repeat(25_000))]).toEqual([])
})

test.each([
  ['x bob:p@ss@proxy:3128 y', 'bob:p@ss'],
  ['HTTP_PROXY=bob:p,w;=x@proxy:3128', 'bob:p,w;=x'],
])('review S2-3: %s', (text, login) => {
  expect([...bareLogins(text)].map(([from, to]) => text.slice(from, to))).toEqual([login])
})
