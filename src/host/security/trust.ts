// The one rule for what an elevated command reads, runs or writes: no account but administrators, SYSTEM and Windows'
// own installer may be able to change it, or to put something else in its place. Judged before the first byte is used.
// Why: a kubeconfig names a program to run (exec), files to send away (tokenFile) and the cluster that the node obeys;
// CVE-2019-11251 (links), aks-engine#4633 and CVE-2023-32197 (open folders).
import {win32} from 'node:path'
import {remotePath} from '../../errors/folders.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {FileError, type Files} from '../../machine/files.js'
import type {Run} from '../../machine/run.js'
import type {SurveyedPath, Win32} from '../../machine/win32.js'
import {othersWho, TO_WRITE} from './access.js'
import {judgePath} from './judge-path.js'
import {keyOf, parentsOf} from './known-paths.js'

declare const JUDGED: unique symbol

/**
 * A program also loads what lies beside it, so no other account may add to its folder. `folder`: k8s-win will restrict it.
 * `closed`: no other account may add to it. `shared`: other accounts may add to it, but may not replace what is in it.
 */
export type Use = 'closed' | 'data' | 'folder' | 'program' | 'shared'

export interface Trust {
  /** Only openTrust makes one: a kubeconfig cannot be read with another judgement. */
  readonly [JUDGED]: true
  /** Names of the files (and of folders for which Windows looks beside a program) directly in a folder that others can have made or changed. */
  distrustedIn(folder: string): Promise<ReadonlySet<string>>
  /** Throws what `problem` finds; else whether anything was there. */
  demand(path: string, use?: Use): Promise<boolean>
  /** Why the path must not be used; undefined where it may, or where there is nothing. */
  problem(path: string, use?: Use): Promise<K8sWinError | undefined>
}

/** Beside a program Windows looks for these first: learn.microsoft.com, "Dynamic-link library search order". */
export const LIBRARIES = /\.(?:dll|local|manifest)$/i

export function openTrust({accountSid, drive, isAdministrator, survey}: TrustCalls): Trust {
  /** GetDriveTypeW: a letter that stands for a folder of another computer. Kubernetes' own drive is none. */
  const isMapped = async (path: string): Promise<boolean> =>
    /^[abd-z]:/i.test(path) && (await drive(path.slice(0, 2).toUpperCase()))?.kind === 'network'

  /** What `problem` finds; else whether anything was there. */
  const inspect = async (given: string, use: Use = 'data'): Promise<K8sWinError | boolean> => {
    // Before anything is opened: Windows would log on to the server.
    if (isRemote(given)) return remotePath({path: given})
    const path = absolute(given.replace(/^[\\/]{2}\?[\\/]/, ''))
    if (await isMapped(path)) return remotePath({path: given})
    const folder = win32.dirname(path)
    const above = parentsOf(path).map((one) => ({inside: use === 'program' && one === folder, path: one}))
    const first = await survey([...above, {inside: false, path}])
    const target = use === 'data' ? besideIn(first.find((one) => keyOf(one.path) === keyOf(path))) : undefined
    const surveyed = target === undefined ? first : [...first, ...(await survey([{inside: false, path: target}]))]
    // A drive has at least its root: where nothing is said, nothing is said of this path either.
    const isThere = surveyed.length === 0 || surveyed.some((one) => keyOf(one.path) === keyOf(path))
    const found = judge(surveyed, path, use, [])
    // A user who is not an administrator gets no right answers, and has nothing that other accounts could want.
    if (!found || !(await isAdministrator())) return isThere
    // The account's own folders are open to it; whoever it is, it is an administrator.
    return judge(surveyed, path, use, [await accountSid()]) ?? isThere
  }

  const trust: Omit<Trust, typeof JUDGED> = {
    async distrustedIn(folder) {
      const inside = await survey([{inside: true, path: folder}])
      const isOpen = (one: SurveyedPath, self: readonly string[]): boolean =>
        (one.kind === 'file' || LIBRARIES.test(one.path)) &&
        (one.links !== undefined || othersWho(one.sddl ?? '', TO_WRITE, self).length > 0)
      const open = inside.filter((one) => isOpen(one, []))
      if (open.length === 0 || !(await isAdministrator())) return new Set()
      const self = [await accountSid()]
      return new Set(open.filter((one) => isOpen(one, self)).map(({path}) => win32.basename(path)))
    },
    async demand(path, use) {
      const seen = await inspect(path, use)
      if (typeof seen !== 'boolean') throw seen
      return seen
    },
    async problem(path, use) {
      const seen = await inspect(path, use)
      return typeof seen === 'boolean' ? undefined : seen
    },
  }
  return trust as Trust
}

const besideIn = (one: SurveyedPath | undefined): string | undefined =>
  one?.kind === 'link' && one.beside !== undefined ? win32.join(win32.dirname(one.path), one.beside) : undefined

