// The overlay network: as HNS has it, as flanneld leased it, and kube-proxy's address in it.
import {isInside} from '../config/cidr.js'
import {NET_CONF, SUBNET_ENV} from '../config/layout.js'
import {NETWORK_NAME, VXLAN_ID} from '../config/model.js'
import {foreignNetwork} from '../errors/host.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import {leaseMissing, overlayAbsent, overlayUnsound, sourceVipUnreserved} from '../errors/unhealthy-node.js'
import {at, parseJson} from '../host/document.js'
import type {HnsNetwork} from '../host/hns/objects.js'
import {readSubnetEnv} from '../host/ipam.js'
import type {NetworkStatus} from '../pipeline/run/status-report.js'
import type {StepId} from '../pipeline/run/step.js'
import {recognise} from '../signatures/index.js'
import {FLANNEL_DAEMON, lastWords} from './daemons.js'
import {usedAddress} from './node-checks.js'
import {byCommand, type FoundProblem, LOCAL_MS, type Probe, type ProbeContext} from './probe.js'

const STEPS = ['overlay-network', 'source-vip'] as const
/** E_ACCESSDENIED: HNS answers administrators only. */
const DENIED = /0x80070005/i
const WANTED = `an overlay with VNI ${VXLAN_ID} on the pod network of this node`

export const networkProbe: Probe<NetworkStatus> = {
  check: 'overlay-network',
  deadlineMs: LOCAL_MS,
  async look(context) {
    const {files, hns, ipam} = context.host
    const [network, refusal] = await hns.network(NETWORK_NAME).then(
      (found) => [found, undefined] as const,
      (error: unknown) => [undefined, error] as const,
    )
    if (refusal !== undefined) return {problems: [refused(context, refusal)]}
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
      subnet: network?.Subnets?.[0]?.AddressPrefix ?? '',
      subnetEnv: lease ?? null,
      type: network?.Type ?? '',
      vni: vsidOf(network) ?? null,
    }
    if (!network) return {problems: [await absent(context)], report}
    const address = await usedAddress(context)
    const isOther = address !== undefined && address !== report.managementIP
    const isMoved = isOther && !(await isOwn(context, report.managementIP))
    return {problems: wrongIn(context, report, isMoved ? address : undefined), report}
  },
  steps: STEPS,
  what: `the overlay network ${NETWORK_NAME}`,
}

/** HNS takes the first address of the adapter; the daemons may use another one of the same host. */
const isOwn = async ({host}: ProbeContext, address: string): Promise<boolean> =>
  (await host.network.adapters()).some(({addresses}) => addresses.some((own) => own.address === address))

const UNFINISHED = ['end of the run'] as const

const vsidOf = (network: HnsNetwork | undefined): number | undefined =>
  network?.Subnets?.[0]?.Policies?.find(({Type}) => Type === 'VSID')?.VSID

const problem = (
  told: Omit<FoundProblem, 'area' | 'steps' | 'subject'>,
  {command}: Pick<ProbeContext, 'command'>,
): FoundProblem => ({
  area: 'network',
  steps: STEPS,
  subject: NETWORK_NAME,
  ...told,
  ...(told.next === '' && byCommand(command('setup'))),
})

/** What is no answer of HNS' own is not ours to judge, nor is one that it keeps to itself: the probe could not look. */
function refused(context: ProbeContext, error: unknown): FoundProblem {
  if (!(error instanceof K8sWinError) || DENIED.test(error.reason)) throw error
  const known = recognise(error.reason, 'hns')
  const {cause = error.reason, fix = error.fix} = known ?? {}
  const told = {
    cause,
    id: error.id,
    next: fix,
    seen: error.message,
    wanted: WANTED,
    ...(known && {signature: known.id}),
  }
  return {...problem(told, context), steps: [...STEPS, 'external-network']}
}

