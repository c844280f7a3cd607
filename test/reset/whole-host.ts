// All of a simulated host, by path, so that a difference is reported as one line. Only its clock is left out, what a reboot
// would change, and k8s-win's own events, which stay in the event log.
import {makeContainerd} from '../../src/simulator/containerd/state.js'
import type {World} from '../../src/simulator/world.js'
import {type HostFolder, withoutOwnEvents} from '../steps/host-folder.js'

export type WholeHost = ReadonlyMap<string, string>

export function wholeHost(host: HostFolder): WholeHost {
  const {world} = host
  // What services see until the next boot, and how this host takes a switch, are no things on it.
  const {bootEnvironment: _boot, lastProcessId: _last, vswitch: _switch, ...os} = withoutOwnEvents(world.os)
  const state = {
    ...world,
    containerd: containerdOf(host),
    docker: dockerOf(world),
    os: {...os, offlineUntil: 0, time: 0},
    routes: sorted(world.routes),
  }
  const lines = new Map<string, string>()
  flatten(
    lines,
    'files',
    host.filesBut(() => false),
  )
  flatten(lines, 'world', state)
  return lines
}

/** What is not the same, or not on both. */
export function differences(before: WholeHost, after: WholeHost): string[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])]
  return paths
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => `${path}: ${shown(before.get(path))} -> ${shown(after.get(path))}`)
}

const shown = (value: string | undefined): string => value?.slice(0, 100) ?? 'nothing'

/** An image without a name is what a build leaves; Docker's own clean-up takes it. */
function dockerOf({docker}: World): object {
  const images = docker.images
    .filter(({tags}) => tags.length > 0)
    .map(({tags, ...image}) => ({...image, tags: [...tags].sort()}))
  return {...docker, images: sorted(images)}
}

/** Images and containers are files of its root folder; the simulator forgets them at its next tick. */
function containerdOf(host: HostFolder): object {
  const {containerd} = host.world
  const isGone = containerd.config && !containerd.running && !host.has(containerd.config.root.slice('C:\\'.length))
  const {containers = [], ...rest} = containerd
  return isGone ? {...makeContainerd(), containers: [], installed: containerd.installed} : {...rest, containers}
}

function sorted<T extends object>(objects: readonly T[]): T[] {
  return [...objects].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}

function flatten(lines: Map<string, string>, path: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) {
    lines.set(path, String(value))
    return
  }

  lines.set(path, Array.isArray(value) ? 'list' : 'object')
  for (const [key, part] of Object.entries(value)) flatten(lines, `${path} > ${key}`, part)
}
