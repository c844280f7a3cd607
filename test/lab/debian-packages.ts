// Debian's packages, unpacked into the user's cache and not installed: beside whatever this machine has.
import {execFile} from 'node:child_process'
import {existsSync} from 'node:fs'
import {mkdir, mkdtemp, readdir, rename, rm, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {promisify} from 'node:util'
import {DEBIAN_KEYS, findMirror} from './apt.js'
import {labsFolder} from './recipe.js'

const run = promisify(execFile)
const DOWNLOAD_MS = 300_000

/**
 * The folder they are in; the first of them gives it its name. Without a suite they are of this machine's Debian, in the
 * version it has now; with one they are of that Debian, which keeps its versions, and fetched once.
 */
export async function unpackPackages(packages: readonly [string, ...string[]], suite?: string): Promise<string> {
  const [first] = packages
  const folder = path.join(labsFolder(), `${first}-${suite ?? (await candidateVersion(first))}`)
  if (existsSync(folder)) return folder
  await mkdir(labsFolder(), {recursive: true})
  const making = await mkdtemp(`${folder}.`)
  try {
    const options = suite === undefined ? [] : await listsOf(suite, path.join(making, 'apt'))
    await run('apt-get', [...options, 'download', ...packages], {cwd: making, timeout: DOWNLOAD_MS})
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

/** Fetches the package lists of another Debian into a folder, and answers the options that make apt use them. */
async function listsOf(suite: string, folder: string): Promise<string[]> {
  const {uri} = await findMirror(suite)
  for (const inner of ['cache/archives/partial', 'lists/partial']) {
    await mkdir(path.join(folder, inner), {recursive: true})
  }

  const sources = path.join(folder, 'sources.list')
  await writeFile(sources, `deb [signed-by=${DEBIAN_KEYS}] ${uri} ${suite} main\n`)
  const settings = {
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled': 'false',
    'Acquire::Languages': 'none',
    'Dir::Cache': path.join(folder, 'cache'),
    'Dir::Etc::SourceList': sources,
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::State::Lists': path.join(folder, 'lists'),
    'Dir::State::Status': '/dev/null',
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['--option', `${name}=${value}`])
  await run('apt-get', [...options, 'update'], {timeout: DOWNLOAD_MS})
  return options
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
