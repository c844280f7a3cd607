// Assumptions about what the service manager does around a service: its own environment, its key.
import {win32 as windowsPath} from 'node:path'
import {isWin32} from '../../../../src/host/services/stop.js'
import {openServices, type ServiceSpec} from '../../../../src/host/services/services.js'
import type {Machine} from '../../../../src/machine/machine.js'
import {changing, compared, notSettled, type Settler} from './settler.js'

const CMD = String.raw`C:\Windows\System32\cmd.exe`
const DEPENDENCY_FAILED = 1068
const NO_ANSWER = 1053

const spec = (name: string, command: readonly string[], more: Partial<ServiceSpec> = {}): ServiceSpec => ({
  command,
  dependencies: [],
  description: 'A trial of the k8s-win lab. It may be deleted.',
  environment: {},
  name,
  ...more,
})

/** With services that are there for one question. */
async function withServices<T>(
  {clock, win32}: Machine,
  specs: readonly ServiceSpec[],
  work: () => Promise<T>,
): Promise<T> {
  const {signal} = new AbortController()
  const services = openServices(win32, clock)
  try {
    for (const one of specs) await services.ensure(one, signal)
    return await work()
  } finally {
    for (const {name} of [...specs].reverse()) await services.remove(name, signal)
  }
}

/** The code StartService is refused with; 0 where it is not. */
async function start({win32}: Machine, name: string): Promise<number> {
  try {
    await win32.startService(name)
    return 0
  } catch (error) {
    if (isWin32(error, DEPENDENCY_FAILED, NO_ANSWER)) return error.code
    throw error
  }
}

/** A program that ends before it connects has had its environment all the same. */
export const serviceEnvironment: Settler = changing(async ({machine, scratch}) => {
  const file = windowsPath.join(scratch, 'environment.txt')
  const name = 'k8s-win-lab-environment'
  const trial = spec(name, [CMD, '/d', '/c', 'set', 'K8S_WIN_LAB_', '>', file], {environment: {K8S_WIN_LAB_X: 'a b'}})
  return withServices(machine, [trial], async () => {
    await start(machine, name)
    const told = await machine.files.read(file)
    if (told === undefined) return notSettled('its program wrote no environment')
    const seen = told.toString('latin1').trim()
    return compared(seen === 'K8S_WIN_LAB_X=a b', seen || 'nothing of it', 'K8S_WIN_LAB_X=a b')
  })
})

/** As any reader of the registry finds a service that was just registered. */
export const registryKey: Settler = changing(async ({machine}) => {
  const name = 'k8s-win-lab-key'
  return withServices(machine, [spec(name, [CMD, '/c', 'exit', '7'])], async () => {
    const key = String.raw`SYSTEM\CurrentControlSet\Services` + `\\${name}`
    const {ImagePath, PreshutdownTimeout} = await machine.win32.registryValues('HKLM', key)
    const seen = `ImagePath is ${ImagePath?.type ?? 'not there'}, PreshutdownTimeout ${String(PreshutdownTimeout?.data ?? 'not there')}`
    const assumed = 'ImagePath is REG_EXPAND_SZ, PreshutdownTimeout not there'
    return compared(seen === assumed, seen, assumed)
  })
})
