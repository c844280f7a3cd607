// The folder of --registry-config, in the form of containerd's certs.d: judged, and read as a whole. Setup keeps a copy of it
// among its records, from which a later run writes certs.d again: the user's folder may be gone by then.
import {posix, win32} from 'node:path'
import {layoutOf} from '../../config/layout.js'
import type {Asked, Registries, RegistryFile} from '../../config/model.js'
import {RESERVED} from '../../config/base-dir.js'
import {isText, listOf, shaped} from '../../config/shape.js'
import {registryConfigLost, registryConfigUnusable} from '../../errors/configuration.js'
import {K8sWinError, UnusableFileError} from '../../errors/k8s-win-error.js'
import {FileError, type FileKind, type Files} from '../../machine/files.js'
import {readAuthorities, readKeyPair, rewrittenPem} from '../cluster/key-material.js'
import {readUserFile} from '../cluster/kubeconfig-file.js'
import {keyBody} from '../cluster/kubeconfig-secrets.js'
import {parseJson} from '../document.js'
import type {Host} from '../host.js'
import {demandTrees} from '../security/planted.js'
import {keyOf} from '../security/known-paths.js'
import {trustedFiles} from '../security/trust.js'
import {readHostsFile} from './hosts-toml.js'

type Calls = Pick<Host, 'files' | 'security' | 'trust'>

const MOST_FILES = 200
/** Of all of them together. */
const LARGEST = 1024 ** 2
/** A host, perhaps with a port, as containerd looks for it on Windows (core/remotes/docker/config/config_windows.go). */
const REGISTRY = String.raw`(?:_default|[\da-z](?:[\da-z.-]*[\da-z])?(?:_\d{1,5}_)?)`
const FILE = String.raw`(?:hosts\.toml|\w[\w .-]*\.(?:cert|crt|key|pem))`
const PATH = new RegExp(String.raw`^${REGISTRY}\\${FILE}$`, 'i')

/** A file that setup can have written for a registry, with these options or with others. */
export function isOfRegistry(baseDir: string, path: string): boolean {
  const {certs} = layoutOf(baseDir).containerd
  return keyOf(path).startsWith(`${keyOf(certs)}\\`) && PATH.test(path.slice(certs.length + 1))
}

/** Never rejects for what is wrong with it: that is among the problems. */
export async function readRegistries(
  calls: Calls,
  {baseDir, registryConfig}: Pick<Asked, 'baseDir' | 'registryConfig'>,
): Promise<Registries | undefined> {
  if (registryConfig === undefined) return undefined
  const copy = layoutOf(baseDir).registries
  try {
    const trusted = trustedFiles(calls.files, calls.trust)
    const isCopied = keyOf(registryConfig) === keyOf(copy)
    const read = isCopied ? await readCopy(trusted, copy) : await readFolder(calls, trusted, registryConfig)
    if (read.problems.length > 0) return read
    const problems = problemsIn(read.files).map(([path, reason]) =>
      registryConfigUnusable({path: child(registryConfig, path.replace('\\', '/')), reason}),
    )
    return {files: problems.length > 0 ? read.files : read.files.map(asWritten), problems}
  } catch (error) {
    if (error instanceof K8sWinError) return {files: [], problems: [error]}
    if (!(error instanceof FileError || error instanceof UnusableFileError)) throw error
    return {files: [], problems: [registryConfigUnusable({path: registryConfig, reason: `${error.message}.`})]}
  }
}

/** What containerd would not read is refused: a name that is misspelt would go unnoticed. */
async function readFolder(calls: Calls, trusted: Files, folder: string): Promise<Registries> {
  await demandTrees(calls, [folder], 'closed')
  const [files, problems]: [RegistryFile[], K8sWinError[]] = [[], []]
  const refuse = (path: string, reason: string): void => void problems.push(registryConfigUnusable({path, reason}))
  const isKind = async (path: string, wanted: FileKind, reason: string): Promise<boolean> => {
    const {kind} = (await trusted.status(path)) ?? {}
    if (kind !== wanted) refuse(path, kind === undefined ? 'It does not exist.' : reason)
    return kind === wanted
  }
  const namesIn = async (path: string, reason: string): Promise<string[]> =>
    (await isKind(path, 'directory', reason)) ? trusted.list(path) : []
  let left = LARGEST
  for (const registry of await namesIn(folder, 'It is not a folder.')) {
    const inside = child(folder, registry)
    for (const name of await namesIn(inside, 'It is not a folder: every registry has one of its own.')) {
      const [from, path] = [child(inside, name), win32.join(registry, name)]
      if (!(await isKind(from, 'file', 'It is not a file.'))) continue
      const bytes = (await readUserFile(trusted, from)) ?? Buffer.alloc(0)
      const content = bytes.toString('utf8')
      left -= bytes.length
      if (left < 0 || files.length === MOST_FILES)
        throw new UnusableFileError(`It has more than ${MOST_FILES} files, or than 1 MiB`)
      if (!PATH.test(path) || RESERVED.test(name)) refuse(from, NAMES)
      else if (content === '' || !Buffer.from(content).equals(bytes)) refuse(from, 'It is empty, or not text in UTF-8.')
      else files.push({content, path})
    }
  }

  return {files, problems}
}

