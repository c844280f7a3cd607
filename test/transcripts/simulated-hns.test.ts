// The simulated HNS and hcsshim, the client that flannel, the CNI plugins and kube-proxy have: its very requests.
import {expect, it} from 'vitest'
import {hnsCall} from '../../src/simulator/windows/hns.js'
import {makeStage} from '../simulator/fresh-model.js'
import {ofGroup, recording, textOf} from './corpus.js'

interface Read {
  readonly error: string
  readonly name: string
  readonly read: unknown
}

const ID = '00000000-0000-4000-8000-000000000000'

it('understands every request as the client makes it', async () => {
  const stage = makeStage()
  const ids = new Map<string, string>()
  const requests = ofGroup('hcsshim').filter(({asked}) => asked.startsWith('HNSCall '))
  expect(requests.length).toBeGreaterThan(10)
  for (const {asked} of requests) {
    const [, method = '', path = '', request = ''] = /^HNSCall (\S+) (\S+) ?(.*)$/.exec(asked) ?? []
    // Ids are zeros in the recordings: the one that is meant follows from the kind of thing.
    const kind = /VirtualNetwork/.test(request)
      ? 'networks'
      : /References/.test(request)
        ? 'endpoints'
        : path.split('/')[1]
    const known = ids.get(kind ?? '') ?? ''
    const verb = method as 'DELETE' | 'GET' | 'POST'
    const {hresult, response} = await hnsCall(stage, verb, path.replace(ID, known), request.replaceAll(ID, known))
    const isOutside = request.includes('10.9.9.9')
    expect([asked, hresult === 0]).toEqual([asked, !isOutside])
    const {Output, Success} = JSON.parse(response) as {Output?: {ID?: string}; Success: boolean}
    expect([asked, Success]).toEqual([asked, !isOutside])
    if (method === 'POST' && !isOutside) ids.set(path.split('/')[1] ?? '', Output?.ID ?? '')
  }
})

it('answers so that the client reads what it looks for', () => {
  const read = textOf(recording('hcsshim/read'), 'out')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Read)
  const of = (name: string): Read | undefined => read.find((one) => one.name === name)
  expect(read.filter(({error}) => error !== '').map(({name}) => name)).toEqual([
    'network-missing',
    'network-create-again',
    'endpoint-outside',
    'endpoint-missing',
    'endpoint-delete-again',
  ])
  const network = {ManagementIP: '10.0.0.5', Name: 'vxlan0', NetworkAdapterName: 'Ethernet0', Type: 'Overlay'}
  expect(of('network-by-name')?.read).toMatchObject({
    ...network,
    Subnets: [{AddressPrefix: '10.244.3.0/24', Policies: [{Type: 'VSID', VSID: 4096}]}],
  })
  expect(of('endpoint-create')?.read).toMatchObject({IPAddress: '10.244.3.7', PrefixLength: 24, VirtualNetwork: ID})
  expect(of('load-balancer')?.read).toMatchObject({Policies: [{Type: 'ELB', VIPs: ['10.10.0.10']}]})
  expect(of('globals')?.read).toHaveProperty('Version.Major')
})
