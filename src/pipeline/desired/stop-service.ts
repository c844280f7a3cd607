// What the service manager refuses, told in words; and bringing a service of ours to rest.
import {FLANNELD} from '../../components/flanneld.js'
import {KUBE_PROXY} from '../../components/kube-proxy.js'
import {KUBELET} from '../../components/kubelet.js'
import {serviceRefused} from '../../errors/windows.js'
import {Win32Error} from '../../machine/win32.js'
import {recognise} from '../../signatures/index.js'
import type {StepContext} from '../run/step.js'

/** What nobody knows stays what it is. */
export function refused(service: string, operation: string, error: unknown): unknown {
  if (!(error instanceof Win32Error)) return error
  const known = recognise(String(error.code), 'service-manager')
  if (!known) return error
  const meaning = known.cause.replace(/\.$/, '')
  const remedy = known.fix.replaceAll('<service>', service)
  return serviceRefused({code: String(error.code), meaning, operation, remedy, service}, {cause: error})
}

const DAEMONS = [FLANNELD, KUBE_PROXY, KUBELET]

export async function attempt(service: string, operation: string, call: () => Promise<void>): Promise<void> {
  try {
    await call()
  } catch (error) {
    throw refused(service, operation, error)
  }
}

/** Starts a service of ours. What others made and had to stop with it is started again, and reported. */
export async function startService({changed, host, warn}: StepContext, name: string): Promise<void> {
  await host.services.start(name)
  const {failed, started} = await host.services.startAgain(DAEMONS)
  for (const one of started) changed(`start the service ${one} again, which was stopped together with ${name}`)
  for (const one of failed)
    warn(`the service ${one} was stopped together with ${name} and does not start again. Run: net start ${one}`)
}

/** One that is not ours is left alone, unless it is to become ours. */
export async function restService(
  {config, host, signal, warn}: Pick<StepContext, 'config' | 'host' | 'signal' | 'warn'>,
  name: string,
): Promise<void> {
  if (!config.adopt && !(await host.services.isOurs(name))) return
  const before = host.services.stopped()
  await attempt(name, 'stopped', () => host.services.rest(name, signal))
  for (const one of host.services.stopped()) {
    if (!before.includes(one) && !DAEMONS.includes(one.toLowerCase()))
      warn(`the service ${one} was stopped, because it depends on ${name}`)
  }
}
