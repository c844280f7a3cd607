// The Win32 calls of the twin: its models answer what it may have changed, the host everything else.
import {win32 as windowsPath} from 'node:path'

import type {Files} from '../../machine/files.js'
import {surveyOver} from '../../machine/survey.js'
import {type Win32, WIN32_EFFECTS} from '../../machine/win32.js'
import type {Effects} from '../effects.js'
import {onDrive} from '../windows/win32.js'
import type {ServiceEntry} from '../world.js'
import type {Learner} from './learn.js'
import type {TwinSecurity} from './security.js'

const SESSION_KEY = String.raw`SYSTEM\CurrentControlSet\Control\Session Manager`
const ENVIRONMENT_KEY = `${SESSION_KEY}\\Environment`

interface TwinWin32Parts {
  readonly effects: Effects
  readonly files: Files
  readonly host: Win32
  readonly learner: Learner
  readonly model: Win32
  readonly security: TwinSecurity
}

export function createTwinWin32({effects, files, host, learner, model, security}: TwinWin32Parts): Win32 {
  /** First reads the host, while time stands still, then asks the model. */
  const after =
    <A extends readonly unknown[], T>(learn: (...args: A) => Promise<void>, call: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      await effects.clock.whileBusy(() => learn(...args))
      return call(...args)
    }
  const learnPath = (path: string): Promise<void> => security.learn(path)
  const securityOf = after(learnPath, model.securityOf)
  const {key, service} = learner

  const services = (): ServiceEntry[] => Object.values(effects.stage.world.services)
  /** It was not started on the twin: its processes are the host's, whatever numbers the model gave them. */
  const runsOnHost = async ({name, processId}: ServiceEntry): Promise<boolean> =>
    (await host.queryServiceStatus(name))?.processId === processId
  /** Undefined for a process of the host. */
  const madeBy = async (id: number): Promise<ServiceEntry | undefined> => {
    const entry = services().find(({process, processId}) => [processId, process?.childProcessId].includes(id))
    return entry && !(await runsOnHost(entry)) ? entry : undefined
  }

  /** Of services that run as on the host, its processes; of those that were started on the twin, the model's. */
  const merged = async <T extends {readonly id: number}>(seen: readonly T[], made: readonly T[]): Promise<T[]> => {
    const kept = new Set<number>()
    for (const entry of services()) if (await runsOnHost(entry)) kept.add(entry.processId)
    const own = new Set(
      (await model.processes()).flatMap(({id, parentId}) => (kept.has(id) || kept.has(parentId) ? [] : [id])),
    )
    return [...seen.filter(({id}) => !own.has(id)), ...made.filter(({id}) => own.has(id))]
  }

  const own: Partial<Win32> = {
    adapters: model.adapters,
    broadcastEnvironmentChange: after(() => key('HKLM', ENVIRONMENT_KEY), model.broadcastEnvironmentChange),
    changeService: after((name) => service(name), model.changeService),
    createService: after((name) => service(name), model.createService),
    deleteAtRestart: after((_path: string) => key('HKLM', SESSION_KEY), model.deleteAtRestart),
    deleteRegistryValue: after((root, path) => key(root, path), model.deleteRegistryValue),
    deleteService: after((name) => service(name), model.deleteService),
    dependentServices: after((name) => service(name), model.dependentServices),
    hnsCall: model.hnsCall,
    // A connection to what was there before may be the model's, too: it has the host's listener at its other end.
    peerProcess: (ends) =>
      effects.clock.whileBusy(async () => {
        const made = await model.peerProcess(ends)
        if (made === undefined) return host.peerProcess(ends)
        if (await madeBy(made)) return made
        const owners = await host.portOwners('tcp', ends.remote.port)
        return (owners.find(({address}) => address === ends.remote.address) ?? owners[0])?.processId
      }),
    // Of what was started on the twin the model knows; of what runs on the host, the host.
    pipeServer: (pipe) =>
      effects.clock.whileBusy(async () => {
        const server = await model.pipeServer(pipe)
        return server && (await madeBy(server.processId)) ? server : host.pipeServer(pipe)
      }),
    portOwners: (protocol, port) =>
      effects.clock.whileBusy(async () => {
        const owners = await model.portOwners(protocol, port)
        const made = await Promise.all(owners.map(({processId}) => madeBy(processId)))
        return made.some((one) => one !== undefined) ? owners : host.portOwners(protocol, port)
      }),
    processes: () => effects.clock.whileBusy(async () => merged(await host.processes(), await model.processes())),
    processPaths: (name) =>
      effects.clock.whileBusy(async () => merged(await host.processPaths(name), await model.processPaths(name))),
    // Numbers of the model's processes may be those of others on the host.
    processStartedAt: (id) =>
      effects.clock.whileBusy(async () => ((await madeBy(id)) ? model : host).processStartedAt(id)),
    queryServiceConfig: after((name) => service(name), model.queryServiceConfig),
    queryServiceStatus: after((name) => service(name), model.queryServiceStatus),
    registryValue: after((root, path) => key(root, path), model.registryValue),
    registryValues: after((root, path) => key(root, path), model.registryValues),
    routes: model.routes,
    securityOf,
    setRegistryValue: after((root, path) => key(root, path), model.setRegistryValue),
    setSecurity: after((path) => learnPath(path), model.setSecurity),
    startService: after((name) => service(name), model.startService),
    stopService: after((name) => service(name), model.stopService),
    survey: onDrive(surveyOver(files, securityOf, windowsPath.join)),
  }

  const calls = Object.keys(WIN32_EFFECTS) as (keyof Win32)[]
  const answered = calls.map((call) => {
    const known = own[call] ?? (WIN32_EFFECTS[call] === 'change' ? model[call] : undefined)
    const ask = host[call] as (...args: readonly unknown[]) => Promise<unknown>
    return [call, known ?? ((...args: readonly unknown[]) => effects.clock.whileBusy(() => ask(...args)))] as const
  })
  return Object.fromEntries(answered) as unknown as Win32
}
