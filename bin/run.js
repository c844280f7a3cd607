#!/usr/bin/env node
// Starts k8s-win. Written so that an old Node.js can still read it and say what is missing.
import {fileURLToPath} from 'node:url'

const [major, minor] = process.versions.node.split('.').map(Number)

if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`k8s-win needs Node.js 20.19 or newer; this is ${process.version}.\n`)
  process.exitCode = 2
} else {
  import('../dist/cli/main.js').then(
    ({start}) => start(fileURLToPath(new URL('..', import.meta.url))),
    (error) => {
      const notBuilt = error.code === 'ERR_MODULE_NOT_FOUND'
      process.stderr.write(notBuilt ? 'k8s-win is not built yet. Run: npm run build\n' : `${error.stack}\n`)
      process.exitCode = 1
    },
  )
}
