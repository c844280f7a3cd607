// machine.json: the fresh host fits the published schema, and a broken one is reported by its key.
import {readFileSync} from 'node:fs'

import {Ajv} from 'ajv'
import {describe, expect, it} from 'vitest'

import {PROFILES} from '../../src/simulator/profiles/index.js'
import {checkWorld} from '../../src/simulator/world-check.js'
import {makeStage} from './fresh-model.js'

const published = (): object =>
  JSON.parse(readFileSync(new URL('../../schemas/machine.schema.json', import.meta.url), 'utf8')) as object

describe('the schema of machine.json', () => {
  it.each(Object.entries(PROFILES))('is fulfilled by a fresh %s', (_, profile) => {
    const validate = new Ajv({strict: true}).compile(published())
    const world: unknown = JSON.parse(JSON.stringify(profile.makeWorld(0)))
    expect(validate(world) || validate.errors).toBe(true)
    expect(() => checkWorld(world)).not.toThrow()
  })
})

describe('a machine.json that people broke', () => {
  /** What is reported about a fresh host in which the value at `path` was put. */
  const told = (path: string, value: unknown): string => {
    const world = JSON.parse(JSON.stringify(makeStage().world)) as Record<string, unknown>
    const keys = path.split(' ')
    let parent = world
    for (const key of keys.slice(0, -1)) parent = parent[key] as Record<string, unknown>
    parent[keys.at(-1) ?? ''] = value
    try {
      checkWorld(JSON.parse(JSON.stringify(world)))
      return 'nothing'
    } catch (error) {
      return (error as Error).message
    }
  }

  it.each([
    ['os build', '17763', 'os.build: expected a number, found "17763"'],
    ['docker', undefined, 'docker: missing, expected an object'],
    ['docker mode', 'mac', 'docker.mode: expected one of linux, windows, found "mac"'],
    ['adapters', {}, 'adapters: expected an array, found an object'],
    ['cluster nodes 1 ready', 1, 'cluster.nodes[1].ready: expected a boolean, found 1'],
    ['os time', -1, 'os.time: expected a number from 0 to 253402300799999, found -1'],
    [
      'cluster clockAheadMs',
      9e18,
      'cluster.clockAheadMs: expected a number from -100000000000000 to 100000000000000, found 9000000000000000000',
    ],
    [
      'registry HKLM\\x',
      {a: {data: 1, type: 'REG_X'}},
      /^registry\["HKLM\\\\x"\]\.a\.type: expected REG_DWORD, found "REG_X"; or /,
    ],
    ['hns version', null, 'hns.version: expected an object, found null'],
    [
      'downloads https://x/y',
      {fault: 'late'},
      'downloads["https://x/y"].fault: expected one of cut-once, missing-member, no-variant, not-found, silent, stalled, truncated, unreachable, wrong-bytes, found "late"',
    ],
  ])('is reported by its key: %s', (path, value, message) => {
    expect(told(path, value)).toEqual(typeof message === 'string' ? message : expect.stringMatching(message))
  })

  it.each([
    ['oss', {}, 'oss: unknown key; the nearest one is os'],
    ['os biuld', 1, 'os.biuld: unknown key; the nearest one is os.build'],
    ['cluster nodes 0 redy', true, 'cluster.nodes[0].redy: unknown key; the nearest one is cluster.nodes[0].ready'],
    ['os', {adminstrator: true}, 'os.adminstrator: unknown key; the nearest one is os.administrator'],
    ['hns networks', [{Anything: 1}], 'nothing'],
    ['environment ANYTHING', 'x', 'nothing'],
  ])('review U2-25, U2-26: an unknown key is refused with the nearest one: %s', (path, value, message) => {
    expect(told(path, value)).toBe(message)
  })

  it('is not an array', () => {
    expect(() => checkWorld([])).toThrow('the document: expected an object, found an array')
  })
})
