// Something that goes wrong on a node after it was set up.
import {removeSecurity} from '../../../src/simulator/drive-security.js'
import type {World} from '../../../src/simulator/world.js'
import type {HostFolder} from '../host-folder.js'

export interface Drift {
  /** Its repair makes something equal, not the same: the next free address. */
  readonly another?: true
  make(host: HostFolder): void
  readonly name: string
}

export const inWorld = (name: string, change: (world: World) => void): Drift => ({
  make: (host) => host.edit(change),
  name,
})

/** Paths are below C:\. Windows keeps no access list of what is gone. */
export const fileGone = (path: string): Drift => ({
  make(host) {
    host.remove(path)
    host.edit(({security}) => removeSecurity(security, `C:\\${path}`))
  },
  name: `C:\\${path} is gone`,
})

export const fileChanged = (path: string, content = 'something else'): Drift => ({
  make: (host) => host.put(path, content),
  name: `C:\\${path} has different content`,
})
