// FlexVolume drivers: in a folder that the kubelet makes, and only other people put something into.
import {win32} from 'node:path'
import {KUBELET_DRIVERS} from '../../config/layout.js'
import {keyOf} from '../../host/security/known-paths.js'
import type {Files} from '../../machine/files.js'

/** Those below this folder, by name. */
export async function driversBelow(files: Files, folder: string): Promise<string[]> {
  return isOnTheWay(folder) ? files.list(KUBELET_DRIVERS) : []
}

/** What is in this folder beside the drivers: whole files and folders. */
export async function besideDrivers(files: Files, folder: string): Promise<string[]> {
  if (keyOf(folder) === keyOf(KUBELET_DRIVERS)) return []
  const paths = (await files.list(folder)).map((name) => win32.join(folder, name))
  const found = await Promise.all(
    paths.map((path) => (isOnTheWay(path) ? besideDrivers(files, path) : Promise.resolve([path]))),
  )
  return found.flat()
}

const isOnTheWay = (folder: string): boolean => `${keyOf(KUBELET_DRIVERS)}\\`.startsWith(`${keyOf(folder)}\\`)
