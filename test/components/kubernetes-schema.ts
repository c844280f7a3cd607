// Objects of the Kubernetes API held against its published schemas (npm kubernetes-models: validators made of the OpenAPI
// documents). Those let unknown fields pass, as an old API server does; here a field that no schema asks for is a mistake.
import {DaemonSet} from 'kubernetes-models/apps/v1/DaemonSet'
import {ClusterRole} from 'kubernetes-models/rbac.authorization.k8s.io/v1/ClusterRole'
import {ClusterRoleBinding} from 'kubernetes-models/rbac.authorization.k8s.io/v1/ClusterRoleBinding'
import {Role} from 'kubernetes-models/rbac.authorization.k8s.io/v1/Role'
import {RoleBinding} from 'kubernetes-models/rbac.authorization.k8s.io/v1/RoleBinding'
import {ConfigMap} from 'kubernetes-models/v1/ConfigMap'
import {Namespace} from 'kubernetes-models/v1/Namespace'
import {ServiceAccount} from 'kubernetes-models/v1/ServiceAccount'

interface Model {
  validate(): void
}

const KINDS: Readonly<Record<string, new (data: never) => Model>> = {
  'apps/v1 DaemonSet': DaemonSet,
  'rbac.authorization.k8s.io/v1 ClusterRole': ClusterRole,
  'rbac.authorization.k8s.io/v1 ClusterRoleBinding': ClusterRoleBinding,
  'rbac.authorization.k8s.io/v1 Role': Role,
  'rbac.authorization.k8s.io/v1 RoleBinding': RoleBinding,
  'v1 ConfigMap': ConfigMap,
  'v1 Namespace': Namespace,
  'v1 ServiceAccount': ServiceAccount,
}

/** What is wrong with it, in words. */
export function problemsOf(object: {readonly apiVersion: string; readonly kind: string}): string[] {
  const kind = `${object.apiVersion} ${object.kind}`
  const Kind = KINDS[kind]
  if (!Kind) return [`${kind} is no kind that is known here`]
  const asked = new Set<string>()
  const model = watched(new Kind(object as never), '', asked)
  try {
    model.validate()
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }

  return pathsIn(object)
    .filter((path) => !asked.has(path))
    .map((path) => `${path} is no field of ${kind}`)
}

/** Notes every field that is read. */
function watched<T extends object>(value: T, path: string, asked: Set<string>): T {
  return new Proxy(value, {
    get(target, key) {
      const inner: unknown = Reflect.get(target, key)
      if (typeof key === 'symbol' || typeof inner === 'function') return inner
      asked.add(`${path}/${key}`)
      return typeof inner === 'object' && inner !== null ? watched(inner, `${path}/${key}`, asked) : inner
    },
  })
}

function pathsIn(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [`${path}/${key}`, ...pathsIn(inner, `${path}/${key}`)])
}