/**
 * The plain file in its own folder that a link leads to, and which is then judged in its place: the kubelet's certificate
 * store keeps "current" as a link, by an absolute path, to the newest file beside it (client-go/util/certificate,
 * certificate_store.go, updateSymlink), and the kubeconfigs of the kubelet and of kubeadm name that link.
 */
export function fileBeside(link: SurveyedPath, surveyed: readonly SurveyedPath[]): string | undefined {
  const target = besideIn(link)
  if (target === undefined) return undefined
  return surveyed.find(({path}) => keyOf(path) === keyOf(target))?.kind === 'file' ? target : undefined
}

type TrustCalls = Pick<Win32, 'accountSid' | 'drive' | 'isAdministrator' | 'survey'>

/** `\\server\share`, with any slashes, and devices; `\\?\C:\` is a local path in another spelling. */
const isRemote = (path: string): boolean => /^[\\/]{2}/.test(path) && !/^[\\/]{2}\?[\\/][a-z]:[\\/]/i.test(path)

/** The folders above a relative path are those of the working folder, and are judged like any other. */
const absolute = (path: string): string =>
  /^(?:[a-z]:)?[\\/]/i.test(path) ? win32.normalize(path) : win32.resolve(path)

function judge(
  surveyed: readonly SurveyedPath[],
  path: string,
  use: Use,
  self: readonly string[],
): K8sWinError | undefined {
  const [key, folder] = [keyOf(path), keyOf(win32.dirname(path))]
  const above = new Set(parentsOf(path).map(keyOf))
  const at = (wanted: string): SurveyedPath | undefined => surveyed.find((one) => keyOf(one.path) === keyOf(wanted))
  for (const one of surveyed) {
    const here = keyOf(one.path)
    if (here === key) {
      const target = use === 'data' ? besideIn(one) : undefined
      // Who may add to the folder may have made the link, and may change it.
      if (target !== undefined && othersWho(at(folder)?.sddl ?? '', TO_WRITE, self).length === 0) {
        // One to nothing is what half a removal leaves; no other account can put a file there.
        if (!at(target)) return undefined
        if (fileBeside(one, surveyed) !== undefined) return judge(surveyed, target, use, self)
      }
    } else if (!above.has(here) && !LIBRARIES.test(one.path)) continue
    const role = here === key ? use : above.has(here) ? 'parent' : 'beside'
    const problem = judgePath(role, here === key ? {...one, path} : one, self)
    if (problem) return problem
    // Whoever may add to a program's folder may put a library beside it.
    const planted = use === 'program' && here === folder ? judgePath(use, {...one, path}, self) : undefined
    if (planted) return planted
  }

  return undefined
}

/**
 * Runs no program that is not judged, each time: status, logs, bundle and reset may be asked about any folder, and a folder
 * that was removed may be another account's by now.
 */
export const trustedRun =
  (run: Run, {demand}: Pick<Trust, 'demand'>): Run =>
  async (program, ...rest) => {
    await demand(program, 'program')
    return run(program, ...rest)
  }

/** For who has no host yet. */
export const trustedFilesOf = ({files, win32: calls}: {readonly files: Files; readonly win32: TrustCalls}): Files =>
  trustedFiles(files, openTrust(calls))

/**
 * The files, of which none is read before it is judged, and none of which is anything used unless it is still there and
 * trusted after it was opened: another account may create a file after the check that found none, and remove it again.
 */
export function trustedFiles(files: Files, {demand}: Pick<Trust, 'demand'>): Files {
  /** Undefined if either judgement found nothing: then there is nothing, whatever was read. */
  const between = async <T>(path: string, read: () => Promise<T>): Promise<T | undefined> => {
    if (!(await demand(path))) return undefined
    const seen = await read()
    return (await demand(path)) ? seen : undefined
  }

  const absent = (path: string): FileError => new FileError('read', path, 'ENOENT')
  return {
    ...files,
    async digest(path, algorithm) {
      const digest = await between(path, () => files.digest(path, algorithm))
      if (digest === undefined) throw absent(path)
      return digest
    },
    read: (path) => between(path, () => files.read(path)),
    async *readChunks(path) {
      const chunks = files.readChunks(path)[Symbol.asyncIterator]()
      try {
        // From its first piece on the file is open, and stays the same.
        let next = await between(path, () => chunks.next())
        if (!next) throw absent(path)
        for (; next.done !== true; next = await chunks.next()) yield next.value
      } finally {
        await chunks.return?.()
      }
    },
    readRange: (path, start, length) => between(path, () => files.readRange(path, start, length)),
    // Of a path on another computer the question alone opens it.
    status: async (path) => ((await demand(path)) ? files.status(path) : undefined),
  }
}
