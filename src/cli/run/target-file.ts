// Which file a path on the command line names: one of this machine, or of a simulated drive.
import type {Files} from '../../machine/files.js'
import type {TargetFile} from '../../runs/target-file.js'
import {type GlobalFlags, simulateDir} from '../arguments/flag-table.js'

export async function targetFile(flags: GlobalFlags, path: string, files: Files): Promise<TargetFile> {
  return {files: await filesFor(flags, path, files), onDrive: isOnDrive(path, flags.simulate), path}
}

/** Is it on a drive of a real or a simulated Windows, not on a share of another computer? `\\?\C:\` is a drive in another spelling. */
export function isOnDrive(path: string, simulate?: string, platform: NodeJS.Platform = process.platform): boolean {
  const plain = path.replace(/^[\\/]{2}\?[\\/](?=[a-z]:)/i, '')
  return simulate === undefined ? platform === 'win32' && !/^[\\/]{2}/.test(plain) : /^[a-z]:/i.test(plain)
}

/** With --simulate, what has a drive letter is on the simulated drive; anything else is a file of this machine. */
async function filesFor(flags: GlobalFlags, path: string, files: Files): Promise<Files> {
  if (flags.simulate === undefined) return files
  if (!/^[a-z]:|^[\\/]{2}/i.test(path)) {
    const {openRealMachine} = await import('../../machine/real/index.js')
    return openRealMachine().files
  }
  const {openDrive} = await import('../../simulator/index.js')
  return openDrive(simulateDir(flags))
}
