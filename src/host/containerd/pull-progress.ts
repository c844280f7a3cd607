// The progress of a pull, of which the CRI reports nothing until the image is there: from ctr, which lists the transfers
// under way and what is in the content store.
import {K8sWinError} from '../../errors/k8s-win-error.js'
import {containerdAbsent} from '../../errors/host.js'
import type {Clock} from '../../machine/clock.js'
import {at, listAt, parseJson, textAt} from '../document.js'
import type {PullProgress} from '../runtime.js'
import type {Programs} from './programs.js'

const EVERY_MS = 5000
const FIRST_MS = 1000
const CTR_MS = 10_000
const UNITS = ['', 'k', 'M', 'G', 'T', 'P']

export interface PullWatch {
  readonly clock: Clock
  readonly ctr: Programs['ctr']
  readonly onProgress: (progress: PullProgress) => void
  readonly reference: string
  readonly signal: AbortSignal
}

/** Reports progress while the pull lasts. A failure of ctr does not stop the pull. */
export async function withProgress<T>(watch: PullWatch, pull: () => Promise<T>): Promise<T> {
  const over = new AbortController()
  const signal = AbortSignal.any([over.signal, watch.signal])
  const watching = follow({...watch, signal}).catch(() => undefined)
  try {
    return await pull()
  } finally {
    over.abort()
    await watching
  }
}

async function follow(watch: PullWatch): Promise<void> {
  const layers = new Layers()
  for (let pause = FIRST_MS; ; pause = EVERY_MS) {
    await watch.clock.sleep(pause, watch.signal)
    const printed = await ask(watch, 'active')
    if (printed === undefined) continue
    const active = activeLayers(printed)
    if (active.size > 0 && !layers.areKnown) await learn(watch, layers, active)
    else if (layers.areMissing(active)) layers.complete(((await ask(watch, 'ls', '-q')) ?? '').split(/\s+/))
    const progress = layers.add(active)
    if (progress && !watch.signal.aborted) watch.onProgress(progress)
  }
}

/** What `ctr content` prints; undefined where it fails. Rejects where there is no ctr. */
async function ask({ctr, signal}: PullWatch, ...args: readonly string[]): Promise<string | undefined> {
  const options = {deadlineMs: CTR_MS, effect: 'read', operation: 'report the progress of a pull', signal} as const
  try {
    const {exitCode, stdout} = await ctr(['content', ...args], options)
    return exitCode === 0 ? stdout : undefined
  } catch (error) {
    if (error instanceof K8sWinError && !containerdAbsent.is(error)) return undefined
    throw error
  }
}

/** cmd/ctr/commands/content, activeIngestCommand: REF, SIZE and AGE; keys are those of core/remotes, MakeRefKey. */
function activeLayers(printed: string): Map<string, number> {
  const rows = printed.matchAll(/^layer-(?:\S+@)?(sha256:[\da-f]{64})\s+([\d.]+)([kMGTP]?)B\s/gm)
  return new Map(
    [...rows].map(([, digest = '', size, unit = '']) => [digest, Number(size) * 1000 ** UNITS.indexOf(unit)]),
  )
}

/**
 * Finds the manifest by its labels: the repository it came from (core/remotes/docker, AppendDistributionSourceLabel), and
 * its layers (core/images, ChildGCLabels), of which one is active. Images are pulled side by side.
 */
async function learn(watch: PullWatch, layers: Layers, active: ReadonlyMap<string, number>): Promise<void> {
  const [name = ''] = watch.reference.split('@', 1)
  const [, host = '', path = ''] = /^([^/:]+)(?::[^/]*)?\/(.+)$/.exec(name) ?? []
  const repository = path.replace(/:[^/:]+$/, '')
  const rows = ((await ask(watch, 'ls')) ?? '').split('\n').map((line) => line.trimEnd().split(/\s+/))
  for (const row of rows) {
    const [digest = '', labels = ''] = [row[0], row.at(-1)]
    const named = [...labels.matchAll(/containerd\.io\/gc\.ref\.content\.l\.\d+=(sha256:[\da-f]{64})/g)]
    const children = named.map(([, child = '']) => child)
    if (!children.some((child) => active.has(child))) continue
    const source = `containerd.io/distribution.source.${host}=`
    // Of several repositories the values are joined by commas, as the labels are.
    const isOwn = labels.includes(source) && labels.slice(labels.indexOf(source)).split(/[=,]/).includes(repository)
    if (!isOwn) layers.ignore(children)
    else
      layers.learn(
        parseJson((await ask(watch, 'get', digest)) ?? ''),
        rows.map(([one = '']) => one),
      )
  }
}

/** The layers of one image, as far as they are known. */
class Layers {
  areKnown = false
  readonly #bytes = new Map<string, number>()
  #hasBegun = false
  readonly #others = new Set<string>()
  readonly #sizes = new Map<string, number>()

  /** Undefined until something is active. */
  add(all: ReadonlyMap<string, number>): PullProgress | undefined {
    const isOwn = (digest: string): boolean => (this.areKnown ? this.#sizes.has(digest) : !this.#others.has(digest))
    const active = new Map([...all].filter(([digest]) => isOwn(digest)))
    for (const digest of this.#bytes.keys()) {
      // One that was active, and is no more, is complete.
      if (!active.has(digest)) this.#note(digest, this.#sizes.get(digest) ?? 0)
    }
    for (const [digest, bytes] of active) this.#note(digest, bytes)
    this.#hasBegun ||= active.size > 0
    if (!this.#hasBegun) return undefined
    if (active.size === 0) return {extracting: true}
    const sum = (values: Iterable<number>): number => [...values].reduce((total, bytes) => total + bytes, 0)
    const counted = [...this.#bytes].filter(([digest]) => isOwn(digest))
    const bytes = sum(counted.map(([, one]) => one))
    return {bytes, extracting: false, ...(this.areKnown && {total: Math.max(bytes, sum(this.#sizes.values()))})}
  }

  /** Whether a layer may have begun and finished between two polls: others are active, it was neither active nor stored. */
  areMissing(active: ReadonlyMap<string, number>): boolean {
    const digests = [...this.#sizes.keys()]
    const isMissing = (digest: string): boolean => !active.has(digest) && !this.#bytes.has(digest)
    return digests.some((digest) => active.has(digest)) && digests.some(isMissing)
  }

  /** `stored`: what is in the content store, of this image and of others. */
  complete(stored: readonly string[]): void {
    for (const digest of stored) {
      const size = this.#sizes.get(digest)
      if (size !== undefined) this.#bytes.set(digest, size)
    }
  }

  ignore(digests: readonly string[]): void {
    for (const digest of digests) this.#others.add(digest)
  }

  /** `stored`: what was there before. */
  learn(manifest: unknown, stored: readonly string[]): void {
    for (const layer of listAt(manifest, 'layers')) {
      const [digest, size] = [textAt(layer, 'digest'), Number(at(layer, 'size')) || 0]
      this.#sizes.set(digest, size)
    }
    this.complete(stored)
    this.areKnown = this.#sizes.size > 0
  }

  /** What ctr prints is rounded: never backwards, and never more than there is. */
  #note(digest: string, bytes: number): void {
    const most = this.#sizes.get(digest) ?? Infinity
    this.#bytes.set(digest, Math.min(most, Math.max(this.#bytes.get(digest) ?? 0, bytes)))
  }
}
