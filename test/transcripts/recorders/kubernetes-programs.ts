// Kubernetes' own programs, built once from Debian's sources into the user's cache: minutes to wait for.
import {execFile} from 'node:child_process'
import {existsSync} from 'node:fs'
import {mkdir} from 'node:fs/promises'
import path from 'node:path'
import {fileURLToPath} from 'node:url'
import {promisify} from 'node:util'
import {labsFolder} from '../../lab/recipe.js'

const SCRIPT = fileURLToPath(new URL('build-kubernetes.sh', import.meta.url))
const VERSION = '1.20.5+really1.20.2-1.1+deb12u1'
export const KUBERNETES_SOURCE = `Debian 12, source package kubernetes ${VERSION}, built with golang-1.19`
const BUILD_MS = 3_600_000

export interface KubernetesPrograms {
  readonly etcd: string
  /** hns-client.go, for Windows. */
  readonly hnsClient: string
  readonly kubeApiserver: string
  /** For Windows. */
  readonly kubeProxy: string
  readonly kubelet: string
}

export async function buildKubernetes(): Promise<KubernetesPrograms> {
  const folder = path.join(labsFolder(), `kubernetes-${VERSION}`)
  const programs = {
    etcd: path.join(folder, 'etcd'),
    hnsClient: path.join(folder, 'hns-client.exe'),
    kubeApiserver: path.join(folder, 'kube-apiserver'),
    kubeProxy: path.join(folder, 'kube-proxy.exe'),
    kubelet: path.join(folder, 'kubelet.exe'),
  }
  if (Object.values(programs).every((program) => existsSync(program))) return programs
  await mkdir(folder, {recursive: true})
  await promisify(execFile)('bash', [SCRIPT, folder], {maxBuffer: 100_000_000, timeout: BUILD_MS})
  return programs
}
