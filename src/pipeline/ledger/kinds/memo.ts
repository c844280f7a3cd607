// The memo: what was proven already, so that it is not proven again. Nothing is created or removed by it, and it may be
// lost: then images are run once more, and daemons are restarted where it is not known what they have read.
import {FLANNELD} from '../../../components/flanneld.js'
import {KUBELET} from '../../../components/kubelet.js'
import {isBaseImage, isImageId} from './image.js'
import type {Kind, Things} from './kind.js'

export type MemoEntry =
  /** False before a file is replaced that this daemon reads at its start only, true when it was started since. */
  | {readonly kind: 'configuration-read'; readonly name: string; readonly read: boolean}
  | {
      readonly build: number
      /** What its tag meant when it was pulled: a registry may give the tag to another image. */
      readonly digest?: string
      readonly id: string
      readonly image: string
      readonly kind: 'image-proof'
    }

/** Services by the step that writes what they read. */
const CONFIGURED: Things = new Map([
  [FLANNELD, 'net-conf'],
  [KUBELET, 'kubelet-config'],
])

export const configurationRead: Kind = {
  accepts: ({name, read}, step) => CONFIGURED.get(name) === step && typeof read === 'boolean',
  names: 'name',
  steps: [...CONFIGURED.values()],
}

export const imageProof: Kind = {
  accepts: ({build, digest, id, image}) =>
    typeof build === 'number' && isImageId(id) && isBaseImage(image) && (digest === undefined || isImageId(digest)),
  names: 'image',
  steps: ['base-images'],
}
