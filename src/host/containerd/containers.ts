// Containers of containerd: those of the kubelet's pods, through the CRI; and the one that proves an image, through ctr.
import {containerdFailed} from '../../errors/downloads-and-images.js'
import {at, listAt, textAt} from '../document.js'
import {shortened} from '../../errors/shortened.js'
import type {ContainerRuntime} from '../runtime.js'
import {failureOf, isUnreachable, lastWords} from './failure.js'
import {demand, NAMESPACE, type Programs} from './programs.js'

export interface Containers extends Pick<ContainerRuntime, 'pods' | 'removePods' | 'removeProbes' | 'runOnce'> {
  /** Pods, containers and images that neither the kubelet nor k8s-win created, each in words. */
  others(): Promise<readonly string[]>
  /** Those pods and containers of `others` that run: they end with containerd. */
  runningOthers(): Promise<readonly string[]>
}

/** The one container that k8s-win makes, in the kubelet's namespace but unknown to the CRI, which reads its own labels. */
export const PROBE = 'k8s-win-probe'
const PROBE_MS = 10 * 60_000
const REMOVE_MS = 10 * 60_000
/** crictl removes those of one call at the same time; an argument list has at most 32767 letters on Windows. */
const AT_ONCE = 50
const LISTING = 'list pods'
/** Every pod of the kubelet has it (pkg/kubelet/kuberuntime/labels.go). */
export const POD_LABEL = 'io.kubernetes.pod.uid'
/** A namespace becomes an argument (containerd pkg/identifiers/validate.go). */
const NAME = /^[\dA-Za-z]+(?:[._-][\dA-Za-z]+)*$/
const LONGEST_NAME = 200

interface Sandbox {
  readonly id: string
  readonly isReady: boolean
  /** namespace/name */
  readonly name: string
}

