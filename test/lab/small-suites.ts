// Suites of a few lines, to try the driver of suites with: one for each way a suite can end.
import {readFile, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import type {SuiteCounts} from './suite-counts.js'

export const ENDING_SUITES: Readonly<Record<string, {readonly counts: SuiteCounts; readonly source: string}>> = {
  breaks: {
    counts: {failed: 1, passed: 1, skipped: 0},
    source: `import {test} from 'node:test'
      test('good', () => {})
      process.on('exit', () => process.exitCode = 7)`,
  },
  changes: {
    counts: {failed: 0, passed: 1, skipped: 0},
    source: `import assert from 'node:assert/strict'
      import {test} from 'node:test'
      test('may change', () => assert.equal(process.env.LAB_CHANGES, '1'))`,
  },
  fails: {
    counts: {failed: 1, passed: 1, skipped: 0},
    source: `import {test} from 'node:test'
      test('good', () => {})
      test('bad', () => { throw new Error('on purpose') })`,
  },
  leaves: {
    counts: {failed: 1, passed: 0, skipped: 0},
    source: `import {test} from 'node:test'
      test('never reported', () => process.exit(0))`,
  },
  passes: {
    counts: {failed: 0, passed: 1, skipped: 1},
    source: `import {test} from 'node:test'
      test('good', () => {})
      test('not here', {skip: 'why'}, () => {})`,
  },
}

/** Starts a process that never ends, writes its number to a file, and never ends either. */
export const hangingSuite = (pidFile: string): string => `import {spawn} from 'node:child_process'
  import {writeFileSync} from 'node:fs'
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {stdio: ['ignore', 'inherit', 'inherit']})
  writeFileSync(${JSON.stringify(pidFile)}, String(child.pid))
  setInterval(() => {}, 1000)`

export async function writeSuites(
  folder: string,
  sources: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, string>> {
  const suites = new Map<string, string>()
  for (const [name, source] of Object.entries(sources)) {
    const file = path.join(folder, `${name}.suite.mjs`)
    await writeFile(file, source)
    suites.set(name, file)
  }
  return suites
}

/** The number in a file, as soon as it is there. */
export async function pidIn(file: string, deadlineMs = 60_000): Promise<number> {
  for (const end = Date.now() + deadlineMs; Date.now() < end; await sleep(50)) {
    const pid = Number(await readFile(file, 'utf8').catch(() => ''))
    if (pid > 0) return pid
  }
  throw new Error(`${file} was not written`)
}

/** Is the process gone, or does it go in time? */
export async function isGone(pid: number, deadlineMs = 30_000): Promise<boolean> {
  for (const end = Date.now() + deadlineMs; Date.now() < end; await sleep(50)) {
    // On Linux an orphan is there as a zombie until process 1 has buried it, which not every one does.
    const isZombie = /\) Z /.test(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''))
    if (isZombie || !isKnown(pid)) return true
  }
  return false
}

function isKnown(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
