// The table of places (config/places.ts) as a survey and a judgement of access lists need it.
import {win32} from 'node:path'
import {ownPrograms} from '../../config/layout.js'
import {placesOf} from '../../config/places.js'
import {remembered} from '../../machine/remembered.js'
import type {SurveyPlace} from '../../machine/win32.js'

export function surveyPlaces(baseDir: string): SurveyPlace[] {
  const folders = placesOf(baseDir).filter(({kind}) => kind === 'folder')
  const parents = [...parentFolders(baseDir)].map((path) => ({inside: false, path}))
  return [...parents, ...folders.map(({inside, path}) => ({inside: inside !== undefined, path}))]
}

/** Everything above the places, outermost first, that is not a place itself. */
export const parentFolders: (baseDir: string) => ReadonlySet<string> = remembered((baseDir) => {
  const places = placesOf(baseDir)
  const known = setOf(places.map(({path}) => path))
  return new Set(places.flatMap(({path}) => parentsOf(path)).filter((path) => !known.has(keyOf(path))))
})

/** Folders whose access list k8s-win may set, and folders whose content it may set one of. */
export function closedFolders(baseDir: string): Readonly<Record<'folders' | 'inside', ReadonlySet<string>>> {
  const folders = placesOf(baseDir).filter(({kind, role}) => kind === 'folder' && role !== 'shared')
  const inside = folders.filter(({inside: content, role}) => role === 'own' || content === 'driver')
  return {folders: setOf(folders.map(({path}) => path)), inside: setOf(inside.map(({path}) => path))}
}

/** The folders above a path, outermost first. */
export function parentsOf(path: string): string[] {
  const parent = win32.dirname(path)
  return parent === path ? [] : [...parentsOf(parent), parent]
}

/** In lower case, as Windows compares them. */
export const keyOf = (path: string): string => path.toLowerCase()
export const setOf = (paths: readonly string[]): ReadonlySet<string> => new Set(paths.map(keyOf))

export const isOwnProgram = (path: string, baseDir: string): boolean =>
  ownPrograms(baseDir).some((program) => keyOf(program) === keyOf(path))
