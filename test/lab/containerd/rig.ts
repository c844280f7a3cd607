// What a case of the containerd suite stands on: a daemon with a registry, real or simulated, behind k8s-win's adapter.
import type {ContainerdSettings} from '../../../src/components/containerd.js'
import type {Containerd} from '../../../src/host/containerd/containerd.js'
import type {Clock} from '../../../src/machine/clock.js'

export const BASE_DIR = String.raw`C:\k`
/** The version that the recordings are of. */
export const SETTINGS: ContainerdSettings = {
  baseDir: BASE_DIR,
  sandboxImage: 'registry.example/pause:3.10.2',
  version: {major: 1, minor: 7, patch: 24, text: '1.7.24'},
}
/** Of the image `base`, and of the one in the archive. */
export const OS_VERSION = '10.0.17763.2237'
/** On the machine, with an image of this name, which stands for the sandbox image. */
export const ARCHIVE = {file: String.raw`C:\k\archive.tar`, image: SETTINGS.sandboxImage}

/** What a case wants around it; without a wish everything is well. */
export interface Surroundings {
  /** `slow`: pulls begin and do not end within the case's patience. The others as their names say. */
  readonly registry?: 'corrupt' | 'cut' | 'cut-once' | 'slow' | 'unreachable'
}

export interface ContainerdRig {
  /** Of the machine that the daemon is on: a wait takes time of that machine. */
  readonly clock: Clock
  close(): Promise<void>
  readonly containerd: Containerd
  /** In the registry, not in the daemon. `foreign` is there for other systems only; `missing` is not there. */
  readonly images: {
    readonly base: string
    readonly foreign: string
    readonly missing: string
    readonly other: string
  }
  startDaemon(): Promise<void>
  stopDaemon(how?: 'crash'): Promise<void>
  /** Resolves when a pull that was begun loads a layer. */
  untilLoading(): Promise<void>
  /** Writes a file of the node, and its folder. */
  write(path: string, content: string): Promise<void>
}

export interface ContainerdLab {
  open(surroundings: Surroundings): Promise<ContainerdRig>
}

export interface ContainerdCase {
  readonly name: string
  run(rig: ContainerdRig): Promise<void>
  readonly surroundings?: Surroundings
}

const NEVER = new AbortController().signal

export const pull = ({containerd, images}: ContainerdRig, reference = images.base): Promise<void> =>
  containerd.pull(reference, () => {}, NEVER)

export const tags = async ({containerd}: ContainerdRig): Promise<string[]> =>
  (await containerd.images()).flatMap((image) => image.tags).sort()
