// What makes a fresh simulated host.
import type {Files} from '../../machine/files.js'
import type {World} from '../world.js'

export interface Profile {
  /** What is on drive C of a fresh host. The kubeconfig that is there already stays. */
  fillDrive(files: Files, world: World): Promise<void>
  makeWorld(now: number): World
}
