// The memo: what was verified or run already, so that it is not done again. It is kept among the journal's lines, which are
// judged and repaired once; nothing is created or removed by it, and it may be lost: programs are then hashed again, and
// images are run once more, but no daemon is restarted.
import {CONTAINERD, FLANNELD, KUBELET} from '../../config/model.js'
import {parseVersion} from '../../config/version.js'
import {at} from '../../host/document.js'
import type {StepContext, StepId} from '../run/step.js'
import type {Journal} from './journal.js'
import {isBaseImage, isImageId} from '../desired/containers/image.js'
import type {Kind, Things} from './kind.js'

/** Services by the step that writes their configuration. */
const CONFIGURED: Things = new Map([
  [CONTAINERD, 'containerd-config'],
  [FLANNELD, 'net-conf'],
  [KUBELET, 'kubelet-config'],
])

export const configurationRead: Kind = {
  accepts: ({name, read}, step) => CONFIGURED.get(name) === step && typeof read === 'boolean',
  steps: [...CONFIGURED.values()],
}

export const imageProof: Kind = {
  accepts: ({build, digest, id, image}) =>
    typeof build === 'number' && isImageId(id) && isBaseImage(image) && (digest === undefined || isImageId(digest)),
  steps: ['base-images'],
}

export const rootOpened: Kind = {
  accepts: ({over, version}) => isVersion(version) && (over === undefined || isVersion(at(over, 'version'))),
  steps: ['containerd-service'],
}

const isVersion = (text: unknown): boolean => typeof text === 'string' && parseVersion(text) !== undefined

type Entries = Pick<Journal, 'entries'>

export interface VerifiedProgram {
  readonly sha256?: string
  readonly version?: string
}

export const verifiedProgram = (journal: Entries, step: StepId, path: string): VerifiedProgram | undefined =>
  journal.entries(step, 'file').find((entry) => entry.path === path && entry.sha256 !== undefined)

export const isProvenImage = (journal: Entries, image: string, hostBuild: number): boolean =>
  journal.entries('base-images', 'image-proof').some(({build, id}) => id === image && build === hostBuild)

/**
 * Before a file is written that a daemon reads only when it starts. Restoring a changed file is not enough, because the
 * daemon may have read it since, also where the run is killed in between; the mark in the service's environment does not
 * show it, because what is wanted is the same as before. A service that does not exist reads the file when it starts.
 */
export async function noteUnread(
  {host, journal}: Pick<StepContext, 'host' | 'journal'>,
  step: StepId,
  name: string,
): Promise<void> {
  if (await host.services.status(name)) await journal.record(step, {kind: 'configuration-read', name, read: false})
}

export const isUnread = (journal: Entries, step: StepId, service: string): boolean =>
  journal.entries(step, 'configuration-read').find(({name}) => name === service)?.read === false

/** After the daemon was started. */
export async function noteRead(journal: Journal, step: StepId, name: string): Promise<void> {
  if (isUnread(journal, step, name)) await journal.record(step, {kind: 'configuration-read', name, read: true})
}
