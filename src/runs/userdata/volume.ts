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
  const [folders, metadata, [meta, data]] =
    label === 'cidata'
      ? ([[], {'instance-id': id}, ['meta-data', 'user-data']] as const)
      : ([['openstack', 'latest'], {uuid: id}, ['meta_data.json', 'user_data']] as const)
  const file = (name: string, text: string) => ({content: Buffer.from(text), name})
  return {files: [file(meta, `${JSON.stringify(metadata)}\n`), file(data, userdata)], folders, label}
}
