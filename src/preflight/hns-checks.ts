// Checks of the Host Network Service: its library, service and version, and networks that conflict with the overlay.
import {EXTERNAL_NETWORK, needsExternalNetwork} from '../components/flanneld.js'
import {NETWORK_NAME} from '../config/model.js'
import {hnsMissing, hnsStopped, hnsTooOld, otherNetwork} from '../errors/condition.js'
import {containersMissing} from '../errors/host.js'
import {K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {check, type Check, notChecked, pass, type Verdict, warn} from './check.js'
import type {HostFacts} from './facts.js'

const SERVICE = 'hns'
/** Overlay networks and host routes (docs/facts.md#hns-versions). */
const OVERLAY = {Major: 9, Minor: 2}
/** Types that create a virtual switch on an adapter of the host. */
const ON_AN_ADAPTER = /^(?:l2bridge|l2tunnel|overlay|transparent)$/i

const containersFeature = check('containers-feature', 'Containers feature', async (facts) => {
  const missing = await missingLibrary(facts)
  if (missing) throw missing
  return pass('vmcompute.dll exists')
})

const hnsService = check('hns-service', 'Host Network Service', async ({host}) => {
  const [status, startType] = await Promise.all([host.services.status(SERVICE), host.services.startType(SERVICE)])
  if (!status) throw hnsMissing({})
  if (status.state !== 'running') {
    throw hnsStopped({state: startType === 'disabled' ? 'disabled' : status.state})
  }
  return pass('runs')
})

const hnsVersion = hnsCheck('hns-version', 'Host Network Service version', async (facts) => {
  const {Major, Minor} = await facts.hnsVersion()
  const seen = `${Major}.${Minor}`
  const isEnough = Major > OVERLAY.Major || (Major === OVERLAY.Major && Minor >= OVERLAY.Minor)
  if (!isEnough) throw hnsTooOld({seen, wanted: `${OVERLAY.Major}.${OVERLAY.Minor}`})
  return pass(`version ${seen}, which supports overlay networks`)
})

/** HNS rejects a second type of network on an adapter with 0x803b0006 (docs/facts.md#hns). */
const otherNetworks = hnsCheck('other-networks', 'Other networks on the adapter', async (facts) => {
  const {name: chosen} = await facts.interface()
  const inTheWay = (await facts.host.hns.networks()).filter(
    ({Name, NetworkAdapterName, Type}) =>
      Name !== NETWORK_NAME &&
      ON_AN_ADAPTER.test(Type) &&
      (NetworkAdapterName === undefined || isSameAdapter(NetworkAdapterName, chosen)),
  )
  const external = inTheWay.filter(({Name}) => Name === EXTERNAL_NETWORK)
  const problems = inTheWay
    .filter((network) => !external.includes(network) || !mayStay(facts))
    .map(({ID, Name, NetworkAdapterName, Type}) =>
      otherNetwork({adapter: `"${NetworkAdapterName ?? chosen}"`, id: ID, network: Name, type: Type}),
    )
  if (problems.length > 0) throw new ProblemsError(problems)
  if (external.length > 0 && facts.config.adopt && !needsExternalNetwork(facts.config)) {
    return warn(
      `the network ${EXTERNAL_NETWORK} of another tool will be removed`,
      'No action is needed: --adopt requests it.',
    )
  }
  return pass('none on the adapter of the overlay network')
})

/** flannel below 0.12 requires it; --adopt removes that of the original script. */
function mayStay({config}: HostFacts): boolean {
  return config.adopt || needsExternalNetwork(config)
}

/** The adapter of a virtual switch is called vEthernet (<name>). */
function isSameAdapter(network: string, chosen: string): boolean {
  const plain = (name: string): string => name.replace(/^vEthernet \((.*)\)$/i, '$1').toLowerCase()
  return plain(network) === plain(chosen)
}

/** A check that needs HNS. Other checks report missing rights, the missing feature and the stopped service. */
export function hnsCheck(...[id, title, run]: Parameters<typeof check>): Check {
  return check(id, title, async (facts) => (await whyNoHns(facts)) ?? run(facts))
}

async function whyNoHns(facts: HostFacts): Promise<undefined | Verdict> {
  const {os, services} = facts.host
  if (!(await os.isAdministrator())) return notChecked('visible to administrators only')
  if (await missingLibrary(facts)) return notChecked('not checked: the Host Network Service is not installed')
  if ((await services.status(SERVICE))?.state !== 'running')
    return notChecked('not checked: the Host Network Service is not running')
  return undefined
}

async function missingLibrary(facts: HostFacts): Promise<K8sWinError | undefined> {
  try {
    await facts.hnsVersion()
  } catch (error) {
    if (error instanceof K8sWinError && containersMissing.is(error)) return error
  }
  return undefined
}

export const HNS_CHECKS: readonly Check[] = [containersFeature, hnsService, hnsVersion, otherNetworks]
