// The lock of a simulated host, and when it is free again.
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import type {Readable, Writable} from 'node:stream'
import {describe, expect, onTestFinished, test, vi} from 'vitest'
import {takeHostLock} from '../../src/simulator/host-lock.js'
import {temporaryFolder} from '../steps/rig.js'

const FILE = 'global-k8s-win.lock'
const take = (dir: string) => takeHostLock(dir, String.raw`Global\k8s-win`)

function heldBy(processId: number | string): string {
  const dir = temporaryFolder()
  writeFileSync(join(dir, FILE), `${processId} mark`)
  return dir
}

describe('the lock of a simulated host', () => {
  test('is held until it is released', async () => {
    const dir = temporaryFolder()
    const release = take(dir)
    expect(take(dir)).toBeUndefined()
    await release?.()
    expect(take(dir)).toBeDefined()
    expect(readdirSync(dir)).toEqual([FILE])
  })

  test('of a process that lives is held', () => {
    expect(take(heldBy(process.ppid))).toBeUndefined()
  })

  test('of a process that ended is free', async () => {
    const child = spawn(process.execPath, ['--version'], {stdio: 'ignore'})
    await once(child, 'exit')
    expect(take(heldBy(child.pid ?? 0))).toBeDefined()
  })

  test.runIf(existsSync('/proc/self/stat'))('of one that was killed and not yet buried is free', async () => {
    // "sleep" takes the shell's place and never asks how the shell's child ended; the child ends only then, for a shell
    // that is still there may bury it.
    const parent = spawn('/bin/sh', ['-c', 'cat <&3 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    })
    onTestFinished(() => void parent.kill('SIGKILL'))
    const [first] = (await once(parent.stdout as Readable, 'data')) as [Buffer]
    const zombie = Number(first.toString())
    await vi.waitFor(() => expect(readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n'), 20_000)
    ;(parent.stdio[3] as Writable).end()
    await vi.waitFor(() => expect(readFileSync(`/proc/${zombie}/stat`, 'utf8')).toMatch(/\) Z /), 20_000)
    expect(take(heldBy(zombie))).toBeDefined()
  })
})
