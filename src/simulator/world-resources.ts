// What a simulated host has of disks, memory and features, and how its Docker is set up. All optional: without it the host is roomy.
import type {Drive, Memory} from '../machine/win32.js'
import {boolean, list, map, moment, number, object, oneOf, type Schema, string} from './schema-parts.js'

/** One entry of an event log. */
export interface LoggedEvent {
  at: number
  data: string[]
  id: number
  /** 1 critical, 2 error, 3 warning, 4 information. */
  level: number
  provider: string
}

export interface HostResources {
  /** By letter and colon. Only C: holds files; others are there to be looked at. */
  drives?: Record<string, Drive>
  /** By channel, e.g. "System". */
  eventLogs?: Record<string, LoggedEvent[]>
  /** TCP ports that Windows keeps for others, as first and last. */
  excludedPorts?: {from: number; to: number}[]
  features?: {
    /** False: vmcompute.dll is not there. */
    containers?: boolean
  }
  memory?: Memory
}

export interface DockerSettings {
  /** Where images and containers are kept. */
  dataRoot?: string
  httpProxy?: string
  httpsProxy?: string
  loggingDriver?: string
  /** Those that somebody created, beside nat and none. */
  networks?: {driver: string; id: string; labels: Record<string, string>; name: string}[]
  noProxy?: string
}

const GIB = 2 ** 30

export const DEFAULT_DRIVES: Readonly<Record<string, Drive>> = {
  'C:': {fileSystem: 'NTFS', freeBytes: 96 * GIB, kind: 'fixed', totalBytes: 127 * GIB},
}
export const DEFAULT_MEMORY: Memory = {availableBytes: 6 * GIB, totalBytes: 8 * GIB}
export const DEFAULT_DATA_ROOT = String.raw`C:\ProgramData\docker`

/** Optional properties of `os`. */
export const RESOURCE_PROPERTIES: Record<keyof HostResources, Schema> = {
  drives: {
    ...map(
      object({
        fileSystem: string,
        freeBytes: number,
        kind: oneOf('cdrom', 'fixed', 'network', 'ramdisk', 'removable', 'unknown'),
        totalBytes: number,
      }),
    ),
    description: 'By letter and colon, e.g. "C:".',
  },
  eventLogs: {
    ...map(list(object({at: moment, data: list(string), id: number, level: number, provider: string}))),
    description: 'By channel, e.g. "System".',
  },
  excludedPorts: {
    ...list(object({from: number, to: number})),
    description: 'TCP ports that Windows keeps for others, as first and last.',
  },
  features: {
    ...object({}, {containers: boolean}),
    description: 'Windows features; one that is not named is installed.',
  },
  memory: object({availableBytes: number, totalBytes: number}),
}

/** Optional properties of `docker`. */
export const DOCKER_PROPERTIES: Record<keyof DockerSettings, Schema> = {
  dataRoot: string,
  httpProxy: string,
  httpsProxy: string,
  loggingDriver: string,
  networks: list(object({driver: string, id: string, labels: map(string), name: string})),
  noProxy: string,
}
