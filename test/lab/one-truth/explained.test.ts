// Explanations are narrow: what they do not name stays unexplained.
import {expect, test} from 'vitest'
import {ASSUMPTIONS} from '../windows/assumptions/list.js'
import type {Difference} from '../../one-truth/observation.js'
import {EXPLAINED, judge} from './explained.js'

const AT = 'the node after act 1'
const file = (only: Difference['only'], path: string, digit = '0'): Difference => ({
  heading: `${AT}: files`,
  line: `${path} sha256 ${digit.repeat(64)}`,
  only,
})
const KUBELET = String.raw`C:\k\kubernetes\node\bin\kubelet.exe`

test('a program with other bytes is explained', () => {
  const {met, unexplained} = judge([file('first', KUBELET, '1'), file('second', KUBELET, '2')])
  expect({met: met.length, unexplained}).toEqual({met: 1, unexplained: []})
})

test.each<[string, Difference[]]>([
  ['a program that only one has', [file('first', KUBELET)]],
  ['one program in place of another', [file('first', KUBELET), file('second', KUBELET.replace('kubelet', 'kubectl'))]],
  [
    'a file that is no program',
    ['first', 'second'].map((only) => file(only as 'first', String.raw`C:\k\client-ca.crt`)),
  ],
  [
    'the same under another heading',
    [file('first', KUBELET, '1'), {...file('second', KUBELET, '2'), heading: 'the node after act 2: files'}],
  ],
  [
    'what only the lab may have, on the simulator',
    [{heading: `${AT}: services`, line: 'kubelet in the registry PreshutdownTimeout data = 180000', only: 'first'}],
  ],
  [
    'an argument of a service',
    [2, 4].map((v, index) => ({
      heading: `${AT}: services`,
      line: `kubelet in the registry ImagePath data = "--v=${v}"`,
      only: index === 0 ? 'first' : 'second',
    })),
  ],
])('%s is not', (_name, found) => {
  expect(judge(found)).toEqual({met: [], unexplained: found})
})

test('what is called assumed is on the list of assumptions', () => {
  const named = EXPLAINED.flatMap(({reason}) => /\(assumed: ([\w-]+)\)/.exec(reason)?.[1] ?? [])
  expect(named.length).toBeGreaterThan(0)
  expect(named.filter((id) => !ASSUMPTIONS.some((assumption) => assumption.id === id))).toEqual([])
})
