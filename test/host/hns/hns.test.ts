// The Host Networking Service: its answers, its refusals, and the order of taking things away.
import {describe, expect, it} from 'vitest'

import {openHns} from '../../../src/host/hns/hns.js'
import {isBalanced, isPolicyList} from '../../../src/host/hns/objects.js'
import {type HnsReply, type Win32, Win32Error} from '../../../src/machine/win32.js'
import {only} from '../../fakes/partial.js'

type Answers = Readonly<Record<string, unknown>>

function open(answers: Answers | ((call: string) => HnsReply)) {
  const calls: string[] = []
  const bodies: string[] = []
  const answer = (call: string): HnsReply =>
    typeof answers === 'function'
      ? answers(call)
      : {hresult: 0, response: JSON.stringify({Output: answers[call] ?? '', Success: true})}
  const win32 = only<Win32>('win32', {
    async hnsCall(method, path, request) {
      calls.push(`${method} ${path}`)
      bodies.push(request)
      return answer(`${method} ${path}`)
    },
  })
  return {bodies, calls, hns: openHns(win32)}
}

const always = (hresult: number, response: string) => open(() => ({hresult, response})).hns

describe('a network', () => {
  const networks = [
    {ID: 'n', Name: 'nat', Type: 'nat'},
    {ID: 'v', Name: 'vxlan0', Type: 'Overlay'},
  ]

  it('is found by its name', async () => {
    const {calls, hns} = open({'GET /networks/': networks})
    expect(await hns.network('vxlan0')).toEqual(networks[1])
    expect(await hns.network('vxlan')).toBeUndefined()
    expect(calls).toEqual(['GET /networks/', 'GET /networks/'])
  })

  it('is not there where the list is empty, in any of its forms', async () => {
    for (const response of [
      '{"Success":true,"Output":[]}',
      '{"Success":true,"Output":""}',
      '{"Success":true}',
      '{"Success":true,"Output":null}',
    ]) {
      expect(await always(0, response).network('vxlan0')).toBeUndefined()
    }
  })

  it('is made of what is asked for', async () => {
    const {bodies, calls, hns} = open({})
    const network = {Name: 'External', NetworkAdapterName: 'Ethernet0', Subnets: [], Type: 'overlay'}
    await hns.createNetwork(network)
    expect(calls).toEqual(['POST /networks/'])
    expect(JSON.parse(bodies[0] ?? '')).toEqual(network)
  })

  it('review N2: is removed with what is on it, whatever letters refer to it', async () => {
    const {calls, hns} = open({
      'GET /endpoints/': [
        {ID: 'E1-AB', VirtualNetwork: 'v-ef'},
        {ID: 'E2-AB', VirtualNetwork: 'other'},
      ],
      'GET /networks/': [{ID: 'V-EF', Name: 'vxlan0', Type: 'Overlay'}],
      'GET /policylists/': [
        {ID: 'P1', References: ['/endpoints/e1-ab']},
        {ID: 'P2', References: ['/endpoints/e2-ab']},
      ],
    })
    expect(await hns.removeNetwork('v-EF')).toBe(1)
    expect(calls.filter((call) => !call.startsWith('GET'))).toEqual([
      'DELETE /policylists/P1',
      'DELETE /endpoints/E1-AB',
      'DELETE /networks/v-EF',
    ])
  })

  it('is removed with what is on it, policy lists first, and nothing else', async () => {
    const {bodies, calls, hns} = open({
      'GET /endpoints/': [
        {ID: 'e1', VirtualNetwork: 'v'},
        {ID: 'e2', VirtualNetwork: 'n'},
        {ID: 'e3', VirtualNetwork: 'v'},
      ],
      'GET /networks/': networks,
      'GET /policylists/': [
        {ID: 'p1', References: ['/endpoints/e2']},
        {ID: 'p2', References: ['/endpoints/e2', '/endpoints/e3']},
        {ID: 'p3'},
      ],
    })
    await hns.removeNetwork('v')
    expect(calls.filter((call) => !call.startsWith('GET'))).toEqual([
      'DELETE /policylists/p2',
      'DELETE /endpoints/e1',
      'DELETE /endpoints/e3',
      'DELETE /networks/v',
    ])
    expect(new Set(bodies)).toEqual(new Set(['']))
  })

  it('that is not there is not removed', async () => {
    const {calls, hns} = open({'GET /networks/': networks})
    await hns.removeNetwork('x')
    expect(calls).toEqual(['GET /networks/'])
  })
})

