// A text that comes with this package, e.g. a page of help made when it was built.
import {readFile} from 'node:fs/promises'
import path from 'node:path'

/** Undefined where there is no such file. */
export async function readPackageFile(packageRoot: string, ...names: readonly string[]): Promise<string | undefined> {
  try {
    return await readFile(path.join(packageRoot, ...names), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
