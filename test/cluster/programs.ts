// The programs of the control plane: Kubernetes 1.20.2, built from Debian's sources, or those in a folder of the user's.
import {execFile} from 'node:child_process'
import {existsSync} from 'node:fs'
import path from 'node:path'
import {promisify} from 'node:util'
import {buildKubernetes, type KubernetesProgram} from '../transcripts/recorders/kubernetes-programs.js'

/** Names a folder with programs of another release. */
export const PROGRAMS_VARIABLE = 'K8S_WIN_CLUSTER_PROGRAMS'

export const CLUSTER_PROGRAMS = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kubeadm',
  'kubectl',
  'kubelet',
] as const satisfies readonly KubernetesProgram[]

type ProgramPaths = Readonly<Record<(typeof CLUSTER_PROGRAMS)[number], string>>

/** These may be of another release than the control plane, so the machine's own will do. */
const OF_THE_MACHINE: readonly string[] = ['etcd', 'kubectl']

export async function clusterPrograms({PATH = '', ...environment}: NodeJS.ProcessEnv): Promise<ProgramPaths> {
  const folder = environment[PROGRAMS_VARIABLE]
  if (folder === undefined || folder === '') return buildKubernetes(CLUSTER_PROGRAMS)
  const find = (name: string): string | undefined =>
    [folder, ...(OF_THE_MACHINE.includes(name) ? PATH.split(path.delimiter) : [])]
      .map((one) => path.resolve(one, name))
      .find((file) => existsSync(file))
  const missing = CLUSTER_PROGRAMS.filter((name) => find(name) === undefined)
  if (missing.length > 0) throw new Error(`${PROGRAMS_VARIABLE}: ${folder} does not have ${missing.join(', ')}`)
  return Object.fromEntries(CLUSTER_PROGRAMS.map((name) => [name, find(name)])) as ProgramPaths
}

/** "v1.36.4", as kubeadm reports it. */
export async function releaseOf({kubeadm}: Pick<ProgramPaths, 'kubeadm'>): Promise<string> {
  const {stdout} = await promisify(execFile)(kubeadm, ['version', '--output', 'short'])
  return stdout.trim()
}

export const minorOf = (release: string): number => Number(/^v1\.(\d+)\./.exec(release)?.[1])
