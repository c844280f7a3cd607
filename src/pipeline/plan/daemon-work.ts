// What the daemons make once they run: told with the step that waits for it.
import type {World} from '../../simulator/world.js'

interface Overlay {
  readonly ID: string
  readonly Name: string
  readonly NetworkAdapterName?: string
  readonly Subnets?: readonly {
    readonly AddressPrefix?: string
    readonly Policies?: readonly {readonly Type: string; readonly VSID?: number}[]
  }[]
  readonly Type: string
}

/** Each call tells what is new since the last. */
export function watchDaemons({cluster, hns}: World): () => string[] {
  const told = new Set([...hns.networks.map(({ID}) => String(ID)), ...cluster.nodes.map(({name}) => name)])
  const isNews = (id: string): boolean => !told.has(id) && told.add(id).has(id)
  return () => [
    ...cluster.nodes.filter(({name}) => isNews(name)).map(({name}) => `the kubelet registers the node ${name}`),
    ...(hns.networks as unknown as Overlay[]).filter(({ID}) => isNews(ID)).map(networkLine),
  ]
}

function networkLine({Name, NetworkAdapterName, Subnets, Type}: Overlay): string {
  const [subnet] = Subnets ?? []
  const vsid = subnet?.Policies?.find((policy) => policy.Type === 'VSID')?.VSID
  const parts = [
    Type,
    ...(subnet?.AddressPrefix ? [`subnet ${subnet.AddressPrefix}`] : []),
    ...(vsid === undefined ? [] : [`VSID ${vsid}`]),
    ...(NetworkAdapterName === undefined ? [] : [`over "${NetworkAdapterName}"`]),
  ]
  return `the HNS network ${Name} comes up: ${parts.join(', ')}`
}
