// The image commands of crictl (cri-tools cmd/crictl/image.go; containerd internal/cri/server/images).
import {fullName, imagesIn, removeImage, resolveImage} from '../containerd/images.js'
import {pullImage} from '../containerd/pull.js'
import {RpcError} from '../containerd/cri-endpoint.js'
import type {ContainerdImage} from '../containerd/state.js'
import {sha256} from '../docker/registry.js'
import {type Call, demandJson, Failure, prettyJson} from './go-program.js'

/** The default command of a Windows base image. */
const SHELL = String.raw`c:\windows\system32\cmd.exe`

/** ParseImageReferences: names are shown completed. */
export const listedImage = ({digests, id, pinned = false, size, tags}: ContainerdImage) => ({
  id,
  repoTags: tags.map(fullName),
  repoDigests: digests,
  size: String(size),
  username: '',
  pinned,
})

export function listImages({flags, printer, stage}: Call): void {
  demandJson(flags)
  printer.write(prettyJson({images: imagesIn(stage.world).map(listedImage)}))
}

export function inspectImages({flags, printer, rest: [reference = ''], stage}: Call): void {
  demandJson(flags, 'json')
  const image = resolveImage(stage.world, reference)
  if (!image) throw new Failure(`no such image ${JSON.stringify(reference)} present`)
  printer.write(prettyJson({info: verboseInfo(image), status: listedImage(image)}))
}

/** toCRIImageInfo: the configuration of the image, "os.version" included (opencontainers/image-spec, Platform). */
export function verboseInfo({id, labels, osVersion}: ContainerdImage) {
  const layer = `sha256:${sha256(`files ${id}`)}`
  return {
    chainID: layer,
    imageSpec: {
      architecture: 'amd64',
      config: {Cmd: [SHELL], ...(labels && {Labels: labels})},
      os: 'windows',
      ...(osVersion !== '' && {'os.version': osVersion}),
      rootfs: {diff_ids: [layer], type: 'layers'},
    },
  }
}

export async function pull({printer, rest, stage}: Call): Promise<void> {
  const [reference = ''] = rest
  if (reference === '') throw new Failure('image name cannot be empty')
  try {
    printer.write(`Image is up to date for ${await pullImage(stage, reference)}\n`)
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    printer.klog('remote_image.go:250', 'PullImage from image service failed', {err: error.text, image: reference})
    // cri-client turns an unknown error into its message alone.
    throw new Failure(`pulling image: ${error.code === 'Unknown' ? error.message : error.text}`)
  }
}

/** An image goes with all its names. */
export function removeImages({flags, printer, rest, stage}: Call): void {
  const {world} = stage
  const ids = flags.has('all') ? imagesIn(world).map(({id}) => id) : rest
  if (ids.length === 0) return printer.log('info', 'No images to remove')
  const problems: string[] = []
  for (const reference of ids) {
    const image = resolveImage(world, reference)
    if (!image) {
      problems.push(`no such image ${reference}`)
      continue
    }

    const tags = image.tags.map(fullName)
    if (tags.length > 1 && !reference.startsWith('sha256:') && /[:/]/.test(reference)) {
      const warning = 'has multiple tags. Removing this image will delete all of the following tags:'
      printer.log('warning', `Image ${JSON.stringify(reference)} ${warning}`)
      for (const tag of tags) printer.log('warning', `  ${tag}`)
    }

    removeImage(world, image)
    for (const name of tags.length > 0 ? tags : image.digests) printer.write(`Deleted: ${name}\n`)
  }

  if (problems.length > 0) throw new Failure(problems.join('\n'))
}

export function imageFsInfo({flags, printer, stage}: Call): void {
  demandJson(flags, 'json')
  const {config, images} = stage.world.containerd
  const usage = {
    fsId: {mountpoint: `${config?.root}\\io.containerd.snapshotter.v1.windows`},
    inodesUsed: {value: '0'},
    timestamp: `${stage.now()}000000`,
    usedBytes: {value: String(images.reduce((sum, {size}) => sum + size, 0))},
  }
  printer.write(prettyJson({status: {containerFilesystems: [], imageFilesystems: [usage]}}))
}
