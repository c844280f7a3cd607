// The container runtime of a node, Docker or containerd: what steps, health and reset ask of either.
import type {RuntimeName} from '../config/model.js'

export interface ImageInfo {
  /** Of the manifest it was pulled by, sha256:...; empty for one that was built here or loaded from a file. */
  readonly digest: string
  readonly id: string
  readonly labels: Readonly<Record<string, string>>
  /** "10.0.17763.2237" for a Windows image. */
  readonly osVersion: string
  readonly tags: readonly string[]
}

export interface PullProgress {
  /** Downloaded so far; of a pull that is extracting, extracted. */
  readonly bytes?: number
  readonly extracting: boolean
  /** Undefined until the size of every layer is known. */
  readonly total?: number
}

export interface ContainerRun {
  readonly exitCode: number
  /** What it printed, or why it could not be started. */
  readonly output: string
}

export interface ContainerRuntime {
  /** Undefined where the image does not exist. */
  image(reference: string): Promise<ImageInfo | undefined>
  readonly name: RuntimeName
  /** What the kubelet's pods have here: their containers, and the names (namespace/name) of those that run. */
  pods(): Promise<{readonly containers: number; readonly running: readonly string[]}>
  pull(reference: string, onProgress: (progress: PullProgress) => void, signal: AbortSignal): Promise<void>
  /** Undefined, or who keeps it from being removed, in the runtime's words. */
  removeImage(reference: string): Promise<string | undefined>
  /** Removes the containers of the kubelet's pods, and returns how many there were. */
  removePods(): Promise<number>
  /** Containers of `runOnce` that a run which died left behind. */
  removeProbes(): Promise<void>
  removeTag(reference: string): Promise<void>
  /** Runs a container until it ends, and removes it. A container that cannot start is an answer, not an error. */
  runOnce(reference: string, command: readonly string[], signal: AbortSignal): Promise<ContainerRun>
  /** Gives the image another name, which may have belonged to another image before. */
  tag(reference: string, as: string): Promise<void>
  /** `os`: "windows" or "linux", which containers it runs. */
  version(): Promise<{readonly os: string; readonly version: string}>
}

/**
 * What a runtime says of a pull that may succeed the next time (docker/actions-toolkit#1289, moby#51335; containerd
 * core/remotes/errors/errors.go): Go's own words, in English everywhere. Of layers Docker itself has tried each five
 * times before it says so.
 * A broken connection is known by the call that failed: the sentence after its name is Windows', which Go takes in the
 * host's language where Windows has no English one (Errno.Error in Go's syscall_windows.go).
 */
const PASSING =
  /TLS handshake timeout|i\/o timeout|Client\.Timeout|context deadline exceeded|connection reset|\bwsa(?:recv|send): |unexpected EOF|: EOF\b|server misbehaving|unexpected (?:HTTP status|status from \w+ request to \S+|status code \S+): (?:429|5\d\d)\b/i

export const isPassing = (said: string): boolean => PASSING.test(said)

/** No image of a list is for this build of Windows: moby distribution/pull_v2.go, containerd core/images/image.go. */
export const hasNoVariant = (said: string): boolean =>
  /no matching manifest|no match for platform in manifest/.test(said)

/** The registry answered that it has no such image: containerd core/remotes/docker/resolver.go, moby distribution/errors.go. */
export const isMissing = (said: string): boolean => /code = NotFound|: not found$|: manifest unknown/.test(said)

/** Of the repository of the reference, or the first one: an image may have been pulled from several. */
export function digestOf(reference: string, digests: readonly string[]): string {
  const repository = (reference.split('@', 1)[0] ?? '').replace(/:[^/:]*$/, '')
  const own = digests.find((digest) => digest.startsWith(`${repository}@`)) ?? digests[0]
  return own?.slice(own.indexOf('@') + 1) ?? ''
}

/** The runtime as messages call it. */
export const RUNTIME_TITLES: Readonly<Record<RuntimeName, string>> = {containerd: 'containerd', docker: 'Docker'}
