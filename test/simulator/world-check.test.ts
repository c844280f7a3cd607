// machine.json: the fresh host fits the published schema, and a broken one is told by its key.
import {readFileSync} from 'node:fs'

import {Ajv} from 'ajv'
import {describe, expect, it} from 'vitest'

import {PROFILES} from '../../src/simulator/profiles/index.js'
import {checkWorld} from '../../src/simulator/world-check.js'
import {WORLD_SCHEMA} from '../../src/simulator/world-schema.js'
import {makeStage} from './stage.js'

const published = (): object =>
  JSON.parse(readFileSync(new URL('../../schemas/machine.schema.json', import.meta.url), 'utf8')) as object

describe('the schema of machine.json', () => {
  it('is published as the simulator knows it', () => {
    expect(published()).toEqual(JSON.parse(JSON.stringify(WORLD_SCHEMA)))
  })

  it.each(Object.entries(PROFILES))('is fulfilled by a fresh %s', (_, profile) => {
    const validate = new Ajv({strict: true}).compile(published())
    const world: unknown = JSON.parse(JSON.stringify(profile.makeWorld(0)))
    expect(validate(world) || validate.errors).toBe(true)
    expect(() => checkWorld(world)).not.toThrow()
  })
})

describe('a machine.json that people broke', () => {
  const broken = (change: (world: any) => void): (() => void) => {
    const world: any = JSON.parse(JSON.stringify(makeStage().world))
    change(world)
    return () => checkWorld(world)
  }

  it.each<[string, (world: any) => void, string]>([
    ['a number as text', (world) => (world.os.build = '17763'), 'os.build: expected a number, found "17763"'],
    ['a missing part', (world) => delete world.docker, 'docker: missing, expected an object'],
    [
      'an unknown word',
      (world) => (world.docker.mode = 'mac'),
      'docker.mode: expected one of linux, windows, found "mac"',
    ],
    ['a list that is none', (world) => (world.adapters = {}), 'adapters: expected an array, found an object'],
    [
      'a wrong item',
      (world) => (world.cluster.nodes[1].ready = 1),
      'cluster.nodes[1].ready: expected a boolean, found 1',
    ],
    ['nothing', (world) => (world.hns.version = null), 'hns.version: expected an object, found null'],
    [
      'a key that is no word',
      (world) => (world.downloads['https://x/y'] = {fault: 'late'}),
      'downloads["https://x/y"].fault: expected one of missing-member, not-found, truncated, unreachable, wrong-bytes, found "late"',
    ],
  ])('is told by its key: %s', (_, change, message) => {
    expect(broken(change)).toThrow(new Error(message))
  })

  it('is not an array', () => {
    expect(() => checkWorld([])).toThrow('the document: expected an object, found an array')
  })

  it('lets unknown keys be', () => {
    expect(broken((world) => (world.note = 'mine'))).not.toThrow()
  })
})
