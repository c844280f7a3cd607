// The releases that this k8s-win knows, and which of them run on this Windows.
import {kubernetesDigests} from '../artifacts/digests.js'
import type {KnownRelease} from '../config/choose-release.js'
import {parseVersion} from '../config/version.js'
import {releaseProblem} from '../components/releases/windows-support.js'

/** Oldest first. Of an unknown build nothing is ruled out: its check refuses it. */
export async function knownReleases(build = 0): Promise<readonly KnownRelease[]> {
  return Object.keys(await kubernetesDigests()).flatMap((text) => {
    const release = parseVersion(text)
    return release ? {...release, runsHere: releaseProblem(release, build) === undefined} : []
  })
}
