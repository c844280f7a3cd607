// The kubeconfig with the bootstrap token: it is there only until the node has its certificate.
import {layoutOf} from '../../../config/layout.js'
import type {StepContext} from '../../run/step.js'
import {isJoined} from './join-state.js'
import {removePath} from '../files/remove-path.js'

type Context = Pick<StepContext, 'changed' | 'config' | 'host' | 'journal'>

export async function isBootstrapNeeded({config, host}: Pick<Context, 'config' | 'host'>): Promise<boolean> {
  return config.bootstrap !== undefined && !(await isJoined(host, config))
}

/** Written by setup, and not needed any more: the run that needed it was killed, or the node got a kubeconfig instead. */
export async function isBootstrapLeft(context: Context): Promise<boolean> {
  const path = layoutOf(context.config.baseDir).bootstrapKubeconfig
  return isOwn(context) && (await context.host.files.status(path)) !== undefined && !(await isBootstrapNeeded(context))
}

function isOwn({config, journal}: Pick<Context, 'config' | 'journal'>): boolean {
  const path = layoutOf(config.baseDir).bootstrapKubeconfig
  return journal.entries('kubelet-config', 'file').some((entry) => entry.path === path)
}

export async function removeBootstrapFile(context: Context): Promise<void> {
  if (!isOwn(context)) return
  const path = layoutOf(context.config.baseDir).bootstrapKubeconfig
  await removePath(context, path)
  // A file that was there before is restored by reset.
  await context.journal.forget(
    ({entry}) => entry.kind === 'file' && entry.path === path && entry.previous === undefined,
  )
}
