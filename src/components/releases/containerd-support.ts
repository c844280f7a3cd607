// What speaks against a containerd: Kubernetes is not tested with it, it is past its end of life, or it lacks a fix.
import {PREVIEW_MINOR, isBelow, isOlder, parseVersion, type Version} from '../../config/version.js'
import {endedContainerd} from './end-of-life.js'

/**
 * The first patches that each minor of Kubernetes is tested with, oldest first (the file RELEASES of containerd/containerd at
 * 301026e, "Kubernetes Support"). It has no rows below 1.32, and none for 1.37 yet, which is judged as 1.36.
 */
const TESTED: Readonly<Record<number, readonly string[]>> = {
  32: ['1.6.36', '1.7.24', '2.0.1', '2.1.0'],
  33: ['1.6.36', '1.7.24', '2.0.4', '2.1.0'],
  34: ['1.6.39', '1.7.28', '2.0.6', '2.1.3'],
  35: ['1.7.28', '2.1.5', '2.2.0'],
  36: ['2.2.0', '2.3.0'],
  [PREVIEW_MINOR]: ['2.2.0', '2.3.0'],
}

export function containerdWarnings(containerd: Version, release: Version, now: number): string[] {
  const ended = endedContainerd(containerd, now)
  const tested = TESTED[release.minor] ?? []
  return [
    ...(isTested(containerd, tested)
      ? []
      : [`Kubernetes 1.${release.minor} is tested with containerd ${tested.map((first) => `${first}+`).join(', ')}`]),
    ...(ended === undefined ? [] : [`upstream support of ${containerd.major}.${containerd.minor} ended on ${ended}`]),
    // One snapshot that cannot be removed stopped the whole collection of garbage (containerd#9465; kubernetes#116020).
    ...(isBelow(containerd, 1, 7, 11)
      ? ['it can fill the disk with snapshots that it does not remove, which 1.7.11 fixes']
      : []),
  ]
}

/** From the first patch of its branch on, or newer than all that are listed. */
function isTested(containerd: Version, tested: readonly string[]): boolean {
  const firsts = tested.flatMap((text) => parseVersion(text) ?? [])
  const own = firsts.find(({major, minor}) => major === containerd.major && minor === containerd.minor)
  const first = own ?? firsts.at(-1)
  return first === undefined || !isOlder(containerd, first)
}
