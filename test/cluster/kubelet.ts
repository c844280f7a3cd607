// The real kubelet, as far as it comes without a container runtime: to its own certificate.
import {mkdir, rm, writeFile} from 'node:fs/promises'
import {createServer, type Server} from 'node:net'
import path from 'node:path'
import {bootstrapKubeconfig} from '../../src/components/bootstrap-kubeconfig.js'
import {endDaemon} from '../lab/daemons.js'
import type {ControlPlane} from './control-plane.js'

const CONFIG = (minor: number, runtime: string): string => `\
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
failSwapOn: false
healthzPort: 0
readOnlyPort: 0
rotateCertificates: true
${minor < 27 ? '' : `containerRuntimeEndpoint: ${runtime}\n`}${minor < 31 ? '' : 'failCgroupV1: false\n'}`

export interface Kubelet {
  /** kubelet-client-current.pem. */
  readonly certificate: string
  readonly certificates: string
  close(): Promise<void>
  readonly kubeconfig: string
  /** Waits for a line of its log. */
  logged(pattern: RegExp): Promise<string>
}

/** Without a token there is no bootstrap-kubeconfig, but its argument stays. A node keeps its files from start to start. */
export async function startKubelet(plane: ControlPlane, node: string, token?: string): Promise<Kubelet> {
  const folder = path.join(plane.folder, node)
  const inside = (name: string): string => path.join(folder, name)
  await mkdir(folder, {recursive: true})
  const endpoint = `unix://${inside('runtime.sock')}`
  await writeFile(inside('kubelet-config.yaml'), CONFIG(plane.minor, endpoint))
  if (token === undefined) await rm(inside('bootstrap-kubeconfig'), {force: true})
  else await writeFile(inside('bootstrap-kubeconfig'), bootstrapKubeconfig({ca: plane.ca, server: plane.server, token}))
  const runtime = await silentRuntime(inside('runtime.sock'))
  const child = plane.daemons.run('kubelet', [
    ...[`--config=${inside('kubelet-config.yaml')}`, `--kubeconfig=${inside('kubeconfig')}`],
    ...[`--bootstrap-kubeconfig=${inside('bootstrap-kubeconfig')}`, `--cert-dir=${inside('pki')}`],
    ...[`--hostname-override=${node}`, `--root-dir=${inside('root')}`, `--volume-plugin-dir=${inside('plugins')}`],
    // From 1.27 on it has the field, and the first flag is gone.
    ...(plane.minor < 27 ? ['--container-runtime=remote', `--container-runtime-endpoint=${endpoint}`] : []),
    '--v=2',
  ])
  return {
    certificate: inside('pki/kubelet-client-current.pem'),
    certificates: inside('pki'),
    async close() {
      await endDaemon(child, 'SIGKILL')
      await new Promise((resolve) => runtime.close(resolve))
    },
    kubeconfig: inside('kubeconfig'),
    logged: (pattern) => plane.daemons.logged('kubelet', child, pattern),
  }
}

/** Accepts connections and never answers: the kubelet asks it for its version, and waits while it gets its certificate. */
async function silentRuntime(socket: string): Promise<Server> {
  const server = createServer((connection) => connection.on('error', () => {}).resume())
  server.unref()
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  return server
}
