// Which kubeconfig a daemon uses: its own, or the one they share.
import {identityFile, layoutOf} from '../config/layout.js'
import type {Decided, Identity} from '../config/model.js'

export function kubeconfigOf(config: Pick<Decided, 'baseDir' | 'identityFiles'>, identity: Identity): string {
  return config.identityFiles[identity] === undefined
    ? layoutOf(config.baseDir).kubeconfig
    : identityFile(config.baseDir, identity)
}
