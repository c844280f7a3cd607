// Checks of the cluster's nodes and networks: the name of this node, DNS, and the networks of pods and Services.
import {otherMachine, type ThisMachine} from '../../components/node-machine.js'
import {isInside, parseCidr} from '../../config/cidr.js'
import {KUBELET} from '../../config/model.js'
import {dnsUnknown, nodeNameTaken, podCIDRElsewhere, serviceCIDRElsewhere} from '../../errors/cluster.js'
import {type K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import {FEW_NODES} from '../../host/cluster/cluster.js'
import {shortList} from '../../pipeline/short-list.js'
import {check, type Check, notChecked, pass, warn} from '../check.js'
import {type Facts, unlessForbidden} from '../facts.js'
import {nodesNotListed} from '../not-allowed.js'

const nodeObject = check('node-object', {needs: ['cluster'], title: 'Node object'}, async (facts) => {
  const name = await facts.nodeName()
  const answer = await unlessForbidden(facts.ownNode().then((node) => ({node})))
  // The check "permissions" reports this.
  if (!answer) return notChecked('this identity is not allowed to read it')
  if (!answer.node) return pass(`the cluster has no node ${name} yet`)
  const seen = otherMachine(answer.node, await thisMachine(facts))
  if (seen !== undefined) throw nodeNameTaken({node: name, seen})
  return pass(`the node ${name} is this host`)
})

async function thisMachine(facts: Facts): Promise<ThisMachine> {
  const [computerName, adapters, kubelet] = await Promise.all([
    facts.computerName(),
    facts.adapters(),
    facts.host.services.status(KUBELET),
  ])
  const addresses = adapters.flatMap((adapter) => adapter.addresses.map(({address}) => address))
  return {addresses, computerName, kubeletRuns: kubelet?.state === 'running'}
}

const clusterDNS = check('cluster-dns', {needs: ['cluster'], title: 'Cluster DNS'}, async (facts) => {
  const {server} = await facts.cluster()
  const address = await unlessForbidden(facts.clusterDNS())
  if (address === undefined) throw dnsUnknown({server})
  return pass(address)
})

const podNetwork = check('pod-network', {needs: ['cluster'], title: 'Pod networks'}, async (facts) => {
  const own = await unlessForbidden(facts.ownNode())
  // Until this node is registered, the networks of the others show what it will get.
  const nodes = own ? [own] : await unlessForbidden(facts.nodes())
  if (!nodes) return nodesNotListed()
  const {clusterCIDR} = facts.config
  // flannel on Windows uses IPv4 only.
  const given = nodes.filter(({podCIDR}) => parseCidr(podCIDR) !== undefined)
  const outside = given.filter(({podCIDR}) => !isInside(clusterCIDR, String(podCIDR.split('/')[0])))
  const wrong = outside.length === given.length ? outside[0] : undefined
  if (wrong) throw podCIDRElsewhere({cluster: clusterCIDR, node: wrong.name, podCIDR: wrong.podCIDR})
  const without = nodes.filter(({podCIDR}) => podCIDR === '')
  if (own && without.length === 0) return pass(`${own.name} has the pod network ${own.podCIDR}, inside ${clusterCIDR}`)
  const which = nodes.length < FEW_NODES ? 'the nodes' : `the first ${FEW_NODES} nodes`
  if (without.length === 0) return pass(`${which} have pod networks inside ${clusterCIDR}`)
  const names = shortList(
    without.map(({name}) => name),
    3,
  )
  return warn(
    `the cluster assigned no pod network to ${own ? 'this node' : `${names}, and may assign none to this node`}`,
    `Start kube-controller-manager with --allocate-node-cidrs=true --cluster-cidr=${clusterCIDR}.`,
  )
})

const serviceNetwork = check('service-network', {needs: ['cluster'], title: 'Service network'}, async (facts) => {
  const {clusterDNS, serviceCIDR: network} = facts.config
  const cluster = await facts.cluster()
  const [kubernetes, dns] = await Promise.all([
    unlessForbidden(cluster.serviceAddress('default', 'kubernetes')),
    unlessForbidden(facts.clusterDNS()),
  ])
  const problems: K8sWinError[] = []
  const isOutside = (address: string | undefined): address is string =>
    address !== undefined && !isInside(network, address)
  if (isOutside(kubernetes)) {
    problems.push(serviceCIDRElsewhere({address: kubernetes, network, service: 'default/kubernetes'}))
  }

  if (isOutside(dns) && clusterDNS === undefined) {
    problems.push(serviceCIDRElsewhere({address: dns, network, service: 'for DNS in kube-system'}))
  }

  if (problems.length > 0) throw new ProblemsError(problems)
  if (isOutside(dns)) {
    return warn(
      `--cluster-dns ${dns} is outside --service-cidr ${network}`,
      'This is correct only for a DNS server that is not a Service of the cluster, such as a cache on the node.',
    )
  }

  const seen = [kubernetes, dns].filter((address) => address !== undefined)
  if (seen.length === 0) return notChecked('no Service could be read')
  return pass(`${seen.join(' and ')} ${seen.length === 1 ? 'is' : 'are'} inside ${network}`)
})

export const NODE_CHECKS: readonly Check[] = [nodeObject, clusterDNS, serviceNetwork, podNetwork]
