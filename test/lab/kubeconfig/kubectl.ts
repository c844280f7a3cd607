// Debian's kubectl, unpacked from its package into the user's cache: beside whatever kubectl this machine has.
import {execFile} from 'node:child_process'
import {existsSync} from 'node:fs'
import {mkdir, mkdtemp, readdir, rename, rm} from 'node:fs/promises'
import path from 'node:path'
import {promisify} from 'node:util'
import {labsFolder} from '../recipe.js'

const run = promisify(execFile)
const PACKAGE = 'kubernetes-client'
const DOWNLOAD_MS = 120_000
const ANSWER_MS = 30_000

export interface KubectlAnswer {
  readonly code: number
  readonly stderr: string
  readonly stdout: string
}

export type Kubectl = (args: readonly string[]) => Promise<KubectlAnswer>

/** `home` is where it keeps what it caches. */
export async function openKubectl(home: string): Promise<Kubectl> {
  const program = await findKubectl()
  // No proxy of this machine, no kubeconfig of its user: only loopback is spoken to.
  const env = {HOME: home, PATH: '/usr/bin:/bin'}
  return async (args) => {
    try {
      const running = run(program, args, {env, timeout: ANSWER_MS})
      // Without credentials it would ask a person for a name.
      running.child.stdin?.end()
      return {code: 0, ...(await running)}
    } catch (error) {
      const {code, killed, stderr, stdout} = error as {code?: number; killed?: boolean; stderr: string; stdout: string}
      if (typeof code !== 'number' || killed) throw error
      return {code, stderr, stdout}
    }
  }
}

async function findKubectl(): Promise<string> {
  const folder = path.join(labsFolder(), `kubectl-${await candidateVersion()}`)
  const program = path.join(folder, 'usr/bin/kubectl')
  if (existsSync(program)) return program
  await mkdir(labsFolder(), {recursive: true})
  const making = await mkdtemp(`${folder}.`)
  try {
    await run('apt-get', ['download', PACKAGE], {cwd: making, timeout: DOWNLOAD_MS})
    const archive = (await readdir(making)).find((name) => name.endsWith('.deb'))
    if (archive === undefined) throw new Error(`apt-get download ${PACKAGE} left no package`)
    await run('dpkg-deb', ['--extract', archive, 'unpacked'], {cwd: making, timeout: DOWNLOAD_MS})
    // Another run may have been faster, with the same.
    await rename(path.join(making, 'unpacked'), folder).catch((error: unknown) => {
      if (!existsSync(program)) throw error
    })
  } finally {
    await rm(making, {force: true, recursive: true})
  }
  return program
}

/** apt knows of no package until it has been asked to look, on a machine that was never used. */
async function candidateVersion(): Promise<string> {
  const known = await policy()
  if (known !== undefined) return known
  await run('apt-get', ['update'], {timeout: DOWNLOAD_MS})
  const updated = await policy()
  if (updated === undefined) throw new Error(`This machine's apt has no package ${PACKAGE}.`)
  return updated
}

async function policy(): Promise<string | undefined> {
  const {stdout} = await run('apt-cache', ['policy', PACKAGE], {env: {LC_ALL: 'C.UTF-8', PATH: '/usr/bin:/bin'}})
  return /^\s*Candidate: (\d\S*)$/m.exec(stdout)?.[1]
}