async function absent(context: ProbeContext): Promise<FoundProblem> {
  const {signature: known} = await lastWords(context, FLANNEL_DAEMON, true)
  const {id, reason: cause} = overlayAbsent({network: NETWORK_NAME})
  const told = {cause: known?.cause ?? cause, id, next: known?.fix ?? '', ...(known && {signature: known.id})}
  const restsOn = known ? [] : UNFINISHED
  return problem({...told, restsOn, seen: `the HNS network ${NETWORK_NAME} does not exist`, wanted: WANTED}, context)
}

function wrongIn(context: ProbeContext, report: NetworkStatus, address: string | undefined): FoundProblem[] {
  const {managementIP, sourceVip, subnet, subnetEnv, type, vni} = report
  const found: FoundProblem[] = []
  const tell = ({id, reason: cause}: K8sWinError, seen: string, wanted: string, ...more: readonly StepId[]): void =>
    void found.push({...problem({cause, id, next: '', seen, wanted}, context), steps: [...STEPS, ...more]})
  if (type.toLowerCase() !== 'overlay' || (vni !== null && vni !== VXLAN_ID)) {
    const cause = 'The network was created by another tool or by an older flannel.'
    const adopt = context.command('setup --adopt')
    const next = `${adopt}, which removes it with everything on it`
    const {id} = foreignNetwork({id: report.id, network: NETWORK_NAME, type})
    const told = {
      cause,
      command: adopt,
      id,
      next,
      seen: `it is of type ${type} with VNI ${vni ?? 'unknown'}`,
      wanted: WANTED,
    }
    // Whatever else is not right with it is so for that.
    return [{...problem(told, context), steps: [...STEPS, 'kubeproxy-service']}]
  }
  if (subnetEnv === null) {
    tell(
      leaseMissing({path: SUBNET_ENV}),
      `${SUBNET_ENV} is missing or contains no subnet`,
      `${SUBNET_ENV} with the lease of this node`,
    )
  } else if (subnetEnv !== subnet) {
    const seen = `HNS has ${subnet || 'no subnet'}, flanneld leased ${subnetEnv}`
    const cause = 'The node was deleted and registered again with another pod network.'
    tell(overlayUnsound({cause, network: NETWORK_NAME, seen}), seen, 'the same subnet in both')
  }
  if (address !== undefined && managementIP !== '' && managementIP !== address) {
    const seen = `the management address is ${managementIP}, and the daemons use ${address}`
    const cause = 'The address of the host changed after flanneld created the network.'
    tell(overlayUnsound({cause, network: NETWORK_NAME, seen}), seen, 'the same address in both')
  }
  if (sourceVip === null) {
    const cause = 'The reservation of host-local does not exist or was removed; a pod can get the address.'
    const seen = 'no address is reserved for kube-proxy'
    const wanted = `an address of ${subnet} reserved for kube-proxy`
    tell(sourceVipUnreserved({cause, seen}), seen, wanted, 'kubeproxy-service')
  } else if (!isInside(subnet, sourceVip)) {
    const cause = 'It was reserved when the node had another pod network.'
    const seen = `${sourceVip} is reserved for kube-proxy, outside ${subnet || 'any subnet'}`
    tell(sourceVipUnreserved({cause, seen}), seen, `an address of ${subnet}`, 'kubeproxy-service')
  }
  return found
}

/** What neither the probe of the network nor that of the node sees alone. */
export function podNetworkProblems(
  context: Pick<ProbeContext, 'command'>,
  {present, subnet, subnetEnv}: NetworkStatus,
  podCIDR: string,
): FoundProblem[] {
  const isTold = subnetEnv !== null && subnetEnv !== subnet
  if (!present || isTold || podCIDR === '' || podCIDR === subnet) return []
  const seen = `HNS has ${subnet || 'no subnet'}, the cluster assigned ${podCIDR}`
  const registeredAgain = 'The node was deleted and registered again with another pod network.'
  const {id, reason: cause} = overlayUnsound({cause: registeredAgain, network: NETWORK_NAME, seen})
  return [problem({cause, id, next: '', seen, wanted: 'the same pod network in both'}, context)]
}
