// What setup may have made or changed, where no journal says whether it was so before: it stays, and is told.
import {win32} from 'node:path'
import {tagsOf} from '../components/images.js'
import {CNI_STATE_FOLDER, CNI_TREES, KUBELET_TREES, layoutOf, NET_CONF, SUBNET_ENV} from '../config/layout.js'
import {isAdministratorsOnly} from '../host/access.js'
import type {JournalEntry} from './journal.js'
import type {Marks} from './marked-files.js'

/** Pulled, and tagged. */
export async function tellImages({config, host, isNamed, leave}: Marks): Promise<void> {
  const tags = tagsOf((await host.os.version())?.build ?? 0)
  const asked = {nanoserver: config.nanoserverTag, servercore: config.servercoreTag}
  const there: string[] = []
  for (const name of ['nanoserver', 'servercore'] as const) {
    const repository = `${config.imageRegistry}/windows/${name}`
    const pulled = `${repository}:${asked[name] ?? tags?.[name] ?? 'latest'}`
    const entries: readonly (JournalEntry & {readonly reference: string})[] = [
      {kind: 'image-pull', reference: pulled},
      {kind: 'image-tag', reference: `${repository}:latest`},
    ]
    for (const entry of entries) {
      const {reference} = entry
      if (isNamed(entry) || there.includes(reference)) continue
      if (await host.docker.image(reference)) there.push(reference)
    }
  }

  if (there.length === 0) return
  leave(`the images ${there.join(', ')}, for nobody knows any more whether they had these names before setup`)
}

/** Volumes and logs of pods are in them, perhaps of a kubelet before ours. */
export async function tellFolders({host, isNamed, leave}: Marks): Promise<void> {
  const thereOf = async (kind: 'directory' | 'tree', paths: readonly string[]): Promise<string[]> => {
    const there: string[] = []
    for (const path of paths) if (!isNamed({kind, path}) && (await host.files.status(path))) there.push(path)
    return there
  }

  const trees = await thereOf('tree', [...KUBELET_TREES, ...CNI_TREES])
  if (trees.length > 0)
    leave(
      `${trees.join(', ')}, for nobody knows any more whether they were there before setup. If nothing else needs them, remove them by hand`,
    )
  const around = [NET_CONF, SUBNET_ENV, CNI_STATE_FOLDER, ...KUBELET_TREES].map(topOf)
  const outer = await thereOf('directory', [...new Set(around)])
  if (outer.length > 0)
    leave(
      `${outer.join(', ')}, and the folders in them that are empty afterwards, for they may have been there before setup`,
    )
}

const topOf = (path: string): string => {
  const parent = win32.dirname(path)
  return win32.dirname(parent) === parent ? path : topOf(parent)
}

/** Setup closes them to others, and notes what they were. */
export async function tellAccess({config, host, isNamed, leave}: Marks): Promise<void> {
  const closed: string[] = []
  for (const path of [config.baseDir, layoutOf(config.baseDir).kubeconfig, CNI_STATE_FOLDER]) {
    if (isNamed({kind: 'security', path, previous: ''}) || isNamed({kind: 'directory', path})) continue
    if (!(await host.files.status(path))) continue
    if (isAdministratorsOnly(await host.security.of(path))) closed.push(path)
  }

  if (closed.length === 0) return
  leave(
    `the access lists of ${closed.join(', ')}: only administrators have access, and nobody knows any more who had it before setup`,
  )
}
