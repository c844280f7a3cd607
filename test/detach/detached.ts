// Runs that continue as a service, on the simulator: the session that starts one, and the process that the service starts.
import {Parser} from '@oclif/core'
import {
  givenOptions,
  givenReset,
  optionFlags,
  recoverFlags,
  resetFlags,
  upgradeFlags,
} from '../../src/cli/arguments/flag-table.js'
import type {Launcher} from '../../src/config/launchers.js'
import type {GivenOptions} from '../../src/config/options/options.js'
import {type GivenReset, resolveDrain, resolveReset} from '../../src/config/options/reset-options.js'
import {resolveRecover} from '../../src/config/options/upgrade-options.js'
import type {Assets, Machine} from '../../src/machine/machine.js'
import {createRedactor} from '../../src/output/text/redact.js'
import {EventBus, type RunResultDocument} from '../../src/pipeline/run/events.js'
import {continueRun} from '../../src/runs/detach/continue-run.js'
import type {RunRequest} from '../../src/runs/detach/request.js'
import {resetArguments} from '../../src/runs/detach/request-arguments.js'
import {RUN_SERVICE} from '../../src/runs/detach/run-service.js'
import {launcherHooks} from '../../src/runs/launcher/launcher-hooks.js'
import {restartWindows} from '../../src/runs/launcher/restart-windows.js'
import {runRecover} from '../../src/runs/recover/recover.js'
import {runReset} from '../../src/runs/reset/reset.js'
import type {Detaching} from '../../src/runs/phases/setup-run.js'
import {runSetup} from '../../src/runs/setup/setup.js'
import {makeStandIn} from '../../src/simulator/mirror/stand-in.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {ServiceEntry} from '../../src/simulator/world.js'
import {assets} from '../fixtures/assets.js'
import {HostFolder, profileOf} from '../steps/host-folder.js'

export const PROFILE = 'ws2022-containerd'
/** Where a launcher has put it, and deletes it afterwards. */
export const PROGRAM = String.raw`C:\Windows\Temp\k8s-win.exe`
export const SMALL: GivenOptions = {'base-images': 'none'}

export const programAt = (file: string): Assets => ({...assets, program: {command: [file], file}})

export async function hostWithProgram(profile = PROFILE): Promise<HostFolder> {
  const host = await HostFolder.fresh(undefined, profile)
  host.put(String.raw`Windows\Temp\k8s-win.exe`, makeStandIn({name: 'k8s-win', version: 'v0.1.0'}))
  return host
}

export interface Session {
  readonly assets?: Assets
  readonly detaching?: Detaching
  readonly command?: RunRequest['command']
  readonly environment?: Readonly<Record<string, string>>
  readonly given?: GivenOptions
  readonly isDetached?: boolean
  /** Of reset: of an administrator. */
  readonly kubeconfig?: string
  readonly launcher?: Launcher
  /** In place of the host's, opened again. */
  readonly machine?: Machine
  readonly reset?: GivenReset
  readonly signal?: AbortSignal
  readonly upgrade?: {readonly drainMs?: number}
  wrap?(machine: Machine): Machine
}

async function opened({dir}: HostFolder, {wrap}: Pick<Session, 'wrap'>): Promise<Machine> {
  const machine = await openSimulator({dir, profile: profileOf(dir)})
  return wrap?.(machine) ?? machine
}

/** A run of a session; with --detach unless it says otherwise. */
export async function session(host: HostFolder, of: Session = {}): Promise<RunResultDocument> {
  const {command = 'setup', environment = {}, given = SMALL, isDetached = true, launcher = 'none', reset = {}} = of
  const machine = of.machine ?? (await opened(host, of))
  const bus = new EventBus(machine.clock.now)
  const hooks = launcherHooks({bus, launcher, machine})
  const {signal = new AbortController().signal} = of
  const holder = {command: `k8s-win ${command}`, processId: 600, user: 'tester'}
  const parts = {...hooks, assets: of.assets ?? programAt(PROGRAM), bus, holder, machine, signal}
  const run = {...parts, environment, redactor: createRedactor()}
  const administrator = of.kubeconfig === undefined ? {} : {kubeconfig: of.kubeconfig}
  const argv = resetArguments(reset, {}, of.kubeconfig)
  const detached = {argv, command: 'reset', environment: {}} as const
  const options = resolveReset({yes: true, ...reset}, {})
  const detaches = async (): Promise<Detaching> => of.detaching ?? (isDetached ? 'yes' : 'no')
  const {timeoutMs, yes} = resolveRecover(command === 'recover' ? given : {}, {})
  const runs = {
    recover: () => runRecover({...run, detaches, timeoutMs, yes}),
    reset: () => runReset({...run, ...administrator, ...(isDetached && {detached}), options}),
    setup: () => runSetup({...run, detaches, given, ...(of.upgrade && {upgrade: of.upgrade})}),
  }
  const result = await runs[command === 'upgrade' ? 'setup' : command]()
  // As src/cli/run/run-with-view.ts does.
  await restartWindows(machine, result)
  return result
}

/** The process that the service has started, as src/commands/run-detached.ts runs it. */
export async function serve(host: HostFolder, of: Pick<Session, 'signal' | 'wrap'> = {}): Promise<RunResultDocument> {
  const machine = await opened(host, of)
  let result: RunResultDocument | undefined
  await continueRun(machine, String.raw`c:\k`, async (request, token) => {
    const asked = await parsed(request, token)
    result = await session(host, {...of, ...asked, assets: programAt(COPY), isDetached: false, machine})
    return result.exitCode
  })
  if (!result) throw new Error('nothing was run')
  return result
}

export const COPY = String.raw`C:\k\k8s-win\bin\k8s-win.exe`

async function parsed({argv, command, environment}: RunRequest, token: string | undefined): Promise<Session> {
  const flags = {recover: recoverFlags, reset: resetFlags, setup: optionFlags, upgrade: upgradeFlags}[command]
  const read = await Parser.parse([...argv], {
    flags: {...flags, 'base-dir': optionFlags['base-dir'], kubeconfig: optionFlags['kubeconfig']} as never,
    strict: true,
  })
  const typed = read as unknown as Parameters<typeof givenOptions>[0]
  const {kubeconfig, launcher = 'none'} = givenOptions(typed)
  const variables = {...environment, ...(token !== undefined && {K8S_WIN_TOKEN: token})}
  const common = {command, environment: variables, launcher: String(launcher) as Launcher}
  const administrator = kubeconfig === undefined ? {} : {kubeconfig: String(kubeconfig)}
  if (command === 'reset') return {...common, ...administrator, reset: givenReset(typed)}
  const drainMs = command === 'upgrade' ? resolveDrain(givenReset(typed), {}) : undefined
  const upgrade = command === 'upgrade' && {upgrade: drainMs === undefined ? {} : {drainMs}}
  return {...common, given: givenOptions(typed), ...upgrade}
}

export const serviceOn = (host: HostFolder): ServiceEntry | undefined => host.world.services[RUN_SERVICE]

const REQUEST = String.raw`k\k8s-win\run.json`

export const requestOn = (host: HostFolder): string | undefined => (host.has(REQUEST) ? host.read(REQUEST) : undefined)

/** The next to look finds Windows started again. */
export const restart = (host: HostFolder): void => host.edit((world) => void (world.os.restarting = true))
