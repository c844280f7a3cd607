// What of a simulated host must be the same before and after: without clocks, process numbers, and what stays by contract.
import type {World} from '../../src/simulator/world.js'
import {type HostFolder, securityBut, withoutOwnEvents} from './host-folder.js'

/** Logs, downloads and our own records stay (docs/reset.md); a base directory holds them. */
const STAYS = /^[^/]+\/(downloads|k8s-win|logs)(\/.*)?$/
const IDENTIFIERS = new Set(['ID', 'MacAddress', 'References', 'SourceMac', 'VirtualNetwork'])
/** flanneld's lease goes with the node object it stands on. */
const LEASE = 'flannel.alpha.coreos.com/'

/** By path, so that a difference is reported as one line. */
export type Comparable = Readonly<Record<string, unknown>>

export interface Forgiveness {
  readonly files?: RegExp
  world?(world: World): void
}

export function comparable(host: HostFolder, forgive: Forgiveness = {}): Comparable {
  const {world} = host
  const stays = (name: string): boolean => STAYS.test(name) || (forgive.files?.test(name) ?? false)
  forgive.world?.(world)
  const {bootEnvironment: _boot, lastProcessId: _last, vswitch: _switch, ...os} = withoutOwnEvents(world.os)
  return flat({
    files: host.filesBut(stays),
    world: {
      ...world,
      containerd: {...world.containerd, images: sorted(world.containerd.images)},
      cluster: {...world.cluster, nodes: world.cluster.nodes.map(nodeOf)},
      docker: {...world.docker, containers: world.docker.containers.map(containerOf), images: imagesOf(world)},
      hns: {
        endpoints: withoutIdentifiers(world.hns.endpoints),
        networks: withoutIdentifiers(world.hns.networks),
        policyLists: withoutIdentifiers(world.hns.policyLists),
      },
      os: {...os, lastProcessId: 0, offlineUntil: 0, time: 0},
      routes: sorted(world.routes),
      security: securityBut(world, stays),
      services: Object.fromEntries(Object.entries(world.services).map(([name, entry]) => [name, serviceOf(entry)])),
    },
  })
}

function flat(value: unknown, path = '', all: Record<string, unknown> = {}): Comparable {
  const isWhole = typeof value !== 'object' || value === null
  all[path] = isWhole ? value : Array.isArray(value) ? 'list' : 'object'
  if (!isWhole) for (const [key, part] of Object.entries(value)) flat(part, path === '' ? key : `${path} ${key}`, all)
  return all
}

function nodeOf({heartbeatAt: _at, ...node}: World['cluster']['nodes'][number]): object {
  const annotations = Object.entries(node.annotations).filter(([name]) => !name.startsWith(LEASE))
  return {...node, annotations: Object.fromEntries(annotations)}
}

function serviceOf({config, deleting, process, state}: World['services'][string]): object {
  const running = process && {arguments: process.arguments, environment: process.environment, program: process.program}
  return {config, deleting, running, state}
}

const containerOf = ({image, labels, state}: World['docker']['containers'][number]): object => ({image, labels, state})

/** An image that lost its last name stays until a user prunes. */
const imagesOf = ({docker}: World): object[] =>
  sorted(
    docker.images
      .filter(({tags}) => tags.length > 0)
      .map(({created: _created, tags, ...image}) => ({...image, tags: [...tags].sort()})),
  )

function withoutIdentifiers(objects: readonly Record<string, unknown>[]): object[] {
  return sorted(
    objects.map((one) => Object.fromEntries(Object.entries(one).filter(([field]) => !IDENTIFIERS.has(field)))),
  )
}

function sorted<T extends object>(objects: readonly T[]): T[] {
  return [...objects].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}
