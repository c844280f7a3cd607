// What the service manager refuses, told in words; and bringing a service of ours to rest.
import {serviceRefused} from '../errors/windows.js'
import {Win32Error} from '../machine/win32.js'
import {recognise} from '../signatures/index.js'
import type {StepContext} from './step.js'

/** What nobody knows stays what it is. */
export function refused(service: string, operation: string, error: unknown): unknown {
  if (!(error instanceof Win32Error)) return error
  const known = recognise(String(error.code), 'service-manager')
  if (!known) return error
  const meaning = known.cause.replace(/\.$/, '')
  const remedy = known.fix.replaceAll('<service>', service)
  return serviceRefused({code: String(error.code), meaning, operation, remedy, service}, {cause: error})
}

export async function attempt(service: string, operation: string, call: () => Promise<void>): Promise<void> {
  try {
    await call()
  } catch (error) {
    throw refused(service, operation, error)
  }
}

/** One that is not ours is left alone, unless it is to become ours. */
export async function restService(
  {config, host, signal}: Pick<StepContext, 'config' | 'host' | 'signal'>,
  name: string,
): Promise<void> {
  if (!config.adopt && !(await host.services.isOurs(name))) return
  await attempt(name, 'stopped', () => host.services.rest(name, signal))
}
