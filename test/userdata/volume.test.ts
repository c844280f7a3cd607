// The volume of --iso: what cloudbase-init finds in it, and where it is written.
import {describe, expect, it} from 'vitest'
import type {K8sWinError} from '../../src/errors/k8s-win-error.js'
import {FileError, type Files} from '../../src/machine/files.js'
import type {Machine} from '../../src/machine/machine.js'
import {isoImage} from '../../src/runs/userdata/iso.js'
import {demandVolumeTarget, volumeOf, writeVolume} from '../../src/runs/userdata/volume.js'
import {handClock} from '../fakes/hand-clock.js'
import {memoryFiles} from '../fakes/memory-files.js'
import {only} from '../fakes/partial.js'
import {userdataOf} from './rig.js'

const PATH = String.raw`C:\given\win-1.iso`
const volume = ['--iso', PATH]
const textsOf = ({files, folders}: ReturnType<typeof volumeOf>) =>
  Object.fromEntries(files.map(({content, name}) => [[...folders, name].join('/'), content.toString()]))

describe('the volume', () => {
  // Their labels and paths: metadata/services/nocloudservice.py, configdrive.py, baseopenstackservice.py of cloudbase-init.
  it.each([
    ['hyperv', 'cidata', 'user-data', 'meta-data', 'instance-id'],
    ['vsphere', 'cidata', 'user-data', 'meta-data', 'instance-id'],
    ['openstack', 'config-2', 'openstack/latest/user_data', 'openstack/latest/meta_data.json', 'uuid'],
  ])('of %s has the label %s and the user data in %s', async (cloud, label, data, meta, key) => {
    const document = await userdataOf(cloud, volume)
    const made = volumeOf(document)
    expect(made.label).toBe(label)
    const {[data]: userdata, [meta]: metadata = '', ...others} = textsOf(made)
    expect([userdata, others]).toEqual([document.userdata, {}])
    expect(Object.keys(JSON.parse(metadata) as object)).toEqual([key])
  })

  it('is the same for the same options, and has another instance ID for others', async () => {
    const [one, again, other] = await Promise.all(
      [[], [], ['--node-name', 'win-2']].map(async (more) =>
        volumeOf(await userdataOf('hyperv', [...volume, ...more])),
      ),
    )
    expect(one).toEqual(again)
    expect(textsOf(one!)['meta-data']).not.toBe(textsOf(other!)['meta-data'])
  })
})

describe('its file', () => {
  const idOf = (error: unknown): string => (error as K8sWinError).id
  const machine = only<Machine>('machine', {clock: handClock(0)})

  it('is written, and not over another one', async () => {
    const files = memoryFiles({[String.raw`C:\given\other.txt`]: ''})
    const document = await userdataOf('hyperv', volume)
    const target = {files, path: PATH}
    await demandVolumeTarget(target, machine.clock)
    await writeVolume(target, machine, document)
    const written = await files.read(PATH)
    expect(Buffer.compare(written as Buffer, Buffer.from(isoImage(volumeOf(document))))).toBe(0)
    expect(await demandVolumeTarget(target, machine.clock).catch(idOf)).toBe('USERDATA_TARGET_UNUSABLE')
    const elsewhere = {files, path: String.raw`C:\nowhere\win-1.iso`}
    expect(await demandVolumeTarget(elsewhere, machine.clock).catch(idOf)).toBe('USERDATA_TARGET_UNUSABLE')
  })

  it('that cannot be written is reported', async () => {
    const full = only<Files>('files', {
      write: async () => Promise.reject(new FileError('write', PATH, 'ENOSPC')),
    })
    const failed = writeVolume({files: full, path: PATH}, machine, await userdataOf('hyperv', volume))
    expect(await failed.catch(idOf)).toBe('USERDATA_NOT_WRITTEN')
  })
})
