// host-local's store on disk (backend/disk/backend.go): a file for each address, with "id CR LF ifname" in it.
import {win32} from 'node:path'

import type {Files} from '../../machine/files.js'
import {parseAddress} from '../windows/names.js'

export interface HostLocalStore {
  /** Addresses of this container and interface; files of old versions hold the id alone. */
  find(id: string, ifname: string): Promise<string[]>
  /** Is any file theirs, whatever its name? */
  holds(id: string, ifname: string): Promise<boolean>
  last(range: number): Promise<string | undefined>
  release(id: string, ifname: string): Promise<void>
  /** False where somebody has it. */
  reserve(id: string, ifname: string, address: string, range: number): Promise<boolean>
}

export async function openHostLocalStore(files: Files, folder: string): Promise<HostLocalStore> {
  await files.makeDirectory(folder)
  const lock = win32.join(folder, 'lock')
  if (!(await files.status(lock))) await files.write(lock, '')
  const holders = async (id: string, ifname: string): Promise<{exact: string[]; old: string[]}> => {
    const wanted = `${id.trim()}\r\n${ifname}`
    const found: {exact: string[]; old: string[]} = {exact: [], old: []}
    for (const name of (await files.list(folder)).sort()) {
      const text = (await files.read(win32.join(folder, name)))?.toString().trim()
      if (text === wanted) found.exact.push(name)
      else if (text === id.trim()) found.old.push(name)
    }

    return found
  }

  return {
    async find(id, ifname) {
      const {exact, old} = await holders(id, ifname)
      return [...exact, ...old].sort().filter((name) => parseAddress(name) !== undefined)
    },
    async holds(id, ifname) {
      const {exact, old} = await holders(id, ifname)
      return exact.length + old.length > 0
    },
    last: async (range) => (await files.read(win32.join(folder, `last_reserved_ip.${range}`)))?.toString(),
    async release(id, ifname) {
      const {exact, old} = await holders(id, ifname)
      for (const name of exact.length > 0 ? exact : old) await files.remove(win32.join(folder, name))
    },
    async reserve(id, ifname, address, range) {
      const path = win32.join(folder, address)
      if (await files.status(path)) return false
      await files.write(path, `${id.trim()}\r\n${ifname}`)
      await files.write(win32.join(folder, `last_reserved_ip.${range}`), address)
      return true
    },
  }
}
