// Which failures leave a stack in the log: bugs, also one inside of a check; never what people can fix.
import {expect, it} from 'vitest'

import {notAdministrator} from '../../src/errors/host.js'
import {ProblemsError} from '../../src/errors/k8s-win-error.js'
import {checkBroken} from '../../src/errors/program.js'
import {stacksOf} from '../../src/runs/result.js'

const bug = new TypeError('x is not a function')
const broken = checkBroken({id: 'memory', reason: bug.message}, {cause: bug})
const mendable = notAdministrator({}, {cause: bug})

it('has a stack of what was not foreseen', () => {
  expect(stacksOf(bug, undefined)).toEqual([bug.stack])
  expect(stacksOf('a text', undefined)).toEqual(['a text'])
})

it('has a stack of what broke inside of a check', () => {
  const failure = new ProblemsError([mendable, broken])
  expect(stacksOf(failure, failure)).toEqual([bug.stack])
})

it('has none of success, and of what people can repair', () => {
  expect(stacksOf(undefined, undefined)).toEqual([])
  expect(stacksOf(mendable, mendable)).toEqual([])
  expect(stacksOf(mendable, new ProblemsError([mendable]))).toEqual([])
})
