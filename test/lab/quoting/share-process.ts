// A share of the vectors in a node.exe of its own: Wine forks it for each start, and the one that runs the tests is large.
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {setTimeout as sleep} from 'node:timers/promises'

const SILENCE_MS = 60_000
/** About one start in 20,000 never comes back in Wine 10, and node.exe hangs with it. Which one it is changes. */
const MOST_HANGS = 2
/** What it writes anew between two starts is copied at each: a small nursery for its objects spares a sixth of the time. */
const SMALL = '--max-semi-space-size=1'

/** Runs a script that writes something for each vector, so that a hang can be distinguished from a slow machine. */
export async function runShareProcess(args: readonly string[]): Promise<void> {
  for (let hangs = 0; ; hangs++) {
    const {code, output} = await watched(args)
    if (code === 0) return
    if (code !== undefined || hangs === MOST_HANGS) throw new Error(`share ${args.join(' ')}: ${code}\n${output}`)
  }
}

/** Undefined as the code of one that fell silent. */
async function watched(args: readonly string[]): Promise<{code: number | undefined; output: string}> {
  const child = spawn(process.execPath, [SMALL, ...args], {stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true})
  let hung = false
  let output = ''
  const silence = setTimeout(() => {
    hung = true
    child.kill()
  }, SILENCE_MS)
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      silence.refresh()
    })
  }
  const closed = once(child, 'close')
  const [code] = (await once(child, 'exit')) as [number | null]
  clearTimeout(silence)
  // What hangs may hold the pipes for ever.
  await Promise.race([closed, sleep(2000, undefined, {ref: false})])
  return {code: hung ? undefined : (code ?? -1), output}
}
