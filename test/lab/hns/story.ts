// Requests for the simulator's HNS that make networks, endpoints and policy lists, get refused, and take all away again.
import type {HnsReply, Win32} from '../../../src/machine/win32.js'
import type {Stage} from '../../../src/simulator/model.js'

const SUBNET = {
  AddressPrefix: '10.244.3.0/24',
  GatewayAddress: '10.244.3.1',
  Policies: [{Type: 'VSID', VSID: 4096}],
}
export const OVERLAY = {Name: 'vxlan0', NetworkAdapterName: 'Ethernet0', Subnets: [SUBNET], Type: 'overlay'}

export interface Told {
  readonly request: string
  readonly reply: HnsReply
}

/** Tells every reply; `stage` is what stands behind `hnsCall`. */
export async function tellStory(hnsCall: Win32['hnsCall'], stage: Stage): Promise<Told[]> {
  const told: Told[] = []
  const call = async (method: 'DELETE' | 'GET' | 'POST', path: string, body: unknown = ''): Promise<string> => {
    const request = typeof body === 'string' ? body : JSON.stringify(body)
    const reply = await hnsCall(method, path, request)
    told.push({reply, request: `${method} ${path} ${request}`})
    return idOf(reply)
  }
  const list = async () => {
    for (const kind of ['networks', 'endpoints', 'policylists', 'portpools', 'activities'])
      await call('GET', `/${kind}/`)
  }

  await list()
  await call('GET', '/globals/version')
  const network = await call('POST', '/networks/', OVERLAY)
  const endpoint = await call('POST', '/endpoints/', {
    IPAddress: '10.244.3.2',
    Name: 'pod ü中😀',
    VirtualNetwork: network,
  })
  const policyList = await call('POST', '/policylists/', {
    Policies: [{ExternalPort: 80, InternalPort: 8080, Protocol: 6, Type: 'ELB', VIPs: ['10.10.0.10']}],
    References: [`/endpoints/${endpoint}`],
  })
  await list()

  await call('POST', '/networks/', {...OVERLAY, NetworkAdapterName: undefined})
  await call('POST', '/networks/', {...OVERLAY, Name: 'other', NetworkAdapterName: 'Ethernet7'})
  await call('POST', '/networks/', '{"Name":')
  await call('POST', '/endpoints/', {IPAddress: '10.9.9.9', VirtualNetwork: network})
  await call('DELETE', `/networks/${network}`)
  await call('GET', '/networks/not-there')
  await call('DELETE', '/endpoints/not-there')
  await call('GET', '/nonsense')

  await call('DELETE', `/policylists/${policyList}`)
  await call('DELETE', `/endpoints/${endpoint}`)
  await call('DELETE', `/networks/${network}`)
  await list()

  stage.world.os.administrator = false
  await call('GET', '/networks/')
  stage.world.os.administrator = true
  stage.world.services['hns']!.state = 'stopped'
  await call('GET', '/networks/')
  return told
}

function idOf({response}: HnsReply): string {
  if (response === '') return ''
  const {Output} = JSON.parse(response) as {Output?: {ID?: string}}
  return Output?.ID ?? ''
}
