// Whatever file or folder of the node somebody deleted, reset --purge removes the rest.
import {expect} from 'vitest'
import {endHost} from '../interruption/host-end.js'
import type {HostFolder} from '../steps/host-folder.js'
import {resetOn} from './reset-run.js'
import type {SetUpHost} from './set-up-host.js'

export interface Deletion {
  readonly hasCluster: boolean
  readonly path: string
  readonly restarts: boolean
}

/** Without the journal what is k8s-win's is known by its marks only: that has tests of its own. */
const JOURNAL = /^k\\k8s-win(?:\\journal\.ndjson)?$|^k$/

/** Every file that setup or a daemon made, and every folder that has some of them only. */
export function madeBy(before: ReadonlyMap<string, string>, host: HostFolder): string[] {
  const old = new Set([...before.keys()].map((line) => line.replace(/^files > /, '').toLowerCase()))
  const files = Object.keys(host.filesBut(() => false))
  const folders = files.flatMap((file) => {
    const parts = file.split('/')
    return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('/'))
  })
  const paths = [...new Set([...files, ...folders])].filter((path) => !old.has(path.toLowerCase()))
  const isOurs = (path: string): boolean => ![...old].some((one) => one.startsWith(`${path.toLowerCase()}/`))
  return paths
    .filter(isOurs)
    .map((path) => path.replaceAll('/', '\\'))
    .filter((path) => !JOURNAL.test(path))
    .toSorted()
}

export const deletionsOf = (paths: readonly string[]): Deletion[] =>
  paths.flatMap((path) =>
    [false, true].flatMap((restarts) => [true, false].map((hasCluster) => ({hasCluster, path, restarts}))),
  )

export async function endOf(
  {copy}: SetUpHost,
  {hasCluster, path, restarts}: Deletion,
  profile: string,
): Promise<string> {
  const host = copy()
  host.remove(path)
  if (!hasCluster) host.edit(({cluster}) => (cluster.reachable = false))
  if (restarts) await endHost(host, 'shutdown', profile)
  const {result} = await resetOn(host.dir, {given: {purge: true}, profile})
  host.discard()
  return [result.exitCode, ...(result.errors ?? (result.error ? [result.error] : [])).map(({id}) => id)].join(' ')
}

export async function expectRemovable(made: SetUpHost, deletions: readonly Deletion[], profile: string): Promise<void> {
  const ends: string[] = []
  for (const deletion of deletions) {
    const end = await endOf(made, deletion, profile)
    const {hasCluster, path, restarts} = deletion
    if (end !== '0') ends.push(`${path}${restarts ? ', restart' : ''}${hasCluster ? '' : ', no cluster'}: ${end}`)
  }
  expect(ends).toEqual([])
}
