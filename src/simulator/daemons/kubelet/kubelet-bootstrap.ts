// A kubelet without a certificate, which has a bootstrap kubeconfig: it writes the kubeconfig of the certificate that it is
// going to request (pkg/kubelet/certificate/bootstrap/bootstrap.go, the same from 1.21 to 1.36).
import {win32} from 'node:path'

import {kubeconfigText} from '../../cluster/kubeconfig.js'
import {type ClusterClient, openKubeconfig} from '../kubeconfig.js'
import {CURRENT, isExpired, recoverStore} from './kubelet-certificates.js'
import type {Kubelet} from './kubelet-start.js'

/** LoadClientConfig: why it ends, or undefined. The kubeconfig is written before there is a certificate. */
export async function loadClientConfig(self: Kubelet): Promise<string | undefined> {
  const {bootstrapKubeconfig, log, stage} = self
  await log('I', 'server.go:1037', 'Client rotation is on, will bootstrap in background', {})
  if ((await recoverStore(stage)) !== undefined) return 'unable to build bootstrap cert store'
  if (await isStillValid(self)) return undefined
  const client = await openKubeconfig(self, bootstrapKubeconfig)
  if (client.error !== undefined) return `unable to load bootstrap kubeconfig: ${client.error}`
  await writeKubeconfig(self, client)
  const message = 'Use the bootstrap credentials to request a cert, and set kubeconfig to point to the certificate dir'
  await log('I', 'bootstrap.go:101', message, {})
  return undefined
}

/** isClientConfigStillValid. A kubeconfig with a token only is not, either. */
async function isStillValid(self: Kubelet): Promise<boolean> {
  const {kubeconfig, log, stage} = self
  if (!(await stage.files.status(kubeconfig))) return false
  const {error, pair} = await openKubeconfig(self, kubeconfig)
  if (error !== undefined) {
    const err = `unable to read existing bootstrap client config from ${kubeconfig}: ${error}`
    await log('E', 'bootstrap.go:266', 'Unhandled Error', {err})
    return false
  }

  if (!pair) return false
  try {
    if (!isExpired(pair.cert, stage.now())) return true
  } catch {
    return false
  }

  const err = `part of the existing bootstrap client certificate in ${kubeconfig} is expired`
  await log('E', 'bootstrap.go:266', 'Unhandled Error', {err})
  return false
}

/** writeKubeconfigFromBootstrapping, in the words of clientcmd. */
async function writeKubeconfig(
  {kubeconfig, stage, version}: Kubelet,
  {authority, server}: ClusterClient,
): Promise<void> {
  const {data, file} = authority
  const ca = file ? {'certificate-authority': file} : data ? {'certificate-authority-data': data} : {}
  const user = {'client-certificate': CURRENT, 'client-key': CURRENT}
  const text = kubeconfigText(version.text, {...ca, server}, user)
  await stage.files.makeDirectory(win32.dirname(kubeconfig))
  await stage.files.write(kubeconfig, text)
}
