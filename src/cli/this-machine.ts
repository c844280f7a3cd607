// This computer, where it is a Windows that k8s-win can work on.
import {nodeNot64Bit, notWindows} from '../errors/host.js'
import type {Machine} from '../machine/machine.js'

export const realMachine = async (): Promise<Machine> => (await import('../machine/real/index.js')).openRealMachine()

export async function demandWindows(
  platform: NodeJS.Platform = process.platform,
  architecture: string = process.arch,
): Promise<Machine> {
  if (platform !== 'win32') throw notWindows({platform})
  // Structures are laid out for 64 bits: with shorter pointers Windows would see no security descriptor, and say nothing.
  if (architecture !== 'x64') throw nodeNot64Bit({architecture, program: process.execPath})
  await (await import('../machine/real/index.js')).demandAddon()
  return realMachine()
}
