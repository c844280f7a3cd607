// The checkout's built package as it would be installed: a copy, so that a build meanwhile disturbs no run.
import {createHash} from 'node:crypto'
import {access, cp, mkdir, readFile} from 'node:fs/promises'
import path from 'node:path'
import {takeLock} from './lock.js'
import {CHECKOUT, labsFolder} from './recipe.js'

const TIMEOUT_MS = 300_000

/** Of all lab runs on this checkout, one at a time builds it or copies from it. */
export async function withCheckout<T>(work: () => Promise<T>): Promise<T> {
  const name = createHash('sha256').update(CHECKOUT).digest('hex').slice(0, 16)
  await mkdir(labsFolder(), {mode: 0o700, recursive: true})
  const lock = await takeLock(path.join(labsFolder(), `checkout-${name}.lock`), {timeoutMs: TIMEOUT_MS})
  try {
    return await work()
  } finally {
    await lock.release()
  }
}

export async function copyPackage(into: string): Promise<void> {
  await withCheckout(async () => {
    await access(path.join(CHECKOUT, 'dist/cli/main.js')).catch(() => {
      throw new Error('k8s-win is not built yet. Run: npm run build')
    })
    const {files} = JSON.parse(await readFile(path.join(CHECKOUT, 'package.json'), 'utf8')) as {files: string[]}
    await mkdir(into, {recursive: true})
    // What begins with "!" leaves something out (source maps): more than is installed, and nothing less.
    for (const name of ['package.json', ...files.filter((name) => !name.startsWith('!'))]) {
      await cp(path.join(CHECKOUT, name), path.join(into, name), {recursive: true})
    }
  })
}
