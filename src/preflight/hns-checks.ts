// The Host Network Service: its library, its service, what it can do, and networks of others that are in the way.
import {EXTERNAL_NETWORK, needsExternalNetwork} from '../components/flanneld.js'
import {NETWORK_NAME} from '../config/model.js'
import {hnsMissing, hnsStopped, hnsTooOld, otherNetwork} from '../errors/condition.js'
import {containersMissing} from '../errors/host.js'
import {K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {type Check, notChecked, pass, type Verdict, warn} from './check.js'
import type {HostFacts} from './facts.js'

const SERVICE = 'hns'
/** Overlay networks and host routes (facts d.9). */
const OVERLAY = {Major: 9, Minor: 2}
/** Types that put a virtual switch over an adapter of the host. */
const ON_AN_ADAPTER = /^(?:l2bridge|l2tunnel|overlay|transparent)$/i

export const containersFeature: Check = {
  id: 'containers-feature',
  async run(facts) {
    // Whatever it answers, the library was there to be asked.
    const missing = await missingLibrary(facts)
    if (missing) throw missing
    return pass('vmcompute.dll exists')
  },
  title: 'Containers feature',
}

export const hnsService: Check = {
  id: 'hns-service',
  async run({host}) {
    const [status, startType] = await Promise.all([host.services.status(SERVICE), host.services.startType(SERVICE)])
    if (!status) throw hnsMissing({})
    if (status.state !== 'running') {
      throw hnsStopped({state: startType === 'disabled' ? 'disabled' : status.state})
    }
    return pass('runs')
  },
  title: 'Host Network Service',
}

export const hnsVersion: Check = {
  id: 'hns-version',
  run: (facts) =>
    ifHnsResponds(facts, async () => {
      const {Major, Minor} = await facts.hnsVersion()
      const seen = `${Major}.${Minor}`
      const isEnough = Major > OVERLAY.Major || (Major === OVERLAY.Major && Minor >= OVERLAY.Minor)
      if (!isEnough) throw hnsTooOld({seen, wanted: `${OVERLAY.Major}.${OVERLAY.Minor}`})
      return pass(`version ${seen}, which supports overlay networks`)
    }),
  title: 'Host Network Service version',
}

/** A switch belongs to one kind of network: HNS refuses a second kind on its adapter (0x803b0006, facts d.12.4). */
export const otherNetworks: Check = {
  id: 'other-networks',
  run: (facts) =>
    ifHnsResponds(facts, async () => {
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
    }),
  title: 'Other networks on the adapter',
}

/** flannel below 0.12 starts from it; with --adopt that of the original script goes. */
function mayStay({config}: HostFacts): boolean {
  return config.adopt || needsExternalNetwork(config)
}

/** Under a switch the adapter is vEthernet (<name>). */
function isSameAdapter(network: string, chosen: string): boolean {
  const plain = (name: string): string => name.replace(/^vEthernet \((.*)\)$/i, '$1').toLowerCase()
  return plain(network) === plain(chosen)
}

/** What keeps HNS from answering is told by the checks of the rights, the feature and the service. */
export async function ifHnsResponds(facts: HostFacts, judge: () => Promise<Verdict>): Promise<Verdict> {
  const {os, services} = facts.host
  if (!(await os.isAdministrator())) return notChecked('visible to administrators only')
  if (await missingLibrary(facts)) return notChecked('not checked: the Host Network Service is not installed')
  if ((await services.status(SERVICE))?.state !== 'running')
    return notChecked('not checked: the Host Network Service is not running')
  return judge()
}

async function missingLibrary(facts: HostFacts): Promise<K8sWinError | undefined> {
  try {
    await facts.hnsVersion()
  } catch (error) {
    if (error instanceof K8sWinError && containersMissing.is(error)) return error
  }
  return undefined
}
