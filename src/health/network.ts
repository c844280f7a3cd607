// The overlay network as HNS reports it, flanneld's lease, and the address that is reserved for kube-proxy.
import {isOutside, NO_SUBNET, subnetOf, vsidOf} from '../components/overlay.js'
import {DAEMON} from '../config/daemons.js'
import {NET_CONF, SUBNET_ENV} from '../config/layout.js'
import {NETWORK_NAME, type Node, VXLAN_ID} from '../config/model.js'
import {foreignNetwork} from '../errors/host.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import {leaseMissing, overlayAbsent, overlayUnsound, sourceVipUnreserved} from '../errors/unhealthy-node.js'
import {at, parseJson} from '../host/document.js'
import type {HnsNetwork} from '../host/hns/objects.js'
import {readSubnetEnv} from '../host/ipam.js'
import {networksNamed} from '../pipeline/desired/network/own-network.js'
import type {NetworkStatus, StatusDocument} from '../pipeline/run/status-report.js'
import {recognise} from '../signatures/index.js'
import {lastWords} from './last-words.js'
import {usedAddress} from './node-checks.js'
import {check, type FoundProblem} from '../preflight/check.js'
import type {Facts} from '../preflight/facts.js'
import {explainedBy, problemOf} from './run-reporting-check.js'

const STEPS = ['overlay-network', 'source-vip'] as const
/** E_ACCESSDENIED: HNS responds to administrators only. */
const DENIED = /0x80070005/i
const WANTED = `an overlay with VNI ${VXLAN_ID} on the pod network of this node`

export const networkCheck = check<NetworkStatus, Node>(
  'overlay-network',
  {
    healthy: 'as flanneld creates it',
    on: 'node',
    part: 'network',
    steps: STEPS,
    title: 'Overlay network',
    what: `the overlay network ${NETWORK_NAME}`,
  },
  async (context) => {
    const {files, ipam} = context.host
    const [named, refusal] = await networksNamed(context, 'overlay-network', NETWORK_NAME).then(
      (found) => [found, undefined] as const,
      (error: unknown) => [undefined, error] as const,
    )
    if (!named) return {problems: [refused(refusal)]}
    // What is alone there is shown, and judged below, whoever made it.
    const all = [...named.candidates, ...named.others]
    const network = named.own ?? all[0]
    const others = all.filter((one) => one !== network)
    const [lease, vip, conf] = await Promise.all([
      files.read(SUBNET_ENV).then((content) => readSubnetEnv(content)),
      ipam.find(NETWORK_NAME),
      files.read(NET_CONF),
    ])
    const port = at(parseJson(conf?.toString('utf8') ?? ''), 'Backend', 'Port')
    const report: NetworkStatus = {
      id: network?.ID ?? '',
      managementIP: network?.ManagementIP ?? '',
      name: NETWORK_NAME,
      port: typeof port === 'number' ? port : null,
      present: network !== undefined,
      sourceVip: vip ?? null,
      subnet: (network && subnetOf(network)) ?? '',
      subnetEnv: lease ?? null,
      type: network?.Type ?? '',
      vni: (network && vsidOf(network)) ?? null,
    }
    if (!network) return {problems: [await absent(context)], report}
    const address = await usedAddress(context)
    const isOther = address !== undefined && address !== report.managementIP
    const isMoved = isOther && !(await isOwn(context, report.managementIP))
    const problems = [...others.map(besides), ...wrongIn(report, isMoved ? address : undefined)]
    const notChecked = report.subnet === '' ? [{what: `the subnet of ${NETWORK_NAME}`, why: NO_SUBNET}] : []
    return {notChecked, problems, report}
  },
)

/** HNS uses the first address of the adapter; the daemons may use another one of the same host. */
const isOwn = async ({host}: Facts<Node>, address: string): Promise<boolean> =>
  (await host.network.adapters()).some(({addresses}) => addresses.some((own) => own.address === address))