describe('a refusal', () => {
  it.each([
    [
      'an answer without success',
      0,
      '{"Success":false,"Error":"Ein Adapter fehlt. 0x803b0006"}',
      'Ein Adapter fehlt. 0x803b0006',
      'none',
    ],
    [
      'an answer with a number',
      0,
      '{"Error":"The endpoint was not found. ","ErrorCode":2151350274,"Success":false}',
      'The endpoint was not found.',
      '0x803b0002',
    ],
    [
      'a failed call with an answer',
      -2_143_617_018,
      '{"Error":"An adapter was not found. ","ErrorCode":2151350278,"Success":false}',
      'An adapter was not found.',
      '0x803b0006',
    ],
    ['without success and without a word', 0, '{"Success":false}', '{"Success":false}', 'none'],
    ['a failed call', -2_147_024_891, '', 'nothing', '0x80070005'],
    ['a failed call that says it succeeded', -2_143_617_018, '{"Success":true}', '{"Success":true}', '0x803b0006'],
    ['nothing', 0, '', 'nothing', 'none'],
    ['no JSON', 0, '{"Success":tr', '{"Success":tr', 'none'],
    ['another JSON', 0, '[]', '[]', 'none'],
    ['null', 0, 'null', 'null', 'none'],
    ['an error that is no text', 0, '{"Success":false,"Error":5}', '{"Success":false,"Error":5}', 'none'],
    ['a code that is no number', 0, '{"Success":false,"Error":"No. ","ErrorCode":"0x5"}', 'No.', 'none'],
    ['success that is a word', 0, '{"Success":"false"}', '{"Success":"false"}', 'none'],
  ])('is reported: %s', async (_, hresult, response, said, code) => {
    await expect(always(hresult, response).network('vxlan0')).rejects.toMatchObject({
      exitCode: 5,
      id: 'HNS_REFUSED',
      message: 'The Host Networking Service refused GET /networks/',
      reason: `The Host Networking Service said: ${said} (code ${code}).`,
    })
  })
})

