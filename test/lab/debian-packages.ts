// Debian's packages, unpacked into the user's cache and not installed: beside whatever this machine has.
import {execFile} from 'node:child_process'
import {existsSync} from 'node:fs'
import {mkdir, mkdtemp, readdir, rename, rm} from 'node:fs/promises'
import path from 'node:path'
import {promisify} from 'node:util'
import {labsFolder} from './recipe.js'

const run = promisify(execFile)
const DOWNLOAD_MS = 300_000

/** The folder they are in; the first of them gives it its name and version. */
export async function unpackPackages(packages: readonly [string, ...string[]]): Promise<string> {
  const [first] = packages
  const folder = path.join(labsFolder(), `${first}-${await candidateVersion(first)}`)
  if (existsSync(folder)) return folder
  await mkdir(labsFolder(), {recursive: true})
  const making = await mkdtemp(`${folder}.`)
  try {
    await run('apt-get', ['download', ...packages], {cwd: making, timeout: DOWNLOAD_MS})
    const archives = (await readdir(making)).filter((name) => name.endsWith('.deb'))
    for (const archive of archives) {
      await run('dpkg-deb', ['--extract', archive, 'unpacked'], {cwd: making, timeout: DOWNLOAD_MS})
    }

    // Another run may have been faster, with the same.
    await rename(path.join(making, 'unpacked'), folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(making, {force: true, recursive: true})
  }

  return folder
}

/** apt knows of no package until it has been asked to look, on a machine that was never used. */
export async function candidateVersion(name: string): Promise<string> {
  const known = await policy(name)
  if (known !== undefined) return known
  await run('apt-get', ['update'], {timeout: DOWNLOAD_MS})
  const updated = await policy(name)
  if (updated === undefined) throw new Error(`This machine's apt has no package ${name}.`)
  return updated
}

async function policy(name: string): Promise<string | undefined> {
  const {stdout} = await run('apt-cache', ['policy', name], {env: {LC_ALL: 'C.UTF-8', PATH: '/usr/bin:/bin'}})
  return /^\s*Candidate: (\d\S*)$/m.exec(stdout)?.[1]
}