const problem = (error: K8sWinError, about: Partial<FoundProblem> = {}): FoundProblem =>
  problemOf(error, {area: 'network', steps: STEPS, subject: NETWORK_NAME, ...about})

/** flanneld, win-overlay and kube-proxy take the first network of this name, whichever that is. */
const besides = ({ID: id, Type: type}: HnsNetwork): FoundProblem =>
  problem(foreignNetwork({id, network: NETWORK_NAME, type}), {subject: `${NETWORK_NAME} (${id})`, wanted: WANTED})

/** Throws what is not a response of HNS, and its refusal of accounts that are not administrators: neither is a finding. */
function refused(error: unknown): FoundProblem {
  if (!(error instanceof K8sWinError) || DENIED.test(error.reason)) throw error
  const steps = [...STEPS, 'external-network'] as const
  return problem(error, {steps, wanted: WANTED, ...explainedBy(recognise(error.reason, 'hns'))})
}

async function absent(context: Facts<Node>): Promise<FoundProblem> {
  const {signature} = await lastWords(context, DAEMON.flanneld, {isWaiting: true})
  const restsOn = signature ? [] : (['end of the run'] as const)
  return problem(overlayAbsent({network: NETWORK_NAME}), {restsOn, wanted: WANTED, ...explainedBy(signature)})
}

function wrongIn(report: NetworkStatus, address: string | undefined): FoundProblem[] {
  const {id, managementIP, sourceVip, subnetEnv, type, vni} = report
  const subnet = report.subnet || undefined
  if (type.toLowerCase() !== 'overlay' || (vni !== null && vni !== VXLAN_ID)) {
    // This explains every other difference.
    const error = foreignNetwork({id, network: NETWORK_NAME, type: `${type} (VNI ${vni ?? 'unknown'})`})
    return [problem(error, {steps: [...STEPS, 'kubeproxy-service'], wanted: WANTED})]
  }
  const found: FoundProblem[] = []
  if (subnetEnv === null) found.push(problem(leaseMissing({path: SUBNET_ENV})))
  else if (subnet !== undefined && subnetEnv !== subnet) found.push(otherSubnet(subnet, `flanneld leased ${subnetEnv}`))
  if (address !== undefined && managementIP !== '' && managementIP !== address) {
    const seen = `its management address is ${managementIP}, and the daemons use ${address}`
    const cause = 'The address of the host changed after flanneld created the network.'
    found.push(problem(overlayUnsound({cause, network: NETWORK_NAME, seen, wanted: 'the same address in both'})))
  }
  if (sourceVip === null || isOutside(subnet, sourceVip)) {
    const [seen, cause] =
      sourceVip === null
        ? (['none', 'The reservation of host-local was removed; a pod can get the address.'] as const)
        : ([
            `${sourceVip} is outside ${subnet ?? ''}`,
            'It was reserved when the node had another pod network.',
          ] as const)
    const steps = [...STEPS, 'kubeproxy-service'] as const
    found.push(problem(sourceVipUnreserved({cause, seen, subnet: subnet ?? 'the pod network'}), {steps}))
  }
  return found
}

/** What neither the check of the network nor that of the node can see alone. */
export function podNetworkProblems({network, node}: Pick<StatusDocument, 'network' | 'node'>): FoundProblem[] {
  if (!network) return []
  const {present, subnet, subnetEnv} = network
  const podCIDR = node?.podCIDR ?? ''
  const isReported = subnetEnv !== null && subnetEnv !== subnet
  if (!present || subnet === '' || isReported || podCIDR === '' || podCIDR === subnet) return []
  return [otherSubnet(subnet, `the cluster assigned ${podCIDR}`)]
}

function otherSubnet(subnet: string, other: string): FoundProblem {
  const cause = 'The node was deleted and registered again with another pod network.'
  const seen = `HNS has ${subnet}, ${other}`
  return problem(overlayUnsound({cause, network: NETWORK_NAME, seen, wanted: 'the same pod network in both'}))
}
