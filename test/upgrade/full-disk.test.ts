// A disk that is full before an upgrade, or fills up in the middle.
import {expect, it} from 'vitest'
import {FileError} from '../../src/machine/files.js'
import {type Effect, interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {drive, GIB} from '../hosts/sick-host.js'
import {setupOn} from '../setup/in-process.js'
import {at, expectEnded, nodeAt, releasesOf} from './node-at.js'

/** No room for what the path names, until the old release is being restored. */
const full =
  (path: RegExp, isOver: (effect: Effect) => boolean = () => false) =>
  (machine: Machine): Machine => {
    let hasRoom = false
    return interceptMachine(machine, async (effect, perform) => {
      hasRoom ||= isOver(effect)
      const [target = ''] = effect.args
      if (!hasRoom && /^(?:append|write|writeChunks)$/.test(effect.what) && path.test(target))
        throw new FileError('write', target, 'ENOSPC')
      return perform()
    })
  }

it('a disk without room for both releases is refused before anything is changed', async () => {
  const host = await nodeAt('1.30.14', '1.31.14')
  host.edit((world) => drive(world, 'C:', {freeBytes: 11 * GIB, totalBytes: 100 * GIB}))
  const before = host.state
  const {result} = await setupOn(host.dir, {release: '1.31.14'})
  expect(result).toMatchObject({error: {id: 'DISK_FULL'}, exitCode: 3})
  expect(host.state).toEqual(before)
  // There is enough for the node as it is.
  expect((await setupOn(host.dir)).result.exitCode).toBe(0)
})

it('full while the old programs are kept: nothing was stopped', async () => {
  const host = await nodeAt('1.30.14', '1.31.14')
  const kubelet = host.world.services['kubelet']?.processId
  const {result} = await setupOn(host.dir, {release: '1.31.14'}, {wrap: full(/kubernetes\.previous/)})
  expect(result).toMatchObject({error: {id: 'FILE_REFUSED'}, exitCode: 5})
  expect(result.steps.find(({id}) => id === 'drain-node')?.state).toBe('not-run')
  expect(host.world.services['kubelet']?.processId).toBe(kubelet)
  expect(releasesOf(host)).toEqual(at('1.30.14'))
  expect((await setupOn(host.dir)).result.exitCode).toBe(0)
  expectEnded(host)
})

it('full while the new programs are unpacked: the old release is back', async () => {
  const host = await nodeAt('1.30.14', '1.31.14')
  const isOver = ({args, what}: Effect): boolean => what === 'remove' && /kubernetes\.staged/.test(args[0] ?? '')
  let removals = 0
  const wrap = full(/kubernetes\.staged/, (effect) => isOver(effect) && ++removals > 1)
  const {result} = await setupOn(host.dir, {release: '1.31.14'}, {wrap})
  expect(result).toMatchObject({error: {id: 'UPGRADE_ROLLED_BACK'}, exitCode: 6})
  expect(result.error?.cause).toContain('ENOSPC')
  // It is verified, and may have been copied by hand to a host without Internet access.
  expect(host.list(String.raw`k\downloads`)).toContain('kubernetes-node-windows-amd64-v1.31.14.tar.gz')
  expect(releasesOf(host)).toEqual(at('1.30.14'))
  expectEnded(host)
})
