// Checks of the cluster's DaemonSets: what is made for Linux must not land on this node.
import type {DaemonSet} from '../host/cluster/objects.js'
import {type Check, notLookedAt, pass, warn} from './check.js'
import type {HostFacts} from './facts.js'
import {unlessForbidden} from './forbidden.js'
import {labelsOf, landsOn} from './placement.js'
import {ofCluster} from './server-checks.js'

const ON_LINUX = '{"spec":{"template":{"spec":{"nodeSelector":{"kubernetes.io/os":"linux"}}}}}'
/** A list for people, not for machines. */
const SHOWN = 5

const patchOf = ({name, namespace}: DaemonSet): string =>
  `kubectl -n ${namespace} patch daemonset ${name} --type merge -p '${ON_LINUX}'`

export const flannelDaemonSet: Check = ofCluster({
  id: 'flannel-daemonset',
  async run(facts) {
    const sets = await landing(facts)
    if (!sets) {
      return warn(
        'this identity may not see whether flannel for Linux would land on this node',
        'Look with "kubectl get daemonsets -A": kube-flannel-ds must have kubernetes.io/os=linux under NODE SELECTOR, or a node affinity that says so.',
      )
    }

    const flannel = sets.filter(isFlannel)
    if (flannel.length === 0) return pass('none of flannel for Linux would land here')
    return warn(
      `${flannel.map(({name, namespace}) => `${namespace}/${name}`).join(', ')} would land on this node and fail here for ever`,
      `Keep it on Linux: ${flannel.map(patchOf).join(' and ')}`,
    )
  },
  title: "flannel's DaemonSet",
})

export const linuxDaemonSets: Check = ofCluster({
  id: 'linux-daemonsets',
  async run(facts) {
    const sets = await landing(facts)
    if (!sets) return notLookedAt('this identity may not see them')
    const others = sets.filter((set) => !isFlannel(set))
    const [first] = others
    if (!first) return pass('none without a selector would land here')
    const shown = others.slice(0, SHOWN).map(({name, namespace}) => `${namespace}/${name}`)
    const more = others.length > SHOWN ? ` and ${others.length - SHOWN} more` : ''
    return warn(
      `would land on this node, and fail here if they are for Linux: ${shown.join(', ')}${more}`,
      `Keep those on Linux, for example: ${patchOf(first)}. Or give this node a taint: --taint os=windows:NoSchedule.`,
    )
  },
  title: 'DaemonSets for Linux',
})

const isFlannel = ({name}: DaemonSet): boolean => name.includes('flannel')

/** Those that would land here without having said that they are for Windows. */
async function landing(facts: HostFacts): Promise<readonly DaemonSet[] | undefined> {
  const sets = await unlessForbidden(facts.daemonSets())
  if (!sets) return undefined
  const [name, version] = await Promise.all([facts.nodeName(), facts.version()])
  const {nodeLabels, taints} = facts.config
  const labels = labelsOf(name, version?.build ?? 0, nodeLabels)
  const elsewhere = {labels: {...labels, 'beta.kubernetes.io/os': 'linux', 'kubernetes.io/os': 'linux'}, name, taints}
  // What lands on the same node with Linux too has not asked which it is.
  return sets.filter((set) => landsOn(set, {labels, name, taints}) && landsOn(set, elsewhere))
}
