// Images of containerd: read, pulled and removed through the CRI, which knows no tags: those are ctr's.
import {containerdFailed} from '../../errors/downloads-and-images.js'
import type {Clock} from '../../machine/clock.js'
import type {RunResult} from '../../machine/run.js'
import {at, listAt, textAt, textsAt} from '../document.js'
import {type ContainerRuntime, digestOf, type ImageInfo} from '../runtime.js'
import {waitFor} from '../wait.js'
import {lastWords, pullFailure} from './failure.js'
import {demand, documentOf, type Programs} from './programs.js'
import {withProgress} from './pull-progress.js'

export interface Images extends Pick<ContainerRuntime, 'image' | 'pull' | 'removeImage' | 'removeTag' | 'tag'> {
  /** Every image that the kubelet can use. */
  images(): Promise<readonly Pick<ImageInfo, 'digest' | 'id' | 'tags'>[]>
  /** Removes every image that the kubelet can use, with its snapshots, and returns how many there were. */
  removeImages(): Promise<number>
}

const PULL_MS = 60 * 60_000
const REMOVE_MS = 10 * 60_000
/** The CRI learns of ctr's changes through events (containerd internal/cri/server/events.go), a moment later. */
const EVENTS = {deadlineMs: 30_000, everyMs: 500}
/** crictl says so with exit code 1, as of any failure (cri-tools cmd/crictl/image.go, imageStatusCommand). */
const NO_SUCH_IMAGE = /^no such image /

export function openImages({crictl, ctr, query}: Programs, clock: Clock): Images {
  const image = async (reference: string): Promise<ImageInfo | undefined> => {
    const operation = `inspect ${reference}`
    const result = await crictl(['inspecti', '-o', 'json', reference], {effect: 'read', operation})
    if (result.exitCode !== 0 && NO_SUCH_IMAGE.test(lastWords(result))) return undefined
    const answer = documentOf(result, operation)
    const id = textAt(answer, 'status', 'id')
    if (id === '') throw containerdFailed({operation, said: 'an image without an id'})
    const spec = at(answer, 'info', 'imageSpec')
    return {
      digest: digestOf(reference, texts(answer, 'status', 'repoDigests')),
      id,
      labels: textsAt(spec, 'config', 'Labels'),
      osVersion: textAt(spec, 'os.version'),
      tags: texts(answer, 'status', 'repoTags'),
    }
  }

  const all = async (): Promise<readonly unknown[]> => listAt(await query('list images', ['images']), 'images')

  const removeTag = async (reference: string): Promise<void> => {
    const operation = `remove the tag ${reference}`
    // A name that does not exist is not a failure for ctr.
    demand(await ctr(['images', 'rm', reference], {effect: 'change', operation}), operation)
    const gone = await waitFor(clock, EVENTS, async () => ((await image(reference)) ? undefined : true))
    if (!gone) throw containerdFailed({operation, said: 'nothing, but the tag still exists'})
  }

  /** Those that have a container of it, also a stopped one; the CRI itself would remove the image under them. */
  const usersOf = async (id: string): Promise<string[]> => {
    return listAt(await query('list containers', ['ps', '-a']), 'containers')
      .filter((container) => textAt(container, 'imageRef') === id)
      .map((container) => textAt(container, 'metadata', 'name') || textAt(container, 'id'))
  }

  return {
    image,
    async images() {
      return (await all()).map((one) => ({
        digest: digestOf('', texts(one, 'repoDigests')),
        id: textAt(one, 'id'),
        tags: texts(one, 'repoTags'),
      }))
    },
    async pull(reference, onProgress, signal) {
      const options = {deadlineMs: PULL_MS, effect: 'change', operation: `pull ${reference}`, signal} as const
      // Ending crictl ends its call, and containerd then cancels the pull.
      const pull = (): Promise<RunResult> => crictl(['pull', reference], options)
      const result = await withProgress({clock, ctr, onProgress, reference, signal}, pull)
      if (result.exitCode !== 0) throw pullFailure(reference, lastWords(result))
    },
    async removeImage(reference) {
      const found = await image(reference)
      if (!found) return undefined
      // The CRI removes an image with all its names (internal/cri/server/images/image_remove.go), which an ID means too;
      // by one of them, the others stay.
      const isOneName = reference !== found.id && found.tags.some((tag) => tag !== reference)
      if (isOneName) return removeTag(reference).then(() => undefined)
      const users = await usersOf(found.id)
      if (users.length > 0) return `containers use it: ${users.join(', ')}`
      const operation = `remove the image ${reference}`
      const result = await crictl(['rmi', reference], {deadlineMs: REMOVE_MS, effect: 'change', operation})
      if (result.exitCode !== 0 && !NO_SUCH_IMAGE.test(lastWords(result))) demand(result, operation)
      return undefined
    },
    async removeImages() {
      const operation = 'remove the images of pods'
      const count = (await all()).length
      // The CRI waits until what nothing else uses is collected (internal/cri/server/images/image_remove.go, SynchronousDelete).
      const options = {deadlineMs: REMOVE_MS, effect: 'change', operation} as const
      if (count > 0) demand(await crictl(['rmi', '--all'], options), operation)
      return count
    },
    removeTag,
    async tag(reference, as) {
      const operation = `tag ${reference} as ${as}`
      demand(await ctr(['images', 'tag', '--force', reference, as], {effect: 'change', operation}), operation)
      const id = (await image(reference))?.id
      const seen = await waitFor(clock, EVENTS, async () => ((await image(as))?.id === id ? true : undefined))
      if (!seen) throw containerdFailed({operation, said: 'nothing, but the tag is not there'})
    },
  }
}

const texts = (value: unknown, ...path: readonly string[]): string[] =>
  listAt(value, ...path).filter((one) => typeof one === 'string')