export function openContainers({crictl, ctr, query}: Programs): Containers {
  const allPods = async (): Promise<readonly unknown[]> => listAt(await query(LISTING, ['pods']), 'items')
  const allContainers = async (): Promise<readonly unknown[]> =>
    listAt(await query('list containers', ['ps', '-a']), 'containers')

  /** Of the kubelet only. */
  const sandboxes = async (): Promise<readonly Sandbox[]> =>
    (await allPods()).filter(isOfKubelet).map((pod) => ({id: idOf(pod), isReady: isReady(pod), name: nameOf(pod)}))

  /** A sandbox is a container, too. */
  const countOf = async (pods: readonly Sandbox[]): Promise<number> => {
    const ids = new Set(pods.map(({id}) => id))
    const inside = (await allContainers()).filter((container) => ids.has(textAt(container, 'podSandboxId')))
    return ids.size + inside.length
  }

  const removeSandboxes = async (ids: readonly string[]): Promise<void> => {
    const operation = `remove ${ids.length} ${ids.length === 1 ? 'pod' : 'pods'}`
    const result = await crictl(['rmp', '-f', ...ids], {deadlineMs: REMOVE_MS, effect: 'change', operation})
    if (result.exitCode === 0) return
    const words = lastWords(result)
    if (isUnreachable(words)) throw failureOf(words, operation)
    // One that was already gone fails the whole call: what counts is what is left.
    const left = (await sandboxes()).filter(({id}) => ids.includes(id))
    if (left.length > 0) throw containerdFailed({operation, said: words})
  }

  /** Names, one a line. */
  const listed = async (args: readonly string[], namespace: string = NAMESPACE): Promise<string[]> => {
    const operation = `list ${args[0]}`
    const {stdout} = demand(await ctr([...args, 'ls', '-q'], {effect: 'read', namespace, operation}), operation)
    return stdout.split(/\r?\n/).filter((name) => name !== '')
  }

  const namespaces = async (): Promise<string[]> =>
    (await listed(['namespaces'])).filter((namespace) => namespace !== NAMESPACE && NAME.test(namespace))

  /** IDs that `list` has: an image there may be the kubelet's, but a container that the CRI does not know is not. */
  const othersInside = async (
    list: (namespace: string) => Promise<readonly string[]>,
    counts: (pod: unknown) => boolean,
  ): Promise<string[]> => {
    const [pods, containers] = [await allPods(), await allContainers()]
    const known = new Set([...pods, ...containers].map((one) => textAt(one, 'id')))
    return [
      ...pods
        .filter((pod) => !isOfKubelet(pod) && counts(pod))
        .map((pod) => shortened(`the pod ${nameOf(pod)}`, LONGEST_NAME)),
      ...(await list(NAMESPACE))
        .filter((id) => id !== PROBE && !known.has(id))
        .map((id) => inNamespace('container', id, NAMESPACE)),
    ]
  }

  const containersIn = (namespace: string): Promise<string[]> => listed(['containers'], namespace)

  /** A task is what runs of a container, until it is removed (containerd cmd/ctr/commands/tasks/list.go). */
  const runningIn = async (namespace: string): Promise<string[]> => {
    const operation = 'list tasks'
    const {stdout} = demand(await ctr(['tasks', 'ls'], {effect: 'read', namespace, operation}), operation)
    const [heading = '', ...rows] = stdout.split(/\r?\n/).filter((line) => line.trim() !== '')
    if (!heading.startsWith('TASK')) throw containerdFailed({operation, said: shortened(heading) || 'nothing'})
    return rows.filter((row) => !/\sSTOPPED\s*$/.test(row)).map((row) => row.split(/\s/, 1)[0] ?? row)
  }

  return {
    async others() {
      const found = await othersInside(containersIn, () => true)
      for (const namespace of await namespaces()) {
        const containers = await containersIn(namespace)
        const images = await listed(['images'], namespace)
        found.push(
          ...containers.map((id) => inNamespace('container', id, namespace)),
          ...images.map((name) => inNamespace('image', name, namespace)),
        )
      }

      return found
    },
    async pods() {
      const all = await sandboxes()
      const running = all.filter(({isReady}) => isReady).map(({name}) => name)
      return {containers: all.length === 0 ? 0 : await countOf(all), running: [...new Set(running)].sort()}
    },
    async removePods() {
      const all = await sandboxes()
      if (all.length === 0) return 0
      const count = await countOf(all)
      const ids = all.map(({id}) => id)
      for (let start = 0; start < ids.length; start += AT_ONCE) await removeSandboxes(ids.slice(start, start + AT_ONCE))
      return count
    },
    async removeProbes() {
      if (!(await listed(['containers'])).includes(PROBE)) return
      const operation = `remove the container ${PROBE}`
      const options = {deadlineMs: REMOVE_MS, effect: 'change', operation} as const
      // Without a task this fails, and the container is removed all the same.
      await ctr(['tasks', 'rm', '--force', PROBE], options)
      demand(await ctr(['containers', 'rm', PROBE], options), operation)
    },
    async runningOthers() {
      const found = await othersInside(runningIn, isReady)
      for (const namespace of await namespaces())
        found.push(...(await runningIn(namespace)).map((id) => inNamespace('container', id, namespace)))
      return found
    },
    async runOnce(reference, command, signal) {
      const operation = `run a container of ${reference}`
      const args = ['run', '--rm', reference, PROBE, ...command]
      const result = await ctr(args, {deadlineMs: PROBE_MS, effect: 'change', operation, signal})
      const {exitCode, stderr, stdout} = result
      const words = lastWords(result)
      if (exitCode !== 0 && isUnreachable(words)) throw failureOf(words, operation)
      // The exit code is the container's, unless ctr itself failed and says so.
      if (/^ctr: /m.test(stderr)) return {exitCode: -1, output: words}
      return {exitCode, output: stdout.trim() || (exitCode === 0 ? '' : words)}
    },
  }
}

const isOfKubelet = (pod: unknown): boolean => textAt(pod, 'labels', POD_LABEL) !== ''
const isReady = (pod: unknown): boolean => textAt(pod, 'state') === 'SANDBOX_READY'
const nameOf = (pod: unknown): string => `${textAt(pod, 'metadata', 'namespace')}/${textAt(pod, 'metadata', 'name')}`

export const inNamespace = (kind: 'container' | 'image', name: string, namespace: string): string =>
  shortened(`the ${kind} ${name} in the namespace ${namespace}`, LONGEST_NAME)

/** It becomes an argument of crictl, so it must be an ID (containerd internal/cri/util/id.go: 32 bytes in hex). */
function idOf(pod: unknown): string {
  const id = at(pod, 'id')
  if (typeof id === 'string' && /^[\da-f]{64}$/.test(id)) return id
  throw containerdFailed({operation: LISTING, said: 'a pod without a valid id'})
}
