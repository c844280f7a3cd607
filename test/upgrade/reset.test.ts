// reset after an upgrade, and in the middle of one: with --purge the host is as before the first setup.
import {expect, it} from 'vitest'
import {allowEverything} from '../fakes/administrator.js'
import {CrashError, faultyMachine} from '../fakes/faulty.js'
import {makeCluster} from '../../src/simulator/profiles/cluster.js'
import {resetOn} from '../reset/reset-run.js'
import {setupOn} from '../setup/in-process.js'
import {comparable} from '../steps/comparable.js'
import {HostFolder} from '../steps/host-folder.js'
import {PROFILE} from './node-at.js'

it.each([
  ['after an upgrade', undefined],
  ['in the middle of one', /kubernetes\\node\\bin\\kubelet\.exe/],
])('purged %s, the host is as before setup', async (_, killedAt) => {
  const host = await HostFolder.fresh((world) => {
    world.cluster = makeCluster('v1.31.14')
    allowEverything(world)
  }, PROFILE)
  const before = comparable(host)
  const given = {'base-images': 'none'}
  expect((await setupOn(host.dir, {...given, release: '1.30.14'}, {}, PROFILE)).result.error).toBeUndefined()
  const upgraded = setupOn(
    host.dir,
    {release: '1.31.14'},
    {
      upgrade: {},
      wrap: (machine) =>
        faultyMachine(machine, [
          {
            at: ({args, what}) => what === 'rename' && killedAt?.test(args.join(' ')) === true,
            does: 'crash',
            when: 'after',
          },
        ]),
    },
  )
  if (killedAt) await expect(upgraded).rejects.toThrow(CrashError)
  else expect((await upgraded).result.error).toBeUndefined()
  expect(host.list(String.raw`k\downloads`).some((name) => name.endsWith('.previous'))).toBe(killedAt !== undefined)
  const {result} = await resetOn(host.dir, {given: {purge: true, yes: true}, profile: PROFILE})
  expect(result.error).toBeUndefined()
  expect(comparable(host)).toEqual(before)
  expect(host.list('k')).toEqual(['kubeconfig'])
})
