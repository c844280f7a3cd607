import {expect, test} from 'vitest'
import {readable} from '../../src/health/drift.js'

test.each([
  ['PATH is gone', 'PATH is gone'],
  ['kubelet: startType is demand, wanted automatic', 'kubelet: startType is demand, wanted automatic'],
  ['kubelet: imagePath is "k" --a --v=9, wanted "k" --a', 'kubelet: its command line has --v=9 in addition'],
  ['kubelet: imagePath is "k", wanted "k" --a', 'kubelet: its command line lacks --a'],
  ['kubelet: imagePath is k --a, wanted "k" --a', 'kubelet: its command line has k instead of "k"'],
  [
    'kubelet: imagePath is "k" --b --a, wanted "k" --a --b',
    'kubelet: its command line has the same arguments in another order',
  ],
])('%s', (evidence, text) => {
  expect(readable(evidence)).toBe(text)
})
