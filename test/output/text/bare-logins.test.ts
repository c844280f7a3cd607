// Logins of proxies without a scheme: hidden, in a time that grows with the text only.
import {expect, test} from 'vitest'
import {logins} from '../../../src/output/text/secret-shapes.js'

test.each([',a:@', '=a:@', '(a:@'])('review S2-3: a megabyte of %s is searched at once', (part) => {
  const before = performance.now()
  expect([...logins(part.repeat(250_000))]).toEqual([])
  expect(performance.now() - before).toBeLessThan(300)
})

test.each([
  ['x bob:p@ss@proxy:3128 y', 'bob:p@ss'],
  ['HTTP_PROXY=bob:p,w;=x@proxy:3128', 'bob:p,w;=x'],
])('review S2-3: %s', (text, login) => {
  expect([...logins(text)].map(([from, to]) => text.slice(from, to))).toEqual([login])
})
