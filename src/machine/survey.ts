// Many security descriptors in one call: who checks a whole tree should not leave a line a file in every log.
import {FileError, type Files} from './files.js'
import {Win32Error} from './win32.js'
import type {SurveyedPath, Win32} from './win32.js'

const ERROR_FILE_NOT_FOUND = 2
const ERROR_PATH_NOT_FOUND = 3
const ERROR_ACCESS_DENIED = 5

export function surveyOver(
  files: Pick<Files, 'list' | 'status'>,
  securityOf: Win32['securityOf'],
  join: (folder: string, name: string) => string,
): Win32['survey'] {
  const surveyPath = async (path: string): Promise<SurveyedPath[]> => {
    const status = await files.status(path).catch((error: unknown) => {
      if (error instanceof FileError && /^E(?:ACCES|PERM)$/.test(error.code))
        return {beside: undefined, kind: 'other' as const, links: undefined}
      throw error
    })
    if (!status) return []
    const {beside, kind, links} = status
    const seen = {kind, ...(links !== undefined && {links}), path}
    if (kind === 'link') return [{...(beside !== undefined && {beside}), kind, path}]
    try {
      return [{...seen, sddl: await securityOf(path)}]
    } catch (error) {
      const code = error instanceof Win32Error ? error.code : undefined
      if (code === ERROR_FILE_NOT_FOUND || code === ERROR_PATH_NOT_FOUND) return []
      if (code === ERROR_ACCESS_DENIED) return [seen]
      throw error
    }
  }

  return async (places) => {
    const seen = new Map<string, SurveyedPath>()
    for (const {inside, path} of places) {
      const found = await surveyPath(path)
      const names = inside && found[0]?.kind === 'directory' ? await files.list(path) : []
      const inner = await Promise.all(names.map((name) => surveyPath(join(path, name))))
      for (const one of [...found, ...inner.flat()]) seen.set(one.path, one)
    }

    return [...seen.values()]
  }
}
