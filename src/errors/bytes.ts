// Exit 4: bytes. Nothing of what is meant here is installed.
import {defineError} from './define.js'

export const downloadFailed = defineError<{reason: string; url: string}>('DOWNLOAD_FAILED', 4, {
  cause: (p) => p.reason,
  fix: 'Check that this host can reach the address (the proxy is taken from HTTPS_PROXY and NO_PROXY) and run the same command again.',
  message: (p) => `${p.url} cannot be downloaded`,
})

export const wrongDigest = defineError<{artifact: string; found: string; source: string; url: string; wanted: string}>(
  'WRONG_DIGEST',
  4,
  {
    cause: (p) =>
      isPassed(p.source)
        ? `It has ${p.found}, and ${p.wanted} was passed with --digest. The downloaded file was deleted.`
        : `It has ${p.found}, expected ${p.wanted} (${p.source}). The downloaded file is not the published one; it was deleted.`,
    fix: (p) =>
      isPassed(p.source)
        ? `Correct --digest ${p.artifact}=<sha256|sha512>:<hex>: pass the digest that the publisher of the file lists. Then run the same command again.`
        : `Download it over another network and compare the digests. If another file is intended, give --digest ${p.artifact}=<sha256|sha512>:<hex>.`,
    message: (p) => `${p.url} has the wrong digest`,
  },
)

/** The digest is the user's own. */
const isPassed = (source: string): boolean => source.startsWith('--digest ')

export const noDigest = defineError<{artifact: string; url: string}>('NO_DIGEST', 4, {
  cause:
    'Neither k8s-win nor the publisher has a digest for this version, and k8s-win does not install programs that it cannot verify.',
  fix: (p) =>
    `Check that this version exists. If it does, take its digest from a trusted source and pass --digest ${p.artifact}=sha256:<hex>.`,
  message: (p) => `${p.url} cannot be verified`,
})

export const badArchive = defineError<{archive: string; reason: string}>('BAD_ARCHIVE', 4, {
  cause: (p) => p.reason,
  fix: 'Nothing was installed from it. Pass the intended version, and its digest if k8s-win does not know it.',
  message: (p) => `${p.archive} is not the expected archive`,
})

export const pullFailed = defineError<{image: string; runtime: string; said: string}>('PULL_FAILED', 4, {
  cause: (p) => `${p.runtime} said: ${p.said}`,
  fix: (p) =>
    `Check that ${p.runtime} can reach the registry${p.runtime === 'containerd' ? '' : ` (${p.runtime} has its own proxy setting)`}, or pass a mirror with the same paths to --image-registry.`,
  message: (p) => `The image ${p.image} cannot be pulled`,
})

export const imageMismatch = defineError<{host: string; image: string; imageBuild: string; tag: string}>(
  'IMAGE_MISMATCH',
  4,
  {
    cause: (p) =>
      `This Windows is build ${p.host}, the image is for ${p.imageBuild}; containers run only on the Windows build that they were made for.`,
    fix: (p) => `Use the tag ${p.tag}.`,
    message: (p) => `The image ${p.image} does not run on this host`,
  },
)

export const imageBroken = defineError<{command: string; image: string; runtime: string; said: string}>(
  'IMAGE_BROKEN',
  4,
  {
    cause: (p) => `${p.runtime} said: ${p.said}`,
    fix: (p) =>
      `Run "${p.command}" to reproduce the failure. Remove the image and run the same command again to pull it again.`,
    message: (p) => `A container of ${p.image} does not run on this host`,
  },
)

export const dockerFailed = defineError<{operation: string; said: string}>('DOCKER_FAILED', 4, {
  cause: (p) => `Docker said: ${p.said}`,
  fix: 'Check that the Docker service is running and that its disk has free space, then run the same command again.',
  message: (p) => `Docker could not ${p.operation}`,
})

export const pullCancelled = defineError<{image: string; said: string}>('PULL_CANCELLED', 4, {
  cause: (p) =>
    `containerd cancels a pull that makes no progress, which can also happen while it unpacks a large layer. containerd said: ${p.said}`,
  fix: 'Run the same command again: layers that are already downloaded are kept. If it happens again, check the speed of the disk, and exclude the folder of containerd from the antivirus program.',
  message: (p) => `containerd cancelled the pull of ${p.image}`,
})

export const noSpaceForImage = defineError<{image: string; said: string}>('NO_SPACE_FOR_IMAGE', 4, {
  cause: (p) => `containerd said: ${p.said}`,
  fix: 'Free up space on the drive of containerd (several gigabytes per Windows image) and run the same command again: layers that are already downloaded are kept.',
  message: (p) => `There is not enough disk space to unpack the image ${p.image}`,
})

export const containerdFailed = defineError<{operation: string; said: string}>('CONTAINERD_FAILED', 4, {
  cause: (p) => `containerd said: ${p.said}`,
  fix: 'Check that the service containerd is running and that its disk has free space (run "k8s-win logs containerd"), then run the same command again.',
  message: (p) => `containerd could not ${p.operation}`,
})
