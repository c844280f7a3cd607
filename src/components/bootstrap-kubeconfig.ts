// The kubeconfig with which a kubelet asks for its first certificate: a bootstrap token, and nothing that lasts.
import {stringify} from 'yaml'
import type {Bootstrap} from '../config/model.js'
import {partsOf} from '../config/options/parse-join.js'
import {joinTokenRefused} from '../errors/join.js'
import type {K8sWinError} from '../errors/k8s-win-error.js'
import {type Kubeconfig, readKubeconfig} from '../host/cluster/kubeconfig.js'

const NAME = 'bootstrap'

export function bootstrapKubeconfig({ca, server, token}: Bootstrap): string {
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{cluster: {'certificate-authority-data': Buffer.from(ca).toString('base64'), server}, name: NAME}],
      contexts: [{context: {cluster: NAME, user: NAME}, name: NAME}],
      'current-context': NAME,
      users: [{name: NAME, user: {token}}],
    },
    {lineWidth: 0},
  )
}

/** As it would be read from its file. */
export const openBootstrap = (bootstrap: Bootstrap): Promise<Kubeconfig> =>
  readKubeconfig(NAME, Buffer.from(bootstrapKubeconfig(bootstrap)), () => Promise.resolve(undefined))

/** It has ended before the node had its certificate. */
export const tokenRefused = ({server, token}: Bootstrap, cause: unknown): K8sWinError =>
  joinTokenRefused({id: partsOf(token).id, server}, {cause})
