// Puts a switch over the host's adapter, looks at everything the simulator assumes of that, and takes it away again.
// 198.18.0.0/15 is for trials of network devices (RFC 2544): it is no one's pod network.
import {openServices} from '../../../../src/host/services/services.js'
import {openNetwork} from '../../../../src/host/network.js'
import {inWords, lost, restoreCommands, takeSnapshot} from '../../../../src/host/saved-network.js'
import {waitFor} from '../../../../src/host/wait.js'
import type {Machine} from '../../../../src/machine/machine.js'
import type {Adapter} from '../../../../src/machine/win32.js'
import {type AskHns, type HnsAnswer, type HnsObject, isOnAdapter, listOf, openHnsCalls} from './hns-calls.js'

const MARK = 'k8s-win-lab-'
const BACK = {deadlineMs: 120_000, everyMs: 250}
const NON_PERSISTENT = 8
const VIP = '198.19.0.80'

export interface SwitchSeen {
  readonly before: readonly Adapter[]
  readonly callMs: number
  /** Until the address was back on an adapter with a gateway; undefined where it did not come back. */
  readonly offlineMs: number | undefined
  readonly physical: string
  /** Undefined where there was nothing that could be in use. */
  readonly inUse: HnsAnswer | undefined
  readonly restart:
    {readonly endpoints: number; readonly networks: readonly string[]; readonly policyLists: number} | undefined
  readonly removedMs: number | undefined
  readonly after: readonly Adapter[]
  /** What the host did not get back, with the commands that give it back. */
  readonly lost: readonly string[]
}

/** Rejects with an Error for people where the host is not one for it. */
export async function tryOutSwitch(machine: Machine): Promise<SwitchSeen> {
  const {clock, win32} = machine
  const ask = openHnsCalls(win32)
  const network = openNetwork(machine.run, win32)
  const [before, snapshot] = [await win32.adapters(), takeSnapshot(await network.now())]
  const adapter = before.find(({addresses, gateways, up}) => up && addresses.length > 0 && gateways.length > 0)
  const address = adapter?.addresses[0]?.address
  const busy = (await listOf(ask, 'networks')).find(isOnAdapter)
  if (busy) throw new NotHere(`there is a switch already, for the network ${busy.Name}`)
  if (!adapter || address === undefined) throw new NotHere('no adapter has an address and a gateway')

  const timed = async (work: () => Promise<unknown>) => {
    const started = clock.now()
    await work()
    const backAt = await waitFor(clock, BACK, async () =>
      (await hasAddress(win32, address)) ? clock.now() : undefined,
    )
    return backAt === undefined ? undefined : backAt - started
  }

  try {
    const started = clock.now()
    let callMs = 0
    const offlineMs = await timed(async () => {
      demand(await ask('POST', '/networks/', overlay(1, {Flags: NON_PERSISTENT, NetworkAdapterName: adapter.name})))
      callMs = clock.now() - started
    })
    demand(await ask('POST', '/networks/', overlay(2, {NetworkAdapterName: adapter.name})))
    const inUse = await tryOutEndpoints(ask)
    const restart = inUse && inUse.code !== 0 ? await restartHns(machine, ask) : undefined
    const removedMs = await timed(() => clear(ask))
    const back = await network.now()
    const losses = lost(snapshot, back)
    const missing = [...losses.map(inWords), ...restoreCommands(losses, back)]
    const after = await win32.adapters()
    return {
      after,
      before,
      callMs,
      inUse,
      lost: missing,
      offlineMs,
      physical: adapter.name,
      removedMs,
      restart,
    }
  } finally {
    await clear(ask)
  }
}

export class NotHere extends Error {}

const overlay = (number: number, more: object) => ({
  Name: `${MARK}${number}`,
  Subnets: [
    {
      AddressPrefix: `198.18.${number}.0/24`,
      GatewayAddress: `198.18.${number}.1`,
      Policies: [{Type: 'VSID', VSID: 9000 + number}],
    },
  ],
  Type: 'Overlay',
  ...more,
})

async function tryOutEndpoints(ask: AskHns): Promise<SwitchSeen['inUse']> {
  const first = (await listOf(ask, 'networks')).find(({Name}) => Name === `${MARK}1`)
  const endpoint = await ask('POST', '/endpoints/', {IPAddress: '198.18.1.9', VirtualNetwork: first?.ID})
  const made = endpoint.output as HnsObject | undefined
  if (!made) return undefined
  const balanced = await ask('POST', '/policylists/', {
    Policies: [{ExternalPort: 80, InternalPort: 80, Protocol: 6, SourceVIP: '198.18.1.9', Type: 'ELB', VIPs: [VIP]}],
    References: [`/endpoints/${made.ID}`],
  })
  return balanced.code === 0 ? ask('DELETE', `/networks/${first?.ID}`) : undefined
}

async function restartHns({clock, win32}: Machine, ask: AskHns): Promise<SwitchSeen['restart']> {
  const services = openServices(win32, clock)
  await services.stop('hns', new AbortController().signal)
  await services.start('hns')
  const running = await waitFor(clock, BACK, async () =>
    (await services.status('hns'))?.state === 'running' && (await ask('GET', '/networks/')).code === 0
      ? true
      : undefined,
  )
  if (!running) return undefined
  const networks = (await ours(ask)).map(({Name}) => String(Name))
  return {
    endpoints: (await listOf(ask, 'endpoints')).length,
    networks,
    policyLists: (await listOf(ask, 'policylists')).length,
  }
}

const ours = async (ask: AskHns): Promise<HnsObject[]> =>
  (await listOf(ask, 'networks')).filter(({Name}) => Name?.startsWith(MARK))

async function clear(ask: AskHns): Promise<void> {
  const networks = (await ours(ask)).map(({ID}) => ID)
  const endpoints = (await listOf(ask, 'endpoints')).filter(({VirtualNetwork}) =>
    networks.includes(String(VirtualNetwork)),
  )
  const references = endpoints.map(({ID}) => `/endpoints/${ID}`)
  for (const list of await listOf(ask, 'policylists')) {
    // HNS may have restored it without the endpoint that it refers to.
    const isOurs = JSON.stringify(list).includes(VIP)
    if (isOurs || list.References?.some((reference) => references.includes(reference))) {
      await ask('DELETE', `/policylists/${list.ID}`)
    }
  }
  for (const {ID} of endpoints) await ask('DELETE', `/endpoints/${ID}`)
  for (const id of networks) await ask('DELETE', `/networks/${id}`)
}

async function hasAddress(win32: Machine['win32'], address: string): Promise<boolean> {
  const adapters = await win32.adapters()
  return adapters.some(
    ({addresses, gateways}) => gateways.length > 0 && addresses.some((one) => one.address === address),
  )
}

function demand({code, response}: HnsAnswer): void {
  if (code !== 0) throw new NotHere(`HNS does not make an overlay network: ${response || code}`)
}
