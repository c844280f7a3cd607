// A service whose program is argv-service.exe: registered, changed and started by the product, once for each vector.
import {mkdir, readFile, rm, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {flanneldService} from '../../../src/components/flanneld.js'
import {kubeletService} from '../../../src/components/kubelet.js'
import {layoutOf} from '../../../src/config/layout.js'
import {isWin32} from '../../../src/host/services/stop.js'
import {openServices, type ServiceSpec} from '../../../src/host/services/services.js'
import {waitFor} from '../../../src/host/wait.js'
import type {Machine} from '../../../src/machine/machine.js'
import {exampleNode} from '../../components/example.js'
import type {Echo} from './echo.js'

/** It was asked, and ended before it had answered. */
const ERROR_BROKEN_PIPE = 109
const ERROR_SERVICE_DATABASE_LOCKED = 1055

/** flanneld's behind shawl, or the kubelet's, which speaks to the service manager itself. */
export type ServiceKind = 'kubelet' | 'shawl'

export interface EchoService {
  /** Starts it with the product's arguments and these behind them; `args` is what should arrive. */
  echo(extra: readonly string[], value: string): Promise<{readonly args: readonly string[]; readonly echo: Echo}>
  close(): Promise<void>
}

interface EchoServiceParts {
  readonly kind: ServiceKind
  readonly machine: Machine
  readonly program: Buffer
  readonly shawl: Buffer
  readonly suffix: string
}

export async function openEchoService(parts: EchoServiceParts): Promise<EchoService> {
  const {kind, machine, program, shawl, suffix} = parts
  const config = exampleNode({'base-dir': `C:\\k8s-win-lab quoting ü中 ${kind} ${suffix}`})
  const layout = layoutOf(config.baseDir)
  const name = `k8s-win-lab-${kind}-${suffix}`
  const services = openServices(machine.win32, machine.clock)
  const {signal} = new AbortController()
  const made = kind === 'shawl' ? flanneldService(config) : kubeletService(config)
  // shawl has to know its service's name.
  const command = made.command.map((word) => (word === made.name ? name : word))
  const echoing = kind === 'shawl' ? layout.flanneld : path.win32.join(layout.binaries, 'kubelet.exe')
  await mkdir(path.dirname(echoing), {recursive: true})
  await writeFile(echoing, program)
  if (kind === 'shawl') await writeFile(layout.shawl, shawl)

  const until = async <T>(what: string, probe: () => Promise<T | undefined>, deadlineMs = 30_000): Promise<T> => {
    const found = await waitFor(machine.clock, {deadlineMs, everyMs: 5}, probe)
    if (found === undefined) throw new Error(`${name}: ${what} not in ${deadlineMs} ms`)
    return found
  }
  const is = (state: 'running' | 'stopped', deadlineMs?: number) =>
    until(state, async () => ((await services.status(name))?.state === state ? true : undefined), deadlineMs)

  async function stop(): Promise<void> {
    await is('running')
    await machine.win32.stopService(name).catch((error: unknown) => {
      if (!isWin32(error, ERROR_BROKEN_PIPE)) throw error
    })
    await is('stopped', 5000).catch(async () => {
      // shawl 1.3 aborts where its child is gone before it takes note of its own Ctrl-C; in Wine it then stays for long.
      const status = await services.status(name)
      if (status !== undefined && status.processId !== 0) process.kill(status.processId)
      await is('stopped')
    })
  }

  return {
    async close() {
      await services.remove(name, signal)
      await rm(config.baseDir, {force: true, maxRetries: 10, recursive: true})
    },
    async echo(extra, value) {
      const environment = {ECHO_VALUE: value}
      const spec: ServiceSpec = {...made, command: [...command, ...extra], dependencies: [], environment, name}
      const told = `${echoing}.json`
      // A vector that failed may have left it running.
      await services.stop(name, signal)
      await rm(told, {force: true})
      await services.ensure(spec, signal)
      await assertStored(spec)
      await until('a start', () => startUnlessLocked(name))
      // While it is written no other process may read it.
      const echo = await until('an echo', () => readFile(told, 'utf8').catch(() => undefined))
      await stop()
      return {args: spec.command.slice(spec.command.indexOf(echoing) + 1), echo: JSON.parse(echo) as Echo}
    },
  }

  /** Another lane's start locks the service manager; in a run of the product the machine tries that again. */
  async function startUnlessLocked(service: string): Promise<true | undefined> {
    try {
      await services.start(service)
      return true
    } catch (error) {
      if (isWin32(error, ERROR_SERVICE_DATABASE_LOCKED)) return undefined
      throw error
    }
  }

  async function assertStored(spec: ServiceSpec): Promise<void> {
    const differences = await services.compare(spec)
    const lost = [differences].flat().filter((text) => /^(?:absent|environment|imagePath)\b/.test(text))
    if (lost.length > 0) throw new Error(`stored otherwise: ${lost.join('; ')}`)
  }
}
