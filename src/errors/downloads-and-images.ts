// Exit 4: bytes. Nothing of what is meant here is installed.
import {defineError, defineTransientError} from './define.js'

export const downloadFailed = defineTransientError('DOWNLOAD_FAILED', 4, {
  cause: '{reason}',
  fix: 'Check that this host can reach the address (the proxy is taken from HTTPS_PROXY and NO_PROXY) and run the same command again.',
  message: '{url} cannot be downloaded',
})

export const wrongDigest = defineError('WRONG_DIGEST', 4, {
  cause: (p: {found: string; source: string; wanted: string}) =>
    isPassed(p.source)
      ? `It has ${p.found}, and ${p.wanted} was passed with --digest. The downloaded file was deleted.`
      : `It has ${p.found}, expected ${p.wanted} (${p.source}). The downloaded file is not the published one; it was deleted.`,
  fix: (p: {artifact: string; source: string}) =>
    isPassed(p.source)
      ? `Correct --digest ${p.artifact}=<sha256|sha512>:<hex>: pass the digest that the publisher of the file lists. Then run the same command again.`
      : `Download it over another network and compare the digests. If another file is intended, give --digest ${p.artifact}=<sha256|sha512>:<hex>.`,
  message: '{url} has the wrong digest',
})

/** The digest is the user's own. */
const isPassed = (source: string): boolean => source.startsWith('--digest ')

export const noDigest = defineError('NO_DIGEST', 4, {
  cause:
    'Neither k8s-win nor the publisher has a digest for this version, and k8s-win does not install programs that it cannot verify.',
  fix: 'Check that this version exists. If it does, take its digest from a trusted source and pass --digest {artifact}=sha256:<hex>.',
  message: '{url} cannot be verified',
})

export const badArchive = defineError('BAD_ARCHIVE', 4, {
  cause: '{reason}',
  fix: 'Nothing was installed from it. Pass the intended version, and its digest if k8s-win does not know it.',
  message: '{archive} is not the expected archive',
})

const PROXY_HINT: Readonly<Record<string, string>> = {Docker: ' (Docker has its own proxy setting)'}

export const pullFailed = defineTransientError('PULL_FAILED', 4, {
  cause: '{runtime} said: {said}',
  fix: (p: {runtime: string}) =>
    `Check that ${p.runtime} can reach the registry${PROXY_HINT[p.runtime] ?? ''}, or pass a mirror with the same paths to --image-registry.`,
  message: 'The image {image} cannot be pulled',
})

export const imageMismatch = defineError('IMAGE_MISMATCH', 4, {
  cause:
    'This Windows is build {host}, the image is for {imageBuild}; containers run only on the Windows build that they were made for.',
  fix: 'Use the tag {tag}.',
  message: 'The image {image} does not run on this host',
})

export const imageBroken = defineTransientError('IMAGE_BROKEN', 4, {
  cause: '{runtime} said: {said}',
  fix: 'Run "{command}" to reproduce the failure. Remove the image and run the same command again to pull it again.',
  message: 'A container of {image} does not run on this host',
})

export const dockerFailed = defineTransientError('DOCKER_FAILED', 4, {
  cause: 'Docker said: {said}',
  fix: 'Check that the Docker service is running and that its disk has free space, then run the same command again.',
  message: 'Docker could not {operation}',
})

export const pullCancelled = defineTransientError('PULL_CANCELLED', 4, {
  cause:
    'containerd cancels a pull that makes no progress, which can also happen while it unpacks a large layer. containerd said: {said}',
  fix: 'Run the same command again: layers that are already downloaded are kept. If it happens again, check the speed of the disk, and exclude the folder of containerd from the antivirus program.',
  message: 'containerd cancelled the pull of {image}',
})

export const noSpaceForImage = defineError('NO_SPACE_FOR_IMAGE', 4, {
  cause: 'containerd said: {said}',
  fix: 'Free up space on the drive of containerd (several gigabytes per Windows image) and run the same command again: layers that are already downloaded are kept.',
  message: 'There is not enough disk space to unpack the image {image}',
})

export const containerdFailed = defineTransientError('CONTAINERD_FAILED', 4, {
  cause: 'containerd said: {said}',
  fix: 'Check that the service containerd is running and that its disk has free space (run "k8s-win logs containerd"), then run the same command again.',
  message: 'containerd could not {operation}',
})
