import {EventEmitter} from 'node:events'
import {expect, it} from 'vitest'
import {endDespiteHungCalls} from '../../../../src/machine/real/win32/library.js'

it.each([
  ['does not wait for a call that hangs', 1, [6]],
  ['is left to Node otherwise', 0, []],
])('the end of the process %s', (_, running, expected) => {
  const [ending, codes]: [EventEmitter, number[]] = [new EventEmitter(), []]
  endDespiteHungCalls(
    ending,
    () => running,
    (code) => codes.push(code),
  )
  expect(codes).toEqual([])
  ending.emit('exit', 6)
  expect(codes).toEqual(expected)
})
