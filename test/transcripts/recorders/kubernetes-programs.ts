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
const BUILD_MS = 7_200_000
/** EX_TEMPFAIL, as the script ends where the packages cannot be had. */
const NOT_AVAILABLE = 75

/** Those that end in .exe are for Windows; hns-client is hns-client.go beside this file. */
export type KubernetesProgram =
  | 'etcd'
  | 'hns-client.exe'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-proxy.exe'
  | 'kubeadm'
  | 'kubectl'
  | 'kubelet'
  | 'kubelet.exe'

/** The packages cannot be had on this machine; the message is the reason. */
export class KubernetesNotAvailable extends Error {
  override readonly name = 'KubernetesNotAvailable'
}

const folder = (): string => path.join(labsFolder(), `kubernetes-${VERSION}`)

/** Those that are not built yet. */
export const missingKubernetes = (programs: readonly KubernetesProgram[]): KubernetesProgram[] =>
  programs.filter((program) => !existsSync(path.join(folder(), program)))

/** Resolves with the path of each. */
export async function buildKubernetes<P extends KubernetesProgram>(programs: readonly P[]): Promise<Record<P, string>> {
  if (missingKubernetes(programs).length > 0) {
    await mkdir(folder(), {recursive: true})
    await promisify(execFile)('bash', [SCRIPT, folder(), ...programs], {
      maxBuffer: 100_000_000,
      timeout: BUILD_MS,
    }).catch((error: unknown) => {
      const {code, stderr = ''} = error as {code?: number; stderr?: string}
      const lines = stderr.trim().split('\n')
      if (code === NOT_AVAILABLE) throw new KubernetesNotAvailable(lines.at(-1))
      throw new Error(`${path.basename(SCRIPT)} ended with ${code}:\n${lines.slice(-20).join('\n')}`)
    })
  }

  return Object.fromEntries(programs.map((name) => [name, path.join(folder(), name)])) as Record<P, string>
}
