// The Win32 calls of a simulated host. Changes require an administrator.
import {win32 as windowsPath} from 'node:path'

import {surveyOver} from '../../machine/survey.js'
import {type Drive, type Memory, type Win32, Win32Error} from '../../machine/win32.js'
import type {Stage} from '../model.js'
import {addRoute, ERROR_OBJECT_ALREADY_EXISTS} from './adapter-settings.js'
import {events, reportEvent} from './events.js'
import {hasComputeLibrary} from './features.js'
import {hnsCall} from './hns.js'
import {deleteAtRestart} from './restart.js'
import {peerProcess, pipeServer, portOwners} from './pipes.js'
import {
  hasRegistryKey,
  keysBelow,
  readRegistryValue,
  readRegistryValues,
  refreshEnvironment,
  registryPath,
  removeRegistryValue,
  systemRootOf,
  writeRegistryValue,
} from './registry.js'
import * as scm from './scm.js'
import {endProgram} from './end-program.js'
import {OWN_PROCESS, processPaths, processStartedAt, runningProcesses} from './service-process.js'
import {runningShim} from '../containerd/lifetime.js'
import {demandAdministrator, securityOf, setSecurity} from './security.js'

const GIB = 2 ** 30
const DEFAULT_DRIVES: Readonly<Record<string, Drive>> = {
  'C:': {fileSystem: 'NTFS', freeBytes: 96 * GIB, kind: 'fixed', totalBytes: 127 * GIB},
}
const DEFAULT_MEMORY: Memory = {availableBytes: 6 * GIB, totalBytes: 8 * GIB}
/** The SID of a built-in Administrator ends with 500. */
const ADMINISTRATOR = 'S-1-5-21-1004336348-1177238915-682003330-500'
const ERROR_FILE_NOT_FOUND = 2
const ERROR_MOD_NOT_FOUND = 126
const ERROR_SHARING_VIOLATION = 32
const ERROR_SHUTDOWN_IS_SCHEDULED = 1190

export function createWin32(stage: Stage): Win32 {
  const {world} = stage
  const held = new Set<string>()
  const asAdministrator = (call: string, subject: string): void => demandAdministrator(world, call, subject)

  return {
    accountSid: async () => world.os.accountSid ?? ADMINISTRATOR,
    adapters: async () => structuredClone(world.adapters),
    async broadcastEnvironmentChange() {
      refreshEnvironment(world)
    },
    changeService: async (name, changes) => scm.changeService(stage, name, changes),
    computerName: async () => world.os.computerName,
    async createRoute(route) {
      asAdministrator('CreateIpForwardEntry2', route.destination)
      const code = addRoute(world, {...route, origin: 'manual', persistent: false})
      if (code !== 0 && code !== ERROR_OBJECT_ALREADY_EXISTS)
        throw new Win32Error('CreateIpForwardEntry2', code, route.destination)
    },
    createService: async (name, config) => scm.createService(stage, name, config),
    currentProcessId: async () => OWN_PROCESS,
    async deleteAtRestart(path) {
      asAdministrator('MoveFileExW', path)
      deleteAtRestart(world, path)
    },
    async deleteRegistryValue(root, key, name) {
      asAdministrator('RegDeleteKeyValueW', key)
      const removed = removeRegistryValue(world, registryPath(root, key), name)
      if (!removed) throw new Win32Error('RegDeleteKeyValueW', ERROR_FILE_NOT_FOUND, `${key}\\${name}`)
    },
    deleteService: async (name) => scm.deleteService(stage, name),
    dependentServices: async (name) => scm.dependentServices(stage, name),
    async destroyLayer(path) {
      asAdministrator('DestroyLayer', path)
      if (!hasComputeLibrary(world)) throw new Win32Error('LoadLibrary', ERROR_MOD_NOT_FOUND, 'vmcompute.dll')
      if (runningShim(world) !== undefined) throw new Win32Error('DestroyLayer', ERROR_SHARING_VIOLATION, path)
      await stage.files.remove(path)
    },
    drive: async (name) => structuredClone((world.os.drives ?? DEFAULT_DRIVES)[name.toUpperCase()]),
    async endProgram(path) {
      asAdministrator('TerminateProcess', path)
      return endProgram(stage, path)
    },
    events: async (channel, most, only) => events(world, channel, most, only),
    async hnsCall(method, path, request) {
      if (!hasComputeLibrary(world)) {
        throw new Win32Error('LoadLibrary', ERROR_MOD_NOT_FOUND, `${systemRootOf(world)}\\System32\\vmcompute.dll`)
      }
      return hnsCall(stage, method, path, request)
    },
    isAdministrator: async () => world.os.administrator,
    isMutexHeld: async (name) => stage.isLocked?.(name) ?? held.has(name),
    memory: async () => ({...(world.os.memory ?? DEFAULT_MEMORY)}),
    peerProcess: async (ends) => peerProcess(stage, ends),
    pipeServer: async (pipe) => pipeServer(stage, pipe),
    portOwners: async (protocol, port) => portOwners(stage, `${protocol}/${port}`),
    processes: async () => runningProcesses(stage),
    processPaths: async (name) => processPaths(stage, name),
    processStartedAt: async (processId) => processStartedAt(stage, processId),
    queryServiceConfig: async (name) => structuredClone(scm.queryServiceConfig(stage, name)),
    queryServiceStatus: async (name) => scm.queryServiceStatus(stage, name),
    registryKeyExists: async (root, key) => hasRegistryKey(world, registryPath(root, key)),
    registryKeys: async (root, key) => keysBelow(world, registryPath(root, key)),
    registryValue: async (root, key, name) => structuredClone(readRegistryValue(world, registryPath(root, key), name)),
    registryValues: async (root, key) => structuredClone(readRegistryValues(world, registryPath(root, key))),
    async restartWindows() {
      asAdministrator('InitiateShutdownW', 'this computer')
      if (world.os.restarting) throw new Win32Error('InitiateShutdownW', ERROR_SHUTDOWN_IS_SCHEDULED, 'this computer')
      world.os.restarting = true
    },
    reportEvent: async (level, id, text) => reportEvent(world, stage.now(), level, id, text),
    routes: async () => structuredClone(world.routes),
    securityOf: (path) => securityOf(stage, path),
    async setRegistryValue(root, key, name, value) {
      asAdministrator('RegSetKeyValueW', key)
      writeRegistryValue(world, registryPath(root, key), name, value)
    },
    async setSecurity(path, sddl) {
      asAdministrator('SetNamedSecurityInfoW', path)
      await setSecurity(stage, path, sddl)
    },
    startService: (name) => scm.startService(stage, name),
    stopService: async (name) => scm.stopService(stage, name),
    survey: onDrive(surveyOver(stage.files, (path) => securityOf(stage, path), windowsPath.join)),
    systemUuid: async () => world.os.systemUuid,
    async takeMutex(name) {
      if (stage.lock) return stage.lock(name)
      if (held.has(name)) return undefined
      held.add(name)
      return async () => void held.delete(name)
    },
  }
}

/** Files of the real machine have no Windows access list, and are left out. */
export const onDrive =
  (survey: Win32['survey']): Win32['survey'] =>
  (places) =>
    survey(places.filter(({path}) => /^(?:\\\\\?\\)?[a-z]:/i.test(path)))