const NAMES =
  'The folder of a registry is named <host>, <host>_<port>_ or _default, and has hosts.toml and files .crt, .cert, .key and .pem only.'

/** What has no drive letter may be a path of another system, on which k8s-win simulates. */
const child = (folder: string, name: string): string => (/^[a-z]:|\\/i.test(folder) ? win32 : posix).join(folder, name)

/** Each with the path of the file. */
function problemsIn(all: readonly RegistryFile[]): (readonly [path: string, reason: string])[] {
  return [...new Set(all.map(({path}) => win32.dirname(path)))].flatMap((registry) => {
    const own = all.filter(({path}) => win32.dirname(path) === registry)
    const hosts = own.find(isHosts)
    const {authorities, clients, problems} = hosts ? readHostsFile(hosts.content) : asDocker(own)
    const where = hosts?.path ?? registry
    /** containerd takes a relative path from the folder of hosts.toml; an absolute one would not be that of the copy. */
    const contentOf = (named: string): string => {
      const path = win32.isAbsolute(named) ? undefined : keyOf(win32.join(registry, named))
      const found = all.find((one) => keyOf(one.path) === path)
      if (!found) throw new UnusableFileError(`${named} is not the relative path of a file in the folder`)
      return found.content
    }
    const reasons = [
      ...authorities.flatMap((named) => reasonOf(named, () => readAuthorities(contentOf(named)))),
      ...clients.flatMap(([cert, key]) => reasonOf(cert, () => readKeyPair(contentOf(cert), contentOf(key)))),
    ]
    return [...problems, ...reasons].map((reason) => [where, reason] as const)
  })
}

/** Hosts whose certificates containerd does not verify, by the hosts.toml of the registry. */
export const unverifiedIn = ({files}: Pick<Registries, 'files'>): {readonly host: string; readonly path: string}[] =>
  files
    .filter(isHosts)
    .flatMap(({content, path}) =>
      readHostsFile(content).unverified.map((address) => ({host: address || win32.dirname(path), path})),
    )

/** What containerd reads is written anew from what was parsed: the reader here must not be more liberal than containerd's. */
const asWritten = (file: RegistryFile): RegistryFile => ({
  ...file,
  content: isHosts(file) ? readHostsFile(file.content).written : rewrittenPem(file.content),
})

const isHosts = ({path}: RegistryFile): boolean => keyOf(win32.basename(path)) === 'hosts.toml'

function reasonOf(named: string, read: () => unknown): string[] {
  try {
    read()
    return []
  } catch (error) {
    if (error instanceof UnusableFileError) return [`${named}: ${error.message}.`]
    throw error
  }
}

/** What containerd uses where there is no hosts.toml (loadCertFiles). */
function asDocker(own: readonly RegistryFile[]): ReturnType<typeof readHostsFile> {
  const names = own.map(({path}) => win32.basename(path))
  const ending = (end: string): string[] => names.filter((name) => name.endsWith(end))
  const clients = ending('.cert').map((name) => {
    const key = name.replace(/cert$/, 'key')
    return [name, names.includes(key) ? key : name] as const
  })
  const authorities = ending('.crt')
  const problems = authorities.length + clients.length > 0 ? [] : ['It has no hosts.toml, and no file .crt or .cert.']
  return {authorities, clients, headers: [], problems, unverified: [], written: ''}
}

const isCopy = shaped<Pick<Registries, 'files'>>({
  files: listOf(shaped<RegistryFile>({content: isText, path: isText})),
})

export const copyText = ({files}: Registries): string => `${JSON.stringify({files, schemaVersion: 1}, undefined, 2)}\n`

async function readCopy(trusted: Pick<Files, 'read'>, path: string): Promise<Registries> {
  const copy = parseJson((await trusted.read(path))?.toString('utf8') ?? '')
  if (!isCopy(copy) || !copy.files.every((one) => PATH.test(one.path))) throw registryConfigLost({path})
  return {files: copy.files, problems: []}
}

/** Keys, and values of headers: also without "Basic" or "Bearer", and the password alone. */
export function secretsInRegistries({files}: Pick<Registries, 'files'>): string[] {
  const headers = files.filter(isHosts).flatMap(({content}) => readHostsFile(content).headers)
  const words = headers.flatMap((value) => value.split(/\s+/))
  const logins = words.map((word) =>
    Buffer.from(word, 'base64')
      .toString('utf8')
      .replace(/^[^:]*:?/, ''),
  )
  const keys = files.map(({content}) => content).filter((content) => content.includes('PRIVATE KEY'))
  return [...headers, ...words, ...logins, ...keys, ...keys.map(keyBody)].filter((secret) => secret !== '')
}

/** Best effort, of the copy of a node: one that cannot be read cannot be shown either. */
export async function secretsOfCopy(trusted: Pick<Files, 'read'>, baseDir: string): Promise<string[]> {
  return secretsInRegistries(await readCopy(trusted, layoutOf(baseDir).registries).catch(() => ({files: []})))
}
