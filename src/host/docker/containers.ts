// Containers and networks of Docker that are k8s-win's to create or remove: those of the kubelet's pods, and those that prove an image.
import {at, listAt, textAt, textsAt} from '../document.js'
import type {ContainerRuntime} from '../runtime.js'
import {demand, documentOf, textOf} from './api.js'
import {OWNER_LABEL, type Send} from './run.js'

export interface OwnContainers extends Pick<ContainerRuntime, 'pods' | 'removePods' | 'removeProbes'> {
  /** Removes the sandboxes of the kubelet's pods, and returns how many there were. */
  removeSandboxes(): Promise<number>
}

/** dockershim's mark of a pod's own container, which holds its network (pkg/kubelet/dockershim/naming.go and labels). */
const SANDBOX_LABEL = 'io.kubernetes.docker.type=podsandbox'
/**
 * Every container of the kubelet has these, with any value. Not all of io.kubernetes.*: images of other tools carry
 * labels such as io.kubernetes.display-name, and a container has those of its image.
 */
const POD_LABELS = ['io.kubernetes.docker.type', 'io.kubernetes.pod.uid']
const LISTING = 'list containers'

export function openContainers(send: Send): OwnContainers {
  const list = async (label: string): Promise<readonly unknown[]> => {
    const filters = encodeURIComponent(JSON.stringify({label: [label]}))
    return listAt(documentOf(await send('GET', `/containers/json?all=1&filters=${filters}`), LISTING))
  }
  const idOf = (container: unknown): string => textOf(container, 'Id', LISTING)
  const labelled = async (label: string): Promise<string[]> => (await list(label)).map(idOf)

  const remove = (id: string): ReturnType<Send> => send('DELETE', `/containers/${id}?force=true`)

  const removeLabelled = async (label: string): Promise<number> => {
    const containers = await labelled(label)
    for (const id of containers) await remove(id)
    return containers.length
  }

  const ofPods = async (): Promise<ReadonlySet<string>> => new Set((await Promise.all(POD_LABELS.map(labelled))).flat())

  return {
    async pods() {
      const all = (await Promise.all(POD_LABELS.map(list))).flat()
      const running = all.filter((container) => textAt(container, 'State') === 'running').map(podOf)
      return {containers: new Set(all.map(idOf)).size, running: [...new Set(running)].filter(Boolean).sort()}
    },
    async removePods() {
      const containers = await ofPods()
      for (const id of containers) {
        const response = await remove(id)
        // 409: it is being removed already.
        if (response.status !== 404 && response.status !== 409) demand(response, `remove the container ${id}`)
      }

      return containers.size
    },
    async removeProbes() {
      await removeLabelled(OWNER_LABEL)
    },
    removeSandboxes: () => removeLabelled(SANDBOX_LABEL),
  }
}

/** dockershim/labels.go: every container of a pod carries both names. */
function podOf(container: unknown): string {
  const labels = at(container, 'Labels')
  const name = textAt(labels, 'io.kubernetes.pod.name')
  return name === '' ? '' : `${textAt(labels, 'io.kubernetes.pod.namespace')}/${name}`
}

interface NewNetwork {
  readonly driver: string
  readonly labels: Readonly<Record<string, string>>
}

export interface DockerNetwork extends NewNetwork {
  readonly id: string
}

export interface DockerNetworks {
  /** Its ID. */
  createNetwork(name: string, network: NewNetwork): Promise<string>
  /** Undefined where there is no such network. */
  network(name: string): Promise<DockerNetwork | undefined>
  removeNetwork(name: string): Promise<void>
}

export const openNetworks = (send: Send): DockerNetworks => ({
  async createNetwork(name, {driver, labels}) {
    const body = {CheckDuplicate: true, Driver: driver, Labels: labels, Name: name}
    const response = await send('POST', '/networks/create', body)
    return textAt(documentOf(response, `create the network ${name}`), 'Id')
  },
  async network(name) {
    const response = await send('GET', `/networks/${name}`)
    if (response.status === 404) return undefined
    const found = documentOf(response, `inspect the network ${name}`)
    return {driver: textAt(found, 'Driver'), id: textAt(found, 'Id'), labels: textsAt(found, 'Labels')}
  },
  async removeNetwork(name) {
    const response = await send('DELETE', `/networks/${name}`)
    if (response.status !== 404) demand(response, `remove the network ${name}`)
  },
})
