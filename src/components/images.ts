// The base images: which tag fits which build of Windows (containers run only on the Windows build that they were made for).
import type {Node} from '../config/model.js'

export interface BaseImage {
  readonly flag: 'nanoserver-tag' | 'servercore-tag'
  /** By tag. */
  readonly reference: string
  readonly repository: string
}

/** Label of the pause image that k8s-win builds; an image without it was not created by k8s-win. */
export const TEMPLATE_LABEL = 'k8s-win.template'

/**
 * dockershim puts a pod with hostNetwork on a network of this name, which Docker for Windows does not have by itself
 * (dockershim/security_context.go, namespaceModeHost; sig-windows-tools, PrepareNode.ps1: "docker network create -d nat host").
 */
export const HOST_NETWORK = 'host'
export const HOST_NETWORK_DRIVER = 'nat'
/** Label of the network that k8s-win creates; one without it was not created by k8s-win. */
export const NETWORK_LABEL = 'k8s-win.network'

const TAGS: Readonly<Record<number, {nanoserver: string; servercore: string}>> = {
  17763: {nanoserver: '1809', servercore: 'ltsc2019'},
  20348: {nanoserver: 'ltsc2022', servercore: 'ltsc2022'},
  26100: {nanoserver: 'ltsc2025', servercore: 'ltsc2025'},
}

/** Undefined for a build that no supported release runs on. */
export function tagsOf(build: number): {readonly nanoserver: string; readonly servercore: string} | undefined {
  return TAGS[build]
}

export function baseImages(config: Pick<Node, 'imageRegistry' | 'nanoserverTag' | 'servercoreTag'>): {
  readonly nanoserver: BaseImage
  readonly servercore: BaseImage
} {
  const image = (name: string, tag: string, flag: BaseImage['flag']): BaseImage => {
    const repository = `${config.imageRegistry}/windows/${name}`
    return {flag, reference: `${repository}:${tag}`, repository}
  }

  return {
    nanoserver: image('nanoserver', config.nanoserverTag, 'nanoserver-tag'),
    servercore: image('servercore', config.servercoreTag, 'servercore-tag'),
  }
}

/** Those of --base-images. */
export const wantedImages = (config: Node): BaseImage[] => config.baseImages.map((name) => baseImages(config)[name])

/** The build that a tag is for, if its name says it. */
export function buildOfTag(reference: string): number | undefined {
  const tag = reference.slice(reference.lastIndexOf(':') + 1)
  const known = Object.entries(TAGS).find(([, tags]) => tags.nanoserver === tag || tags.servercore === tag)
  const numbered = /^10\.0\.(\d+)/.exec(tag)?.[1]
  return known ? Number(known[0]) : numbered === undefined ? undefined : Number(numbered)
}

/** The build of an image: the third number of "10.0.17763.2237". */
export function buildOf(osVersion: string): number {
  return Number(osVersion.split('.')[2])
}

/** Whether an image is for this build; the patch level may differ. One without a version is judged when it is run. */
export function isOfBuild(hostBuild: number, osVersion: string): boolean {
  const build = buildOf(osVersion)
  return Number.isNaN(build) || build === hostBuild
}

/**
 * Whether a container of this image runs on this build, in process isolation: Windows Server 2022 and newer also run those
 * of the releases since the previous long-term one (containerd/platforms, platform_windows_compat.go). An image without
 * a version runs anywhere.
 */
export function runsOn(hostBuild: number, osVersion: string): boolean {
  const build = buildOf(osVersion)
  if (isOfBuild(hostBuild, osVersion)) return true
  return hostBuild >= 26_100 && build >= 20_348 && build < hostBuild
}
