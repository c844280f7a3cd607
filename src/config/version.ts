// Versions of Kubernetes and flannel: three numbers and perhaps a suffix.

export interface Version {
  readonly major: number
  readonly minor: number
  readonly patch: number
  /** As it stands in URLs, without "v". */
  readonly text: string
}

/** The minor versions of Kubernetes 1 that setup accepts. */
export const OLDEST_MINOR = 21
export const NEWEST_MINOR = 36
/** Known from the sources of a release candidate only: set up where it is asked for, and never chosen. */
export const PREVIEW_MINOR = 37
export const PREVIEW_SOURCE = 'v1.37.0-rc.1'
/** The last minor whose kubelet speaks to Docker. */
export const DOCKER_MINOR = 23

/** With or without "v"; a suffix such as -flannel3 is kept in the text. */
export function parseVersion(text: string): Version | undefined {
  const match = /^v?((\d{1,4})\.(\d{1,4})\.(\d{1,4})(?:-[\da-z][\da-z.-]*)?)$/i.exec(text)
  if (!match) return undefined
  return {major: Number(match[2]), minor: Number(match[3]), patch: Number(match[4]), text: String(match[1])}
}

export function isBelow(version: Version, major: number, minor: number, patch = 0): boolean {
  return (version.major - major || version.minor - minor || version.patch - patch) < 0
}

export const isOlder = (version: Version, {major, minor, patch}: Version): boolean =>
  isBelow(version, major, minor, patch)

/** How many minors a kubelet and kube-proxy may be older than the API server (kubernetes.io, version skew policy). */
export function olderMinors(minor: number): number {
  return minor < 25 ? 2 : 3
}
