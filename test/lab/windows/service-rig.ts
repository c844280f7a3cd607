// Services the suites make: in a folder with spaces and any letters, under names of their own, and gone afterwards.
import {copyFile, mkdtemp, readFile, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {openServices, type Services, type ServiceSpec} from '../../../src/host/services/services.js'
import {waitFor} from '../../../src/host/wait.js'
import type {Clock} from '../../../src/machine/clock.js'
import type {Machine} from '../../../src/machine/machine.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import type {ServiceStatus} from '../../../src/machine/win32.js'
import {CHANGES_ALLOWED, PROGRAMS} from './windows-host.js'

/** Why a suite that makes services is skipped. */
export const SKIP_SERVICES = !CHANGES_ALLOWED && 'makes services: allowed with --yes-change-this-host'
export const SKIP_PROCESSES = SKIP_SERVICES || (PROGRAMS === undefined && 'needs service.exe, compiled in the lab')

const WAIT_MS = 60_000

export interface ServiceRig {
  readonly folder: string
  readonly machine: Machine
  readonly services: Services
  readonly signal: AbortSignal
  /** A copy of the stand-in under this name. */
  program(name: string): Promise<string>
  /** A specification whose service is removed in the end. */
  spec(name: string, command: readonly string[], rest?: Partial<ServiceSpec>): ServiceSpec
  /** Removed in the end, whoever makes it. */
  claim(name: string): void
  /** Waits until the service is as asked. */
  status(name: string, is: (status: ServiceStatus) => boolean): Promise<ServiceStatus>
  /** What a stand-in with --lab-tell wrote; with another process id than the one given. */
  told(file: string, not?: number): Promise<Told>
  /** Until the probe has an answer. */
  until<T>(what: string, probe: () => Promise<T | undefined>): Promise<T>
  close(): Promise<void>
}

export interface Told {
  readonly argv: readonly string[]
  readonly environment: readonly string[]
  readonly pid: number
}

export async function openServiceRig(): Promise<ServiceRig> {
  const machine = openRealMachine()
  const folder = await mkdtemp(path.join(tmpdir(), 'k8s-win services ü中-'))
  const services = openServices(machine.win32, machine.clock)
  const {signal} = new AbortController()
  const claimed = new Set<string>()

  const until = async <T>(what: string, probe: () => Promise<T | undefined>): Promise<T> => {
    const found = await waitFor(machine.clock, {deadlineMs: WAIT_MS, everyMs: 50}, probe)
    if (found === undefined) throw new Error(`${what}: not in ${WAIT_MS} ms`)
    return found
  }

  return {
    claim: (name) => void claimed.add(name),
    async close() {
      for (const name of claimed) await services.remove(name, signal)
      await rm(folder, {force: true, maxRetries: 10, recursive: true})
    },
    folder,
    machine,
    async program(name) {
      const file = path.join(folder, name)
      await copyFile(path.join(PROGRAMS!, 'service.exe'), file)
      return file
    },
    services,
    signal,
    spec(name, command, rest = {}) {
      claimed.add(name)
      return {command, dependencies: [], description: 'A service of the lab.', environment: {}, name, ...rest}
    },
    async status(name, is) {
      let last: ServiceStatus | undefined
      return until(`${name} as expected`, async () => {
        last = await services.status(name)
        return last && is(last) ? last : undefined
      }).catch((error: unknown) => {
        throw new Error(`${String(error)}: last seen ${JSON.stringify(last)}`)
      })
    },
    told: (file, not) =>
      until(file, async () => {
        const text = await readFile(file, 'utf8').catch(() => undefined)
        const told = text === undefined ? undefined : (JSON.parse(text) as Told)
        return told?.pid === not ? undefined : told
      }),
    until,
  }
}

/** Real time, only faster: for waits of the product that are minutes long. */
export function hurried(clock: Clock, times: number): Clock {
  return {
    deadline: (ms) => clock.deadline(ms / times),
    elapsed: () => clock.elapsed() * times,
    now: () => clock.now() * times,
    random: () => clock.random(),
    sleep: (ms, signal) => clock.sleep(ms / times, signal),
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
