// What a plan amounts to, in a few lines: what there is to know before its changes are read one by one.
import type {World} from '../../simulator/index.js'
import {shortList} from '../short-list.js'
import type {RecordedChange} from './record.js'

/** Call it before anything is done on the twin; the answer gives the summary of what was done there since. */
export function watchTwin(world: World, now: () => number): (changes: readonly RecordedChange[]) => string[] {
  const imagesOf = () => [...world.docker.images, ...world.containerd.images]
  const known = new Set(imagesOf().map(({id}) => id))
  const {offlineUntil} = world.os
  const networks = new Map(
    world.hns.networks.map(({ID, Name}) => [`/networks/${String(ID)}`.toLowerCase(), String(Name)]),
  )
  const startedAt = now()
  return (changes) => {
    const wanted = new Set(changes.flatMap(pulledBy))
    const pulled = imagesOf().filter(({id, tags}) => !known.has(id) && tags.some((tag) => wanted.has(tag)))
    return [
      ...downloadLine(changes),
      ...(pulled.length === 0 ? [] : [`images: pull ${pulled.length}, about ${gigabytes(pulled)} on disk`]),
      ...serviceLine(changes),
      ...networkLine(changes, networks),
      ...firewallLine(changes),
      ...(world.os.offlineUntil === offlineUntil ? [] : [INTERRUPTION]),
      ...(changes.length === 0
        ? []
        : [timeLine(now() - startedAt, wanted.size > 0 || changes.some(({kind}) => kind === 'download'))]),
    ]
  }
}

const INTERRUPTION = 'network: this host is offline for some seconds when the overlay network is created'

const gigabytes = (images: readonly {readonly size: number}[]): string =>
  `${(images.reduce((sum, {size}) => sum + size, 0) / 1e9).toFixed(1)} GB`

/** By Docker, or by crictl. */
function pulledBy(change: RecordedChange): string[] {
  if (change.kind === 'run' && change.args.includes('pull')) return change.args.slice(-1)
  if (change.kind !== 'request' || !change.pipe) return []
  const {searchParams} = new URL(change.url)
  return searchParams.has('fromImage') ? [`${searchParams.get('fromImage')}:${searchParams.get('tag')}`] : []
}

function downloadLine(changes: readonly RecordedChange[]): string[] {
  const downloads = changes.flatMap((change) => (change.kind === 'download' ? [change] : []))
  if (downloads.length === 0) return []
  const megabytes = Math.max(1, Math.round(downloads.reduce((sum, {bytes = 0}) => sum + bytes, 0) / 1e6))
  const hosts = new Set(downloads.map(({url}) => new URL(url).host))
  return [`downloads: ${downloads.length}, ${megabytes} MB, from ${shortList([...hosts])}`]
}

const SERVICE_CALLS = {
  changeService: 'change',
  createService: 'create',
  deleteService: 'delete',
  stopService: 'stop',
} as const

function serviceLine(changes: readonly RecordedChange[]): string[] {
  const parts = Object.entries(SERVICE_CALLS).flatMap(([name, verb]) => {
    const called = changes.flatMap((change) =>
      change.kind === 'win32' && change.call === name ? [String(change.args[0])] : [],
    )
    return called.length === 0 ? [] : [`${verb} ${shortList([...new Set(called)])}`]
  })
  return parts.length === 0 ? [] : [`services: ${parts.join('; ')}`]
}

/** By the path of the request that removes it. */
function networkLine(changes: readonly RecordedChange[], networks: ReadonlyMap<string, string>): string[] {
  const removed = changes.flatMap((change) => {
    if (change.kind !== 'win32' || change.call !== 'hnsCall' || change.args[0] !== 'DELETE') return []
    return networks.get(String(change.args[1]).toLowerCase()) ?? []
  })
  return removed.length === 0 ? [] : [`HNS: remove ${shortList([...new Set(removed)])} with everything on it`]
}

function firewallLine(changes: readonly RecordedChange[]): string[] {
  const rules = (verb: string): string[] =>
    changes.flatMap((change) =>
      change.kind === 'run' && change.args.includes('advfirewall') && change.args.includes(verb)
        ? change.args.filter((word) => word.startsWith('name=')).map((word) => word.slice('name='.length))
        : [],
    )
  const parts = ['add', 'delete'].flatMap((verb) => {
    const names = rules(verb)
    return names.length === 0 ? [] : [`${verb} ${shortList([...new Set(names)])}`]
  })
  return parts.length === 0 ? [] : [`firewall: ${parts.join('; ')}`]
}

/** Downloads and pulls take as long on the twin as with about 20 MB per second. */
function timeLine(ms: number, isTransferring: boolean): string {
  const minutes = Math.round(ms / 60_000)
  return `time: ${minutes < 1 ? 'less than a minute' : `about ${minutes} min`}${isTransferring ? ' at 20 MB/s' : ''}`
}
