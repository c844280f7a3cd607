// Taking over (--adopt): what something else made under our names becomes ours, or makes way. Without the option nothing
// here sees or changes anything; the preflight has refused such a host.
import type {Former, FormerFile} from '../../components/predecessors.js'
import {removePath} from './remove-path.js'
import {attempt, restService} from './stop-service.js'
import type {StepContext} from '../run/step.js'

type Context = Pick<StepContext, 'changed' | 'config' | 'host' | 'journal' | 'signal' | 'warn'>

const NOTHING: Former = {files: [], services: []}

/** What of it is there, in words. */
export async function findFormer(context: Context, former: Former = NOTHING): Promise<string[]> {
  if (!context.config.adopt) return []
  const found: string[] = []
  for (const name of former.services) {
    if (await context.host.services.status(name)) found.push(`there is the service ${name} of another installation`)
  }

  for (const file of former.files) {
    if (await isThere(context, file)) found.push(`${file.path} of another installation is there`)
  }

  return found
}

export async function removeFormer(context: Context, former: Former = NOTHING): Promise<void> {
  if (!context.config.adopt) return
  const {services} = context.host
  for (const name of former.services) if (await services.status(name)) await removeForeignService(context, name)
  for (const file of former.files) {
    if (await isThere(context, file)) await removePath(context, file.path, ' of another installation')
  }
}

/** Registered anew, not changed: a wrapper's parameters stay in a service's key, and its name in the letters it had. */
export async function removeForeignService(context: Context, name: string): Promise<void> {
  const {services} = context.host
  await restService(context, name)
  await attempt(name, 'removed', () => services.remove(name, context.signal))
  context.changed(`remove the service ${name} of another installation`)
}

export async function isForeignService(
  {config, host}: Pick<Context, 'config' | 'host'>,
  name: string,
): Promise<boolean> {
  if (!config.adopt) return false
  return (await host.services.status(name)) !== undefined && !(await host.services.isOurs(name))
}

async function isThere({host}: Context, {onlyEmpty, path}: FormerFile): Promise<boolean> {
  const found = await host.files.status(path)
  if (!found || !onlyEmpty) return found !== undefined
  return found.kind === 'directory' ? (await host.files.list(path)).length === 0 : found.size === 0
}
