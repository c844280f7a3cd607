// The two files of a run: a log that people read, and the trace beside it with every effect.
import {expect, test} from 'vitest'
import {createRunLog, LOG_BEGINNING, traceOf} from '../../../src/output/run/run-log.js'
import {createRedactor} from '../../../src/output/text/redact.js'
import type {EffectEntry} from '../../../src/machine/traced.js'
import {memoryFiles} from '../../fakes/memory-files.js'

const AT = '2026-01-31T09:00:00.000Z'
const FOLDER = String.raw`C:\k\logs\k8s-win`

async function written(secret = 'verysecretvalue') {
  const files = memoryFiles()
  const redactor = createRedactor()
  redactor.register(secret)
  const log = createRunLog(files, redactor.redact, 'setup.log')
  const effect = {args: [secret], at: AT, durationMs: 1, kind: 'read', outcome: 'ok', via: 'win32', what: 'memory'}
  log.event({at: AT, level: 'warn', message: `one\ntwo ${secret}`, type: 'log'})
  log.effect(effect as EffectEntry)
  log.event({at: AT, id: 'net-conf', text: 'half', type: 'progress'})
  const check = {durationMs: 0, id: 'credentials', message: 'valid', result: 'pass', title: 'Credentials'} as const
  log.event({at: AT, check, type: 'check'})
  await log.openIn(FOLDER)
  await log.flush()
  const path = log.path ?? ''
  const contents = files.contents()
  return {log: contents[path] ?? '', names: Object.keys(contents), path, trace: contents[traceOf(path)] ?? ''}
}

test('review U2-28: the log has a line per event in words, the trace every effect and event', async () => {
  const {log, trace} = await written()
  expect(log.split('\n').map((line) => line.replace(`${AT} `, ''))).toEqual([
    expect.stringMatching(/^INFO {2}Log of k8s-win\..*setup\.log\.trace$/),
    'WARN  one',
    '  two ***',
    'INFO  check credentials [pass] valid',
    '',
  ])
  expect(trace).toContain('win32 read memory')
  expect(trace.match(/ event \{/g)).toHaveLength(3)
})

test('review U2-28: both are redacted, and known by how they begin', async () => {
  const {log, names, path, trace} = await written('anothersecret')
  expect(names).toEqual([path, traceOf(path)])
  expect(log + trace).not.toContain('anothersecret')
  expect([log, trace].map((text) => LOG_BEGINNING.test(text))).toEqual([true, true])
  expect(LOG_BEGINNING.test(`${AT} INFO  a log of another program`)).toBe(false)
})
