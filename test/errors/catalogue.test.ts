// The catalogue of errors: each can be shown, has its own ID and a documented exit code.
import {readdirSync} from 'node:fs'
import {describe, expect, it} from 'vitest'

import * as daemons from '../../src/errors/daemons.js'
import * as detach from '../../src/errors/detach.js'
import * as bytes from '../../src/errors/downloads-and-images.js'
import {ERRORS} from '../../src/errors/catalogue.js'
import * as cluster from '../../src/errors/cluster.js'
import * as condition from '../../src/errors/condition.js'
import * as configuration from '../../src/errors/configuration.js'
import type {ErrorDefinition} from '../../src/errors/define.js'
import {defineError} from '../../src/errors/define.js'
import * as folders from '../../src/errors/folders.js'
import * as health from '../../src/errors/health.js'
import * as host from '../../src/errors/host.js'
import * as input from '../../src/errors/input.js'
import * as join from '../../src/errors/join.js'
import {K8sWinError, ProblemsError} from '../../src/errors/k8s-win-error.js'
import * as logs from '../../src/errors/logs.js'
import * as program from '../../src/errors/program.js'
import * as reset from '../../src/errors/reset.js'
import * as restart from '../../src/errors/restart.js'
import * as secrets from '../../src/errors/secrets.js'
import * as token from '../../src/errors/token.js'
import * as unhealthyNode from '../../src/errors/unhealthy-node.js'
import * as upgrade from '../../src/errors/upgrade.js'
import * as usage from '../../src/errors/usage.js'
import * as userdata from '../../src/errors/userdata.js'
import * as windows from '../../src/errors/windows.js'

type AnyError = ErrorDefinition<Record<string, string>>
const PAGES: readonly [name: string, page: object, exitCodes: readonly number[]][] = [
  ['usage', usage, [2]],
  ['input', input, [2]],
  ['daemons', daemons, [2, 3, 5]],
  ['detach', detach, [3, 5, 9, 130]],
  ['host', host, [3, 11]],
  ['condition', condition, [3]],
  ['configuration', configuration, [2, 3]],
  ['folders', folders, [3]],
  ['cluster', cluster, [3]],
  ['join', join, [2, 3, 6]],
  ['downloads-and-images', bytes, [4]],
  ['windows', windows, [5]],
  ['health', health, [6, 130]],
  ['logs', logs, [2, 5, 9]],
  ['program', program, [1, 3, 4, 5]],
  ['reset', reset, [2, 7]],
  ['restart', restart, [5, 10]],
  ['secrets', secrets, [3]],
  ['token', token, [2, 3]],
  ['upgrade', upgrade, [3, 6, 7]],
  ['unhealthy-node', unhealthyNode, [3]],
  ['userdata', userdata, [2, 5]],
]
const ALL = PAGES.flatMap(([name, page, exitCodes]) =>
  (Object.values(page) as AnyError[]).map((error) => ({error, exitCodes, id: error.id, name})),
)

it('every page of the catalogue is here', () => {
  const files = readdirSync(new URL('../../src/errors', import.meta.url)).map((name) => name.replace(/\.ts$/, ''))
  const pages = files.filter((name) => !['catalogue', 'define', 'k8s-win-error', 'shortened'].includes(name))
  expect(PAGES.map(([name]) => name).sort()).toEqual(pages.sort())
  expect(ERRORS.map(({id}) => id).sort()).toEqual(ALL.map(({id}) => id).sort())
})

describe('an error', () => {
  it('has an ID of its own', () => {
    const ids = ALL.map(({id}) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBeGreaterThan(50)
  })

  it.each(ALL)('$id is reported whole, with an exit code of its page', ({error, exitCodes, id}) => {
    const {cause, exitCode, fix, message} = error.describe()
    expect(id).toMatch(/^[A-Z][A-Z\d]*(_[A-Z\d]+)*$/)
    expect(exitCodes).toContain(exitCode)
    expect(error.exitCode).toBe(exitCode)
    for (const text of [cause, fix, message]) {
      expect(text).not.toBe('')
      expect(text).not.toMatch(/undefined|\[object/)
    }

    expect(message, 'a message is a heading: no full stop').not.toMatch(/\.$/)
    expect(fix, 'a command with quotes of its own is in single ones').not.toContain('""')
    expect(fix, 'a fix is a sentence').toMatch(/[.>)"]$/)
  })

  it('is made with its parameters, its cause and its page', () => {
    const cause = new Error('x')
    const make = defineError('NO_THING', 3, {
      cause: (p: {name: string}) => `There is no ${p.name}.`,
      fix: 'Make it.',
      message: '"{name}" is missing',
    })
    const error = make({name: 'a'}, {cause})
    expect(error).toBeInstanceOf(K8sWinError)
    expect(error).toMatchObject({
      cause,
      exitCode: 3,
      fix: 'Make it.',
      id: 'NO_THING',
      message: '"a" is missing',
      reason: 'There is no a.',
    })
    expect(error.url).toBe('docs/errors.md#no_thing')
    expect(make.describe().message).toBe('"<name>" is missing')
    expect(make.is(error)).toBe(true)
    expect([cause, undefined, program.bug({log: '', message: 'x'})].some((other) => make.is(other))).toBe(false)
  })

  it('is copied with other texts, and is the cause of its copy', () => {
    const error = new K8sWinError('ID', {cause: 'c.', exitCode: 3, fix: 'f.', message: 'm', wanted: 'w'})
    const copy = error.with({exitCode: 5, known: 'some-signature'})
    expect(copy).toMatchObject({cause: error, exitCode: 5, fix: 'f.', id: 'ID', known: 'some-signature', reason: 'c.'})
    expect(copy.with({fix: 'g.'})).toMatchObject({fix: 'g.', known: 'some-signature', wanted: 'w'})
  })
})

describe('several problems', () => {
  const two = input.remoteDocker({endpoint: 'a', origin: 'b'})
  const three = host.notAdministrator({})

  it('are reported together, with the exit code of the most severe', () => {
    const error = new ProblemsError([three, two])
    expect(error.exitCode).toBe(2)
    expect(error.message).toBe(`${three.message}\n${two.message}`)
    expect(new ProblemsError([three]).exitCode).toBe(3)
  })
})

it('review J12: words of others that end in a full stop do not make two of them', () => {
  const denied = cluster.clusterAnswer({reason: 'It said: deny..', server: 's'})
  expect(denied.reason).toBe('It said: deny.')
  const timedOut = health.drainTimedOut({limit: '5 s', node: 'n', pods: 'a/b - the policy denied it.'})
  expect(timedOut.reason).toBe('After 5 s these pods were still on it: a/b - the policy denied it.')
  const folder = cluster.clusterAnswer({reason: String.raw`Look in C:\k\.. and wait...`, server: 's'})
  expect(folder.reason).toBe(String.raw`Look in C:\k\.. and wait...`)
})
