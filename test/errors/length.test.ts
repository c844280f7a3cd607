// No server, program or user makes an error that fills a screen.
import {expect, test} from 'vitest'
import {ERRORS} from '../../src/errors/catalogue.js'
import type {K8sWinError} from '../../src/errors/k8s-win-error.js'

test('review A3-10: words of others are cut in every error', () => {
  const said = new Proxy<Record<string, string>>({}, {get: () => 'the DNS names a.example, b.example '.repeat(500)})
  for (const error of ERRORS) {
    const {fix, message, reason} = (error as unknown as (parameters: typeof said) => K8sWinError)(said)
    // A text may quote several, each up to 2000.
    for (const text of [fix, message, reason]) expect(text.length, error.id).toBeLessThan(9000)
  }
})
