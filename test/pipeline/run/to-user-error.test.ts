// What a machine rejects with, as an error people can act on.
import {describe, expect, it} from 'vitest'

import {notAdministrator} from '../../../src/errors/host.js'
import {DeadlineError} from '../../../src/machine/clock.js'
import {FileError} from '../../../src/machine/files.js'
import {HttpError} from '../../../src/machine/http.js'
import {ProgramNotFoundError} from '../../../src/machine/run.js'
import {EffectDeadlineError} from '../../../src/machine/pending-effects.js'
import {Win32Error} from '../../../src/machine/win32.js'
import {documentOf, toUserError, InterruptedError, TimeLimitError} from '../../../src/pipeline/run/to-user-error.js'

describe('explain', () => {
  it.each([
    [new InterruptedError(), 130, 'INTERRUPTED', 'Interrupted'],
    [new DeadlineError(90_000), 6, 'DEADLINE_PASSED', '"Write net-conf.json" took too long'],
    [new TimeLimitError(90_000), 6, 'TIMEOUT_PASSED', 'The run was not completed within 90 s (--timeout)'],
    [new EffectDeadlineError(30_000, 'netsh.exe advfirewall'), 5, 'NO_ANSWER', 'No response to: netsh.exe advfirewall'],
    [new FileError('write', String.raw`C:\k\x`, 'EBUSY'), 5, 'FILE_REFUSED', String.raw`Cannot write C:\k\x`],
    [new Win32Error('OpenServiceW', 5, 'kubelet'), 5, 'WINDOWS_CALL_FAILED', 'OpenServiceW(kubelet) failed'],
    [new ProgramNotFoundError(String.raw`C:\x.exe`), 5, 'PROGRAM_FAILED', String.raw`C:\x.exe cannot be run`],
    [
      new HttpError('https://10.0.0.1:6443/api', 'ECONNREFUSED', 'connection refused'),
      3,
      'API_SERVER_UNREACHABLE',
      'The API server 10.0.0.1:6443 cannot be reached',
    ],
  ])('%s', (error, exitCode, id, message) => {
    const explained = toUserError(error, 'Write net-conf.json')
    expect(explained).toMatchObject({cause: error, exitCode, id, message})
    expect(explained?.fix).not.toBe('')
    expect(explained?.reason).not.toBe('')
  })

  it.each([
    ['EBUSY', 'it is open in another program', 'Close programs that use it'],
    ['EEXIST', 'something else', 'Move'],
    ['EISDIR', 'a folder', 'Move'],
    ['ENOSPC', 'the disk is full', 'space'],
    ['ENOTDIR', 'where a folder', 'Move'],
  ])('a file refused with %s: %s', (code, reason, fix) => {
    const explained = toUserError(new FileError('write', 'x', code), 'x')
    expect(explained?.reason).toContain(reason)
    expect(explained?.fix).toContain(fix)
  })

  it('reports the limit, the code, the reason', () => {
    expect(toUserError(new DeadlineError(90_000), 'x')?.reason).toContain('90 s')
    expect(toUserError(new FileError('write', 'x', 'ENOSPC'), 'x')?.reason).toContain('ENOSPC')
    expect(toUserError(new Win32Error('x', 1072, 'x'), 'x')?.reason).toContain('net helpmsg 1072')
    expect(toUserError(new HttpError('https://h/', 'ETIMEDOUT', 'no answer'), 'x')?.reason).toBe(
      'no answer (ETIMEDOUT).',
    )
  })

  it('keeps credentials out of what it reports about an address', () => {
    const text = JSON.stringify(
      toUserError(new HttpError('https://user:secret@host/?token=secret', 'X', 'refused'), 'x'),
    )
    expect(text).not.toContain('secret')
  })

  it('leaves what is explained already', () => {
    const error = notAdministrator({})
    expect(toUserError(error, 'x')).toBe(error)
  })

  it.each([new Error('x'), new TypeError('x'), 'x', undefined])('does not make up an explanation for %o', (error) => {
    expect(toUserError(error, 'x')).toBeUndefined()
  })
})

it('the document of an error has all that people need', () => {
  const document = documentOf(notAdministrator({}))
  expect(Object.keys(document).sort()).toEqual(['cause', 'command', 'fix', 'id', 'message', 'url'])
  expect(document.url).toBe('docs/errors.md#not_administrator')
})
