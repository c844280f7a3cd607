// Exit 4: bytes. Nothing of what is meant here is installed.
import {defineError} from './define.js'

export const downloadFailed = defineError<{reason: string; url: string}>('DOWNLOAD_FAILED', 4, {
  cause: (p) => p.reason,
  fix: 'See whether this host reaches the address (a proxy is taken from HTTPS_PROXY and NO_PROXY) and run the same command again.',
  message: (p) => `${p.url} could not be downloaded`,
})

export const wrongDigest = defineError<{artifact: string; found: string; source: string; url: string; wanted: string}>(
  'WRONG_DIGEST',
  4,
  {
    cause: (p) =>
      `It has ${p.found}, but ${p.wanted} is wanted (${p.source}). What came is not what was published; it was thrown away.`,
    fix: (p) =>
      `Download it by another way and compare. If you meant another file, give --digest ${p.artifact}=<sha256|sha512>:<hex>.`,
    message: (p) => `${p.url} is not what it should be`,
  },
)

export const noDigest = defineError<{artifact: string; url: string}>('NO_DIGEST', 4, {
  cause:
    'Neither our catalogue nor its publisher has a digest for this version, and k8s-win installs no program that it cannot verify.',
  fix: (p) => `Take the digest from a source you trust and give --digest ${p.artifact}=sha256:<hex>.`,
  message: (p) => `${p.url} cannot be verified`,
})

export const badArchive = defineError<{archive: string; reason: string}>('BAD_ARCHIVE', 4, {
  cause: (p) => p.reason,
  fix: 'Nothing of it was installed. Give the version that you mean, and its digest if it is not in the catalogue.',
  message: (p) => `${p.archive} is not the archive it should be`,
})

export const pullFailed = defineError<{image: string; said: string}>('PULL_FAILED', 4, {
  cause: (p) => `Docker said: ${p.said}`,
  fix: "See whether Docker reaches the registry (its proxy is Docker's own setting) or give --image-registry a mirror with the same paths.",
  message: (p) => `The image ${p.image} could not be pulled`,
})

export const imageMismatch = defineError<{host: string; image: string; imageBuild: string; tag: string}>(
  'IMAGE_MISMATCH',
  4,
  {
    cause: (p) =>
      `This Windows is build ${p.host}, the image is for ${p.imageBuild}; containers run only on the build they were made for.`,
    fix: (p) => `Use the tag ${p.tag}.`,
    message: (p) => `The image ${p.image} does not run on this host`,
  },
)

export const imageBroken = defineError<{image: string; said: string}>('IMAGE_BROKEN', 4, {
  cause: (p) => `Docker said: ${p.said}`,
  fix: (p) =>
    `Run "docker run --rm ${p.image} cmd /c ver" to see the same; remove the image and run the same command again to pull it anew.`,
  message: (p) => `A container of ${p.image} does not run on this host`,
})

export const dockerFailed = defineError<{operation: string; said: string}>('DOCKER_FAILED', 4, {
  cause: (p) => `Docker said: ${p.said}`,
  fix: 'See that the Docker service runs and its disk has room, and run the same command again.',
  message: (p) => `Docker could not ${p.operation}`,
})
