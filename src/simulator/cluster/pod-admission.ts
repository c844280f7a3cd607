// Admission plugins that refuse a pod because of its namespace: PodSecurity, and quotas.
import {isAtLeast} from '../versions.js'
import type {ClusterPod, ClusterState} from './state.js'

interface SecurityContext {
  readonly allowPrivilegeEscalation?: boolean
  readonly capabilities?: {readonly drop?: readonly string[]}
  readonly runAsNonRoot?: boolean
  readonly seccompProfile?: {readonly type?: string}
}

export interface PodSpec {
  readonly containers?: readonly {readonly name: string; readonly securityContext?: SecurityContext}[]
  readonly os?: {readonly name?: string}
  readonly securityContext?: SecurityContext
}

const ENFORCE = 'pod-security.kubernetes.io/enforce'

/** Why a pod is refused, or undefined. */
export function podAdmission(
  cluster: ClusterState,
  namespace: string,
  pods: readonly ClusterPod[],
  spec: PodSpec,
): string | undefined {
  const {labels = {}, quotas = []} = cluster.namespaces?.find(({name}) => name === namespace) ?? {}
  const problems = labels[ENFORCE] === 'restricted' ? restricted(cluster, spec) : []
  if (problems.length > 0) return `violates PodSecurity "restricted:latest": ${problems.join(', ')}`
  const used = pods.filter((pod) => pod.namespace === namespace).length
  const full = quotas.find((quota) => used >= quota.pods)
  // staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go
  return full && `exceeded quota: ${full.name}, requested: pods=1, used: pods=${used}, limited: pods=${full.pods}`
}

/**
 * staging/src/k8s.io/pod-security-admission/policy: what only the level "restricted" demands. It is on from 1.23 on, and since
 * 1.25 a pod that says that it is for Windows needs nothing but runAsNonRoot.
 */
function restricted({version}: ClusterState, {containers = [], os, securityContext: ofPod = {}}: PodSpec): string[] {
  if (!isAtLeast(version, '1.23')) return []
  const isWindows = os?.name === 'windows' && isAtLeast(version, '1.25')
  const check = (reason: string, advice: string, isGood: (context: SecurityContext) => boolean): string[] => {
    const bad = containers.filter(({securityContext = {}}) => !isGood(securityContext)).map(({name}) => `"${name}"`)
    const title = `${bad.length > 1 ? 'containers' : 'container'} ${bad.join(', ')}`
    return bad.length === 0 ? [] : [`${reason} (${advice.replace('<containers>', title)})`]
  }
  const ofLinux = [
    ...check(
      'allowPrivilegeEscalation != false',
      '<containers> must set securityContext.allowPrivilegeEscalation=false',
      (context) => context.allowPrivilegeEscalation === false,
    ),
    ...check(
      'unrestricted capabilities',
      '<containers> must set securityContext.capabilities.drop=["ALL"]',
      (context) => context.capabilities?.drop?.includes('ALL') ?? false,
    ),
  ]
  const nonRoot = check(
    'runAsNonRoot != true',
    'pod or <containers> must set securityContext.runAsNonRoot=true',
    (context) => context.runAsNonRoot ?? ofPod.runAsNonRoot ?? false,
  )
  const seccomp = check(
    'seccompProfile',
    'pod or <containers> must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"',
    (context) => (context.seccompProfile ?? ofPod.seccompProfile)?.type !== undefined,
  )
  return isWindows ? nonRoot : [...ofLinux, ...nonRoot, ...seccomp]
}
