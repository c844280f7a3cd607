// Containers that are ours to remove: those of the kubelet's pods, and those we ran once to prove an image.
import {demand, documentOf, textOf} from './docker-api.js'
import {OWNER_LABEL, type Send} from './docker-run.js'
import {listAt} from './document.js'

export interface OwnContainers {
  /** How many containers the kubelet's pods have. */
  pods(): Promise<number>
  /** Removes the containers of the kubelet's pods, and tells how many there were. */
  removePods(): Promise<number>
  /** Containers of `runOnce` that a run which died left behind. */
  removeProbes(): Promise<void>
  /** Removes the sandboxes of the kubelet's pods, and tells how many there were. */
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
  const labelled = async (label: string): Promise<string[]> => {
    const filters = encodeURIComponent(JSON.stringify({label: [label]}))
    const listed = await send('GET', `/containers/json?all=1&filters=${filters}`)
    return listAt(documentOf(listed, LISTING)).map((one) => textOf(one, 'Id', LISTING))
  }

  const remove = (id: string): ReturnType<Send> => send('DELETE', `/containers/${id}?force=true`)

  const removeLabelled = async (label: string): Promise<number> => {
    const containers = await labelled(label)
    for (const id of containers) await remove(id)
    return containers.length
  }

  const ofPods = async (): Promise<ReadonlySet<string>> => new Set((await Promise.all(POD_LABELS.map(labelled))).flat())

  return {
    pods: async () => (await ofPods()).size,
    async removePods() {
      const containers = await ofPods()
      for (const id of containers) {
        const response = await remove(id)
        // 409: somebody else is removing it just now.
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
