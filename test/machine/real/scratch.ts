// A folder of its own for a test, gone with it.
import {mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {onTestFinished} from 'vitest'

export async function scratchFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'k8s-win-test-'))
  onTestFinished(() => rm(folder, {force: true, recursive: true}))
  return folder
}
