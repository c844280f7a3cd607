import {expect, it} from 'vitest'
import {restartRequired} from '../../../src/errors/restart.js'
import type {RunResultDocument} from '../../../src/pipeline/run/events.js'
import {documentOf} from '../../../src/pipeline/run/to-user-error.js'
import {withRestartAdvice} from '../../../src/runs/launcher/restart-advice.js'

const error = documentOf(restartRequired({reasons: 'Windows Update'}))
const required = {error, errors: [error], exitCode: 10, outcome: 'restart-required'} as unknown as RunResultDocument

it.each([
  [{}, 'ssm', /^ssm restarts Windows .*If it does not/],
  [
    {continuesAfterRestart: true, restartsIn: 30},
    undefined,
    /^k8s-win restarts Windows in 30 s.*continues after it.*If Windows does not/,
  ],
  [{restartsIn: 30}, undefined, /^Wait .*30 s.*same command again/],
  [{continuesAfterRestart: true}, undefined, /^Restart Windows: the run continues/],
])('%o under %s: the fix is what is left to do', (more, restarter, fix) => {
  const advised = withRestartAdvice({...required, ...more}, restarter)
  expect(advised.error?.fix).toMatch(fix)
  expect(advised.errors).toEqual([advised.error])
})

it('stays where nothing restarts Windows, and for every other end', () => {
  expect(withRestartAdvice(required, undefined)).toBe(required)
  const failed = {...required, outcome: 'failed'} as const
  expect(withRestartAdvice(failed, 'ssm')).toBe(failed)
})
