import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {safeUrl, withoutCredentials} from '../../src/machine/credentials.js'

describe('a URL that is shown', () => {
  it.each([
    ['https://user:hunter2@host/p?a=1', 'https://host/p?a=1'],
    [
      'https://host/p?a=1&X-Amz-Signature=s&access_token=t&sig=u',
      'https://host/p?a=1&X-Amz-Signature=***&access_token=***&sig=***',
    ],
    [
      'http://docker/v1.41/images/create?fromImage=a%2Fb&tag=c',
      'http://docker/v1.41/images/create?fromImage=a%2Fb&tag=c',
    ],
    ['not a url', 'not a url'],
  ])('%s', (url, shown) => {
    expect(safeUrl(url)).toBe(shown)
  })

  it('never holds the password', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\da-zA-Z:%]{6,20}$/u), (noise) => {
        const password = encodeURIComponent(`PW${noise}PW`)
        expect(safeUrl(`https://user:${password}@host/`)).not.toContain(password)
        expect(withoutCredentials(`HTTP_PROXY=http://user:${password}@proxy:1 and more`)).toBe(
          'HTTP_PROXY=http://***@proxy:1 and more',
        )
      }),
    )
  })

  it('keeps texts without one', () => {
    const text = 'mail a@b.c, see https://host/a@b and C:\\k'
    expect(withoutCredentials(text)).toBe(text)
  })
})
