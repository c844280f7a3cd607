// What the service manager refuses, told in words; and bringing a service of ours to rest.
import {serviceRefused} from '../errors/windows.js'
import {isWin32} from '../host/service-stop.js'
import type {StepContext} from './step.js'

const MEANINGS: Readonly<Record<number, string>> = {
  2: 'its program is not there',
  5: 'access denied',
  1058: 'it is disabled',
  1068: 'a service it depends on does not start',
  1072: 'it is marked for deletion; something still holds it, such as an open services window',
}

export function refused(service: string, operation: string, error: unknown): unknown {
  if (!isWin32(error, ...Object.keys(MEANINGS).map(Number))) return error
  const meaning = MEANINGS[error.code] ?? ''
  return serviceRefused({code: String(error.code), meaning, operation, service}, {cause: error})
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
