// The proof: the cluster itself calls the node Ready.
import {DAEMON} from '../config/daemons.js'
import {nodeNotReady} from '../errors/health.js'
import {readDaemonWords, recogniseHere, withKnown} from '../pipeline/run/known-failure.js'
import {askNode, waitForNode} from '../pipeline/desired/cluster/node-cluster.js'
import {drifted, inPlace, missing, type Step} from '../pipeline/run/step.js'

export const nodeReady: Step = {
  async apply(context) {
    const {config, host} = context
    context.progress({text: `waiting for ${config.nodeName} to become Ready`})
    let said = 'the cluster has no such node'
    const ready = await waitForNode(context, 180_000, (node) => {
      said = node?.readyMessage ?? said
      return node?.ready ? true : undefined
    })
    if (!ready) {
      const words = await readDaemonWords(context, DAEMON.kubelet)
      const known = await recogniseHere(host.files, config, said, 'kubelet')
      throw withKnown(nodeNotReady({node: config.nodeName, said}), known ?? words.known)
    }
    context.changed(`${config.nodeName} became Ready`)
  },
  deadlineMs: 10 * 60_000,
  id: 'node-ready',
  async inspect(context) {
    const {nodeName} = context.config
    const node = await askNode(context)
    if (!node) return missing(`the cluster has no node ${nodeName}`)
    return node.ready ? inPlace(`${nodeName} is Ready`) : drifted(`${nodeName} is not Ready: ${node.readyMessage}`)
  },
  needs: ['cni-config', 'node-registered'],
  title: 'Wait for node to become Ready',
}
