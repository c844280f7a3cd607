// --simulate: which kinds of host there are, and a folder that holds another one or none that can be read.
import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {chooseMachine} from '../../src/cli/choose-machine.js'
import {globalFlags} from '../../src/cli/flag-table.js'
import {PROFILES} from '../../src/simulator/profiles/index.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {temporaryFolder} from '../steps/rig.js'

test('the help names every kind of host', () => {
  for (const profile of Object.keys(PROFILES)) expect(globalFlags.simulate.summary).toContain(profile)
})

test('one that does not exist is refused, with those that do', async () => {
  await expect(chooseMachine({simulate: 'ws2016'}, 'linux')).rejects.toMatchObject({
    exitCode: 2,
    fix: expect.stringContaining(Object.keys(PROFILES).join(', ')) as string,
    id: 'BAD_CHOICE',
  })
})

describe('a folder that cannot be used', () => {
  test.each([
    [
      'holds another kind of host',
      async (dir: string) => void (await openSimulator({dir, profile: 'ws2019'})),
      /a simulated ws2019/,
    ],
    ['holds something else', (dir: string) => writeFile(join(dir, 'machine.json'), '{'), /machine\.json/],
  ])('%s', async (_, make, reason) => {
    const dir = temporaryFolder()
    await make(dir)
    await expect(chooseMachine({simulate: 'ws2022', 'simulate-dir': dir}, 'linux')).rejects.toMatchObject({
      exitCode: 3,
      fix: expect.stringContaining(dir) as string,
      id: 'SIMULATOR_UNUSABLE',
      reason: expect.stringMatching(reason) as string,
    })
  })
})
