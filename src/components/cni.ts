// The CNI configuration: flannel delegates to win-overlay. cni.conf has the policies of HNS v1, which dockershim uses;
// 10-flannel.conflist those of HNS v2, which containerd uses.
import {isDeepStrictEqual} from 'node:util'
import {cidrsOf, parseCidr} from '../config/cidr.js'
import {conflistOf, layoutOf} from '../config/layout.js'
import {type Decided, NETWORK_NAME, type RuntimeName} from '../config/model.js'
import {isRecord} from '../config/shape.js'

type Wanted = Partial<Pick<Decided, 'enableDSR'>> & Pick<Decided, 'clusterCIDR' | 'serviceCIDR'>

const policy = (value: object): object => ({name: 'EndpointPolicy', value})
/** Without it, a pod does not reach itself through its Service where kube-proxy uses direct server return. */
const loopback = ({enableDSR = false}: Wanted): {readonly loopbackDSR?: true} => (enableDSR ? {loopbackDSR: true} : {})

type Place = Pick<Decided, 'baseDir' | 'containerd' | 'runtime'>

/** The one file of its folder that is read, by who reads it. */
const FILES: Readonly<Record<RuntimeName, {content(wanted: Wanted): string; path(place: Place): string}>> = {
  containerd: {content: cniConflist, path: ({containerd}) => conflistOf(containerd)},
  docker: {content: cniConfiguration, path: ({baseDir}) => layoutOf(baseDir).cniConfig},
}

export const cniFileOf = (place: Place): string => FILES[place.runtime].path(place)
export const cniContent = (config: Pick<Decided, 'runtime'> & Wanted): string => FILES[config.runtime].content(config)

export function cniConfiguration(wanted: Wanted): string {
  const {clusterCIDR} = wanted
  const services = cidrsOf(wanted.serviceCIDR)
  return text({
    cniVersion: '0.3.0',
    name: NETWORK_NAME,
    type: 'flannel',
    capabilities: {dns: true},
    delegate: {
      type: 'win-overlay',
      ...loopback(wanted),
      policies: [
        policy({Type: 'OutBoundNAT', ExceptionList: [clusterCIDR, ...services]}),
        ...services.map((DestinationPrefix) => policy({Type: 'ROUTE', DestinationPrefix, NeedEncap: true})),
      ],
    },
  })
}

/**
 * As RKE2 writes it (rancher/rke2, pkg/windows/flannel.go); 1.0.0 is known to every plugin and containerd used here.
 * Checked before anything is written.
 */
export function cniConflist(wanted: Wanted): string {
  const {clusterCIDR} = wanted
  const services = cidrsOf(wanted.serviceCIDR)
  const document = {
    name: NETWORK_NAME,
    cniVersion: '1.0.0',
    plugins: [
      {
        type: 'flannel',
        capabilities: {dns: true},
        delegate: {
          type: 'win-overlay',
          apiVersion: 2,
          ...loopback(wanted),
          policies: [
            policy({Type: 'OutBoundNAT', Settings: {Exceptions: [clusterCIDR, ...services]}}),
            ...services.map((DestinationPrefix) =>
              policy({Type: 'SDNRoute', Settings: {DestinationPrefix, NeedEncap: true}}),
            ),
          ],
        },
      },
    ],
  }
  const [problem] = conflistProblems(document)
  if (problem !== undefined) throw new TypeError(`the CNI configuration is not valid: ${problem}`)
  return text(document)
}

const text = (document: object): string => `${JSON.stringify(document, undefined, 2)}\n`

/** The settings of a policy that work for pods of this node. A type that is not here is not one that k8s-win writes. */
const SETTINGS: Readonly<Record<string, Readonly<Record<string, (value: unknown) => boolean>>>> = {
  OutBoundNAT: {Exceptions: (value) => Array.isArray(value) && value.length > 0 && value.every(isCidr)},
  SDNRoute: {DestinationPrefix: isCidr, NeedEncap: (value) => value === true},
}

/**
 * What is wrong with a conflist for HNS v2. win-overlay itself reports none of it: it skips a policy that it cannot
 * parse, and hands HNS one that HNS ignores, such as a policy of HNS v1 (containernetworking/plugins,
 * pkg/hns/netconf_windows.go, GetHostComputeEndpointPolicies); pods then run without a way out.
 */
export function conflistProblems(conflist: unknown): string[] {
  const plugin = onlyPlugin(conflist)
  if (!isRecord(plugin) || !isRecord(plugin.delegate)) return ['the list must have one plugin with a delegate']
  const {apiVersion, policies, type} = plugin.delegate
  return [
    ...(isRecord(conflist) && conflist.name === NETWORK_NAME ? [] : [`the name must be ${NETWORK_NAME}`]),
    ...(plugin.type === 'flannel' && type === 'win-overlay' ? [] : ['flannel must delegate to win-overlay']),
    ...(apiVersion === 2 ? [] : ['apiVersion must be the number 2']),
    ...(Array.isArray(policies) ? policiesProblems(policies) : ['policies must be a list']),
  ]
}

function onlyPlugin(conflist: unknown): unknown {
  const plugins = isRecord(conflist) ? conflist.plugins : undefined
  return Array.isArray(plugins) && plugins.length === 1 ? (plugins[0] as unknown) : undefined
}

function policiesProblems(policies: readonly unknown[]): string[] {
  const types = policies.map((one) => (isRecord(one) && isRecord(one.value) ? one.value.Type : undefined))
  const missing = Object.keys(SETTINGS).filter((type) => !types.includes(type))
  return [
    ...missing.map((type) => `there must be a policy ${type}`),
    ...(types.filter((type) => type === 'OutBoundNAT').length > 1 ? ['there must be one policy OutBoundNAT'] : []),
    ...policies.flatMap((one, index) => policyProblems(one, `policy ${index + 1}`)),
  ]
}

function policyProblems(one: unknown, where: string): string[] {
  if (!isRecord(one) || one.name !== 'EndpointPolicy' || !isRecord(one.value))
    return [`${where} is not an EndpointPolicy`]
  const {Settings: settings, Type: type, ...rest} = one.value
  const wanted = typeof type === 'string' && Object.hasOwn(SETTINGS, type) ? SETTINGS[type] : undefined
  if (!wanted) return [`${where} has the type ${JSON.stringify(type)}`]
  if (!isRecord(settings)) return [`${where} has no Settings`]
  const isComplete = isDeepStrictEqual(Object.keys(settings).sort(), Object.keys(wanted).sort())
  return [
    ...(Object.keys(rest).length === 0 ? [] : [`${where} has ${Object.keys(rest).join(', ')} outside of Settings`]),
    ...(isComplete ? [] : [`${where} must have the settings ${Object.keys(wanted).join(', ')}`]),
    ...Object.entries(wanted).flatMap(([key, isValid]) =>
      isValid(settings[key]) ? [] : [`${where} has the wrong ${key}`],
    ),
  ]
}

function isCidr(value: unknown): boolean {
  return typeof value === 'string' && parseCidr(value) !== undefined
}
