// Golden files: what a component writes, letter by letter. UPDATE_GOLDEN=1 writes them anew.
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {dirname} from 'node:path'
import {fileURLToPath} from 'node:url'

export function golden(name: string, produced: string): string {
  const path = fileURLToPath(new URL(`golden/${name}`, import.meta.url))
  if (process.env.UPDATE_GOLDEN) {
    mkdirSync(dirname(path), {recursive: true})
    writeFileSync(path, produced)
  }

  return readFileSync(path, 'utf8')
}