describe('an answer of another shape', () => {
  const refused = {exitCode: 5, id: 'HNS_REFUSED'}

  it.each([
    '{}',
    '"none"',
    '[null]',
    '[{"ID":"v","Name":"vxlan0"}]',
    '[{"ID":5,"Name":"vxlan0","Type":"Overlay"}]',
    '[{"ID":"","Name":"vxlan0","Type":"Overlay"}]',
    '[{"ID":"v","Name":"vxlan0","Type":"Overlay","Subnets":{}}]',
    '[{"ID":"v","Name":"vxlan0","Type":"Overlay","Subnets":[null]}]',
    '[{"ID":"v","Name":"vxlan0","Type":"Overlay","Subnets":[{"Policies":[null]}]}]',
  ])('is not taken for networks: %s', async (output) => {
    await expect(always(0, `{"Success":true,"Output":${output}}`).network('vxlan0')).rejects.toMatchObject(refused)
  })

  it('is taken where only what we do not need is missing', async () => {
    const networks = [
      {ID: 'a', Type: 'ICS'},
      {ID: 'v', Name: 'vxlan0', Subnets: null, Type: 'Overlay'},
    ]
    expect(await open({'GET /networks/': networks}).hns.network('vxlan0')).toEqual(networks[1])
  })

  it('review W1: null is as good as absent', async () => {
    const {calls, hns} = open({
      'GET /endpoints/': [{ID: 'e', IPAddress: null, State: null, VirtualNetwork: null}],
      'GET /networks/': [{ID: 'v', Name: 'vxlan0', Type: 'Overlay'}],
      'GET /policylists/': [{ID: 'p', Policies: null, References: null}],
    })
    expect(await hns.removeNetwork('v')).toBe(0)
    expect(calls.filter((call) => !call.startsWith('GET'))).toEqual(['DELETE /networks/v'])
  })

  const balancer = {ExternalPort: 443, InternalPort: 6443, Protocol: 6, Type: 'ELB', VIPs: ['10.0.0.1']}
  const References = ['/endpoints/c55b2c86-bd06-400e-bca7-8fb7de11e635']
  it.each<[string, boolean, object]>([
    ['as kube-proxy makes it', true, {Policies: [balancer], References}],
    ['with another one beside it', true, {Policies: [{Type: 'ROUTE'}, {...balancer, Type: 'elb'}], References}],
    ['of which one endpoint is gone', true, {Policies: [balancer], References: ['/endpoints/0', ...References]}],
    ['of another kind', false, {Policies: [{...balancer, Type: 'ROUTE'}], References}],
    ['of another address', false, {Policies: [{...balancer, VIPs: ['10.0.0.10']}], References}],
    ['without an address', false, {Policies: [{...balancer, VIPs: null}], References}],
    ['of another port', false, {Policies: [{...balancer, ExternalPort: 80}], References}],
    ['whose pods have the port', false, {Policies: [{...balancer, ExternalPort: 80, InternalPort: 443}], References}],
    ['without a port', false, {Policies: [{...balancer, ExternalPort: undefined}], References}],
    ['without policies', false, {Policies: null, References}],
    ['with empty policies', false, {Policies: [], References}],
    ['without references', false, {Policies: [balancer], References: null}],
    ['with empty references', false, {Policies: [balancer], References: []}],
    ['of endpoints that HNS does not have', false, {Policies: [balancer], References: ['/endpoints/0', '/endpoints/']}],
  ])('review W1: a policy list %s proves a Service: %s', (_, isProof, fields) => {
    const list = {ID: '1', ...fields}
    expect(isPolicyList(list)).toBe(true)
    const there = [{ID: 'C55B2C86-BD06-400E-BCA7-8FB7DE11E635'}]
    expect(isBalanced({address: '10.0.0.1', ports: [443]}, [{ID: '0', Policies: []}, list], there, false)).toBe(isProof)
  })

  it.each<[string, boolean, object]>([
    ['policies', true, {Policies: null, References}],
    ['the type', true, {Policies: [{...balancer, Type: undefined}], References}],
    ['the address', true, {Policies: [{...balancer, VIPs: null}], References}],
    ['the port', true, {Policies: [{...balancer, ExternalPort: undefined}], References}],
    ['references', true, {Policies: [balancer]}],
    [
      'the type, and has another address',
      false,
      {Policies: [{...balancer, Type: null, VIPs: ['10.0.0.10']}], References},
    ],
    ['references, and has another port', false, {Policies: [{...balancer, ExternalPort: 80}]}],
  ])('a policy list without %s may balance a Service: %s', (_, mayBe, fields) => {
    const there = [{ID: 'C55B2C86-BD06-400E-BCA7-8FB7DE11E635'}]
    expect(isBalanced({address: '10.0.0.1', ports: [443]}, [{ID: '1', ...fields}], there, true)).toBe(mayBe)
  })

  it('takes nothing away', async () => {
    for (const [path, output] of [
      ['GET /endpoints/', [{VirtualNetwork: 'v'}]],
      ['GET /policylists/', [{ID: 'p', References: '/endpoints/e'}]],
    ] as const) {
      const {calls, hns} = open({'GET /networks/': [{ID: 'v', Name: 'vxlan0', Type: 'Overlay'}], [path]: output})
      await expect(hns.removeNetwork('v')).rejects.toMatchObject(refused)
      expect(calls.filter((call) => !call.startsWith('GET'))).toEqual([])
    }
  })

  it('is not taken for a version', async () => {
    for (const output of ['null', '"9.5"', '{"Major":"9","Minor":5}', '{"Major":9}']) {
      await expect(always(0, `{"Success":true,"Output":${output}}`).version()).rejects.toMatchObject(refused)
    }
  })

  it('is reported in part where it is long', async () => {
    const reason = expect.stringMatching(/said: (?:x ){249}x ?… \(code none\)\.$/) as string
    await expect(always(0, 'x '.repeat(500_000)).network('vxlan0')).rejects.toMatchObject({reason})
  })
})

it('reports its version', async () => {
  expect(await open({'GET /globals/version': {Major: 9, Minor: 5}}).hns.version()).toEqual({Major: 9, Minor: 5})
})

it('that is not there at all is the missing feature', async () => {
  const missing = open(() => {
    throw new Win32Error('LoadLibrary', 126, 'C:\\Windows\\System32\\vmcompute.dll')
  })
  await expect(missing.hns.network('vxlan0')).rejects.toMatchObject({exitCode: 3, id: 'CONTAINERS_MISSING'})
  const other = open(() => {
    throw new Win32Error('HNSCall', 5, 'GET /networks/')
  })
  await expect(other.hns.network('vxlan0')).rejects.toMatchObject({call: 'HNSCall', code: 5})
})

it.each([
  ['a list', [{ID: 'a'}, {ID: 'b'}], 2],
  ['an object with the list', {PortPoolAllocations: [{ID: 'a'}]}, 1],
  ['an object without it', {}, 0],
  ['nothing', '', 0],
])('review W8: port pools that come as %s are counted', async (_, output, count) => {
  expect(await open({'GET /portpools': output}).hns.portPools()).toBe(count)
})
