// The base images: which tag fits which build of Windows (containers run only on the build they were made for).
import type {NodeConfig} from '../config/model.js'

export interface BaseImage {
  readonly flag: 'nanoserver-tag' | 'servercore-tag'
  /** By tag. */
  readonly reference: string
  readonly repository: string
}

const TAGS: Readonly<Record<number, {nanoserver: string; servercore: string}>> = {
  17763: {nanoserver: '1809', servercore: 'ltsc2019'},
  20348: {nanoserver: 'ltsc2022', servercore: 'ltsc2022'},
}

/** Undefined for a build that no release of ours runs on. */
export function tagsOf(build: number): {readonly nanoserver: string; readonly servercore: string} | undefined {
  return TAGS[build]
}

export function baseImages(config: NodeConfig): {readonly nanoserver: BaseImage; readonly servercore: BaseImage} {
  const image = (name: string, tag: string, flag: BaseImage['flag']): BaseImage => {
    const repository = `${config.imageRegistry}/windows/${name}`
    return {flag, reference: `${repository}:${tag}`, repository}
  }

  return {
    nanoserver: image('nanoserver', config.nanoserverTag, 'nanoserver-tag'),
    servercore: image('servercore', config.servercoreTag, 'servercore-tag'),
  }
}

/** The build of an image: the third number of "10.0.17763.2237". */
export function buildOf(osVersion: string): number {
  return Number(osVersion.split('.')[2])
}
