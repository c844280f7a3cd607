// Everything about the sources that needs no test: each by its own script, two side by side, since most of them use one core.
import {execFile} from 'node:child_process'

/** The longest first; what is in one row comes one after the other: `fresh` writes README.md again, which `format:check` reads. */
const ROWS = [['format:check', 'fresh'], ['lint'], ['typecheck'], ['unused']]

await Promise.all([workThrough(), workThrough()])

/** Takes the next row until none is left. */
async function workThrough() {
  for (let row = ROWS.shift(); row; row = ROWS.shift()) {
    for (const name of row) await check(name)
  }
}

/** Its output in one piece, so that two do not mix. */
async function check(name) {
  const [command, ...args] = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm']
  return new Promise((resolve) => {
    execFile(command, [...args, 'run', name], {maxBuffer: 1 << 28}, (error, stdout, stderr) => {
      process.stdout.write(stdout + stderr)
      if (error) {
        console.error(`npm run ${name} failed`)
        process.exitCode = 1
      }

      resolve()
    })
  })
}
