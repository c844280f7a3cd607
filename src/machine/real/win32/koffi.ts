// koffi: from node_modules, or out of the single executable. Windows loads a native addon only from a file, so there its
// bytes are written to a folder first, and compared with those in memory immediately before they are loaded.
import {createHash, randomUUID} from 'node:crypto'
import {lstat, mkdir, readFile, realpath, rename, rm, writeFile} from 'node:fs/promises'
import {userInfo} from 'node:os'
import path from 'node:path'
import {getRawAsset, isSea} from 'node:sea'
import {addonNotExtracted, addonTampered} from '../../../errors/program.js'

export type Koffi = typeof import('koffi').default

/** The key of the addon in the single executable. */
const ADDON = 'koffi.node'

let loaded: Promise<Koffi> | undefined
export const importKoffi = (): Promise<Koffi> => (loaded ??= loadKoffi())

/** Where the addon of k8s-win.exe cannot be written, every question to Windows fails: the cause is reported once, first. */
export async function demandAddon(): Promise<void> {
  if (isSea()) await importKoffi()
}

async function loadKoffi(): Promise<Koffi> {
  if (!isSea()) return (await import('koffi')).default
  const bytes = Buffer.from(getRawAsset(ADDON) as ArrayBuffer)
  // koffi's own JavaScript only finds the addon, and adds names that it calls deprecated.
  return (await loadAddon({bytes, folder: addonFolder(await systemDrive())})) as Koffi
}

/**
 * `C:\Program Files\k8s-win`. Setting a security descriptor needs koffi itself, so the folder must be safe by what it inherits:
 * below Program Files only SYSTEM, TrustedInstaller and administrators write, and users read and execute. The other rule
 * that is inherited there, CREATOR OWNER, gives nothing more: the owner of what an elevated process creates is the group
 * of administrators. %ProgramData% and %SystemRoot%\Temp let every user create files, and the drive's root lets every user
 * create folders, which is why Program Files itself is never created here.
 */
const addonFolder = (drive: string): string => path.win32.join(drive, 'Program Files', 'k8s-win')

/** The name that Windows' own object manager has for %SystemRoot%. */
const SYSTEM_ROOT = String.raw`\\?\GLOBALROOT\SystemRoot`

/**
 * The drive that Windows is on. %ProgramFiles% and %SystemRoot% are variables, which an ordinary user may have set for an
 * elevated process; no user can change the object manager's link. Where that is not served (Wine has no GLOBALROOT), the
 * drive is that of the user's profile, which Windows looks up for the process's token: by default the same one.
 */
export async function systemDrive(
  realPath: (name: string) => Promise<string> = realpath,
  profile: () => string = () => userInfo().homedir,
): Promise<string> {
  const folder = await realPath(SYSTEM_ROOT).catch(profile)
  const [drive] = /^[a-z]:\\/i.exec(folder.replace(/^\\\\\?\\/, '')) ?? []
  if (drive === undefined)
    throw addonNotExtracted({folder: 'Program Files', reason: `a system folder without a drive, ${folder}`})
  return drive.toUpperCase()
}

export interface Addon {
  readonly bytes: Buffer
  readonly folder: string
}

/**
 * Two processes may do this at once. The name has the digest of the bytes, so that versions do not replace each other's
 * addon: Windows keeps it locked as long as a process has it loaded.
 */
export async function loadAddon({bytes, folder}: Addon): Promise<unknown> {
  const digest = createHash('sha256').update(bytes).digest('hex')
  const file = path.join(folder, `koffi-${digest.slice(0, 16)}.node`)
  if (!(await isGenuine(file, bytes))) {
    await extract(file, bytes)
    if (!(await isGenuine(file, bytes))) throw addonTampered({file})
  }
  const module: {exports: unknown} = {exports: {}}
  process.dlopen(module, file)
  return module.exports
}

/** Neither the file nor its folder is a link, and the bytes are the same. */
async function isGenuine(file: string, bytes: Buffer): Promise<boolean> {
  const folder = path.dirname(file)
  try {
    if (!(await lstat(folder)).isDirectory()) throw addonTampered({file: folder})
    const entry = await lstat(file)
    return entry.isFile() && entry.size === bytes.length && bytes.equals(await readFile(file))
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined) throw error
    if (code === 'ENOENT') return false
    throw addonNotExtracted({folder, reason: code}, {cause: error})
  }
}

/** Replaces what is there, unless Windows keeps it locked: whether that is genuine is for the caller to see. */
async function extract(file: string, bytes: Buffer): Promise<void> {
  const folder = path.dirname(file)
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    await mkdir(folder).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error
    })
    await writeFile(temporary, bytes, {flag: 'wx'})
    try {
      await rename(temporary, file)
    } finally {
      await rm(temporary, {force: true})
    }
  } catch (error) {
    const code = codeOf(error)
    const isThere = await lstat(file).then(
      () => true,
      () => false,
    )
    if (code === undefined || !isThere) throw addonNotExtracted({folder, reason: code ?? String(error)}, {cause: error})
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code
