// The machine's own apt configuration: which mirror it uses, and how it is reached.
import {execFile} from 'node:child_process'
import {mkdtemp, readFile, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {promisify} from 'node:util'
import {LabNotRun} from './not-run.js'

const execFileAsync = promisify(execFile)
const PROBE_TIMEOUT_MS = 120_000
/** What signs Debian's archives, of every release. */
export const DEBIAN_KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg'

export interface AptMirror {
  readonly uri: string
  /** The settings of the machine's apt that decide how the mirror is reached, as lines for an apt.conf. */
  readonly configuration: string
  /** The proxy apt would use, for debootstrap, which does not read apt's configuration. */
  readonly proxy: string | undefined
}

/** The first mirror of the machine's apt that holds the suite, of Debian and not of a vendor. */
export async function findMirror(suite: string): Promise<AptMirror> {
  const [uris, configuration] = await Promise.all([aptMirrors(), reachSettings()])
  if (uris.length === 0) throw new LabNotRun("this machine's apt knows no mirror")
  const failures: string[] = []
  for (const uri of uris) {
    const failure = await probe(`${uri}/dists/${suite}/InRelease`)
    if (failure === undefined) return {configuration, proxy: proxyOf(configuration, uri), uri}
    failures.push(`${withoutPassword(uri)}: ${failure}`)
  }
  throw new Error(`No mirror of this machine's apt gives Debian ${suite}.\n${failures.join('\n')}`)
}

/** apt reads its own lists, in both of their formats, also where nothing was ever fetched from them. */
async function aptMirrors(): Promise<string[]> {
  const {stdout} = await execFileAsync('apt-get', ['update', '--print-uris']).catch((error: unknown) => {
    throw new LabNotRun(`apt-get does not answer: ${error instanceof Error ? error.message : String(error)}`)
  })
  return mirrorsOf(stdout)
}

/** Security and update suites live in archives of their own, or beside a main one that is listed too. */
export function mirrorsOf(printedUris: string): string[] {
  return [...new Set([...printedUris.matchAll(/^'(.+?)\/+dists\/[a-z]+\/InRelease'/gm)].map(([, uri]) => uri!))]
}

async function reachSettings(): Promise<string> {
  const {stdout} = await execFileAsync('apt-config', ['dump']).catch(() => ({stdout: ''}))
  return reachSettingsOf(stdout)
}

export function reachSettingsOf(dump: string): string {
  return dump
    .split('\n')
    .filter((line) => /^Acquire::(?:https?(?:::|\s)|Retries|Check-|Max-ValidTime|ForceIPv|Languages)/i.test(line))
    .filter((line) => !/proxy-auto-?detect/i.test(line))
    .join('\n')
}

function proxyOf(configuration: string, uri: string): string | undefined {
  const scheme = uri.startsWith('https:') ? 'https' : 'http'
  const value = new RegExp(`^Acquire::${scheme}::Proxy "(.+)";$`, 'im').exec(configuration)?.[1]
  return value === undefined || value.toUpperCase() === 'DIRECT' ? undefined : value
}

/** Asks through apt's own methods, so with its proxy, its passwords and its certificates. Answers what went wrong. */
async function probe(uri: string): Promise<string | undefined> {
  const folder = await mkdtemp(path.join(tmpdir(), 'k8s-win-lab-'))
  try {
    const file = path.join(folder, 'InRelease')
    await execFileAsync('/usr/lib/apt/apt-helper', ['download-file', uri, file], {timeout: PROBE_TIMEOUT_MS})
    const isDebian = /^Origin: Debian$/m.test(await readFile(file, 'utf8'))
    return isDebian ? undefined : "not Debian's own archive"
  } catch (error) {
    const {stderr, message} = error as {stderr?: string; message: string}
    const errors = stderr?.split('\n').filter((line) => line.startsWith('E: '))
    return errors?.length ? errors.join(' ') : message
  } finally {
    await rm(folder, {force: true, recursive: true})
  }
}

function withoutPassword(uri: string): string {
  return uri.replace(/\/\/[^@/]*@/, '//')
}
