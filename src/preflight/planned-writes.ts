// What a run has yet to write, and where: programs with their archives, and the images that are still missing.
import {programPaths} from '../artifacts/programs.js'
import {sandboxImageOf} from '../components/containerd.js'
import {baseImages, tagsOf} from '../components/images.js'
import {KUBELET, type RuntimeName} from '../config/model.js'
import {replacesPrograms} from '../config/upgrade.js'
import {orGivenUp} from '../host/wait.js'
import type {Facts} from './facts.js'

export interface PlannedWrite {
  readonly bytes: number
  readonly folder: string
  readonly what: string
}

const GIB = 2 ** 30
const PROGRAMS = {bytes: GIB, what: 'programs'}
/** Archives and programs of the new release, and copies of the old ones, until it is proven; its sandbox image. */
const BOTH_RELEASES = {bytes: 2 * GIB, what: 'the programs of both releases'}
/** Compressed and unpacked, as both are on the disk during a pull (docs/facts.md#downloads). */
const IMAGE_SIZES = {nanoserver: 0.4 * GIB, servercore: 6.3 * GIB}

/** A Docker that hangs must not hide a full disk. */
const DOCKER_MS = 2000

/** Of a node that is set up only an upgrade writes much. */
export async function plannedWrites(facts: Facts): Promise<readonly PlannedWrite[]> {
  const {config, host} = facts
  const {baseDir: folder} = config
  if (await host.services.isOurs(KUBELET)) return replacesPrograms(config) ? [{...BOTH_RELEASES, folder}] : []
  const programs = await Promise.all(programPaths(config).map((path) => host.files.status(path).catch(() => undefined)))
  return [...(programs.includes(undefined) ? [{...PROGRAMS, folder}] : []), ...(await missingImages(facts))]
}

/** Of an image whose pull was interrupted, parts are there: it is not counted again. */
async function missingImages(facts: Facts): Promise<PlannedWrite[]> {
  const {config, host, journal} = facts
  const {hasSandboxImage, isThere} = STORES[config.runtime]
  const folder = (await orGivenUp(host.clock, DOCKER_MS, dataRootOf(facts))) ?? ''
  const {nanoserver = '', servercore = ''} = tagsOf((await facts.version())?.build ?? 0) ?? {}
  const base = baseImages({nanoserverTag: nanoserver, servercoreTag: servercore, ...config})
  const wanted = config.baseImages.map(
    (name) => ({...base[name], bytes: IMAGE_SIZES[name], step: 'base-images'}) as const,
  )
  const sandbox = {bytes: IMAGE_SIZES.nanoserver, reference: sandboxImageOf(config), step: 'sandbox-image'} as const
  const found = await Promise.all(
    [...wanted, ...(hasSandboxImage ? [sandbox] : [])].map(async ({bytes, reference, step}) => {
      const isBegun = journal.entries(step, 'image-pull').some((entry) => entry.reference === reference)
      return isBegun || (await isThere(facts, reference)) ? [] : [{bytes, folder, what: reference}]
    }),
  )
  return found.flat()
}

/** Where the container runtime keeps images; empty for a Docker that does not respond, which its check reports. */
export const dataRootOf = (facts: Facts): Promise<string> => STORES[facts.config.runtime].dataRoot(facts)

interface ImageStore {
  readonly dataRoot: (facts: Facts) => Promise<string>
  /** With Docker the pause image is built from a base image. */
  readonly hasSandboxImage: boolean
  readonly isThere: (facts: Facts, reference: string) => Promise<boolean>
}

const STORES: Readonly<Record<RuntimeName, ImageStore>> = {
  containerd: {
    dataRoot: ({config}) => Promise.resolve(config.containerd.data),
    hasSandboxImage: true,
    // The programs that ask it are not there yet.
    isThere: () => Promise.resolve(false),
  },
  docker: {
    dataRoot: (facts) =>
      facts.dockerInfo().then(
        ({dataRoot}) => dataRoot,
        () => '',
      ),
    hasSandboxImage: false,
    isThere: async ({host}, reference) =>
      (await orGivenUp(host.clock, DOCKER_MS, host.docker.image(reference))) !== undefined,
  },
}
