// The volume of --iso, with which cloudbase-init finds user data where no metadata service has it.
import {userdataNotWritten, userdataTargetUnusable} from '../../errors/userdata.js'
import type {Clock} from '../../machine/clock.js'
import {FileError} from '../../machine/files.js'
import type {Machine} from '../../machine/machine.js'
import {demandTarget, type TargetFile, writeTarget} from '../target-file.js'
import {USERDATA_ROWS} from './clouds.js'
import {instanceId} from './formats.js'
import {isoImage} from './iso.js'
import type {UserdataDocument} from './userdata.js'

/** A file that is there stays there: such volumes all begin with the same zeros, so it could be any. */
export async function demandVolumeTarget(target: TargetFile, clock: Clock): Promise<void> {
  const unusable = (reason: string): Error => userdataTargetUnusable({path: target.path, reason})
  const exists = unusable('A file with this name exists.')
  await demandTarget(target, clock, {exists, isOurs: () => true, name: 'volume', unusable})
}

export async function writeVolume(target: TargetFile, machine: Machine, document: UserdataDocument): Promise<void> {
  const image = isoImage(volumeOf(document))
  await writeTarget(target, machine, image).catch((error: unknown) => {
    if (!(error instanceof FileError)) throw error
    throw userdataNotWritten({path: target.path, reason: error.code}, {cause: error})
  })
}

/** Of nocloudservice.py and configdrive.py. */
export function volumeOf({cloud, userdata}: Pick<UserdataDocument, 'cloud' | 'userdata'>) {
  const id = instanceId(userdata)
  const label = USERDATA_ROWS[cloud].iso ?? 'cidata'
  const [folder, metadata, name] =
    label === 'cidata'
      ? ['', {'instance-id': id}, {data: 'user-data', meta: 'meta-data'}]
      : ['openstack/latest/', {uuid: id}, {data: 'user_data', meta: 'meta_data.json'}]
  const file = (path: string, text: string) => ({content: Buffer.from(text), path: `${folder}${path}`})
  return {files: [file(name.meta, `${JSON.stringify(metadata)}\n`), file(name.data, userdata)], label}
}
