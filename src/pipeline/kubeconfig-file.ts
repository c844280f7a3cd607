// A kubeconfig in the middle of a run: the checks have seen it, but it may have changed since.
import {kubeconfigMissing, kubeconfigUnreadable} from '../errors/cluster.js'
import {type Kubeconfig, readKubeconfig} from '../host/kubeconfig.js'
import type {Files} from '../machine/files.js'

export async function kubeconfigAt(files: Files, path: string): Promise<Kubeconfig> {
  const content = await files.read(path)
  if (!content) throw kubeconfigMissing({flag: 'kubeconfig', path})
  try {
    return await readKubeconfig(path, content, (file) => files.read(file))
  } catch (error) {
    // Its reader says in a sentence what is wrong with it; what the machine refused is told as such.
    if (!(error instanceof Error) || error.constructor !== Error) throw error
    throw kubeconfigUnreadable({path, reason: error.message}, {cause: error})
  }
}
