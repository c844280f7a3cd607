// 10-flannel.conflist of containerd's nodes, letter by letter, and the mistakes that win-overlay would not report.
import {describe, expect, it} from 'vitest'
import {cniConfiguration, cniConflist, conflistProblems} from '../../src/components/cni.js'
import {exampleNode} from './example.js'
import {golden} from './golden.js'

type Value = Record<string, unknown>
interface Conflist {
  cniVersion: string
  name: string
  plugins: {delegate: {apiVersion: unknown; policies: {name: string; value: Value}[]; type: string}; type: string}[]
}

/** The conflist, with a mistake in it. */
function spoilt(change: (conflist: Conflist, delegate: Conflist['plugins'][number]['delegate']) => void): unknown {
  const conflist = JSON.parse(cniConflist(exampleNode())) as Conflist
  const delegate = conflist.plugins[0]?.delegate
  if (!delegate) throw new Error('the conflist has no delegate')
  change(conflist, delegate)
  return conflist
}

/** With another value of the first policy, OutBoundNAT, or the second, SDNRoute. */
const withPolicy = (index: 0 | 1, value: Value): unknown =>
  spoilt((_, {policies}) => (policies[index] = {name: 'EndpointPolicy', value}))

it('is the documented one, and valid', () => {
  const produced = cniConflist(exampleNode())
  expect(produced).toBe(golden('containerd/10-flannel.conflist', produced))
  expect(conflistProblems(JSON.parse(produced))).toEqual([])
})

it('has the CIDRs that were given, and refuses what is none', () => {
  const text = cniConflist({clusterCIDR: '172.16.0.0/16', serviceCIDR: '172.20.0.0/16'})
  expect(text.match(/172\.20\.0\.0\/16/g)).toHaveLength(2)
  expect(() => cniConflist({clusterCIDR: '', serviceCIDR: '172.20.0.0/16'})).toThrow(TypeError)
})

it('review J6: every service network is an exception of OutBoundNAT and has a route', () => {
  const wanted = {clusterCIDR: '10.244.0.0/16', serviceCIDR: '10.96.0.0/12,10.200.0.0/16'}
  const conflist = JSON.parse(cniConflist(wanted)) as Conflist
  expect(conflist.plugins[0]?.delegate.policies.map(({value}) => value)).toEqual([
    {Settings: {Exceptions: ['10.244.0.0/16', '10.96.0.0/12', '10.200.0.0/16']}, Type: 'OutBoundNAT'},
    {Settings: {DestinationPrefix: '10.96.0.0/12', NeedEncap: true}, Type: 'SDNRoute'},
    {Settings: {DestinationPrefix: '10.200.0.0/16', NeedEncap: true}, Type: 'SDNRoute'},
  ])
  const {delegate} = JSON.parse(cniConfiguration(wanted)) as Conflist['plugins'][number]
  expect(delegate.policies.map(({value}) => value)).toEqual([
    {ExceptionList: ['10.244.0.0/16', '10.96.0.0/12', '10.200.0.0/16'], Type: 'OutBoundNAT'},
    {DestinationPrefix: '10.96.0.0/12', NeedEncap: true, Type: 'ROUTE'},
    {DestinationPrefix: '10.200.0.0/16', NeedEncap: true, Type: 'ROUTE'},
  ])
})

it('lets pods reach themselves through their Service where kube-proxy uses direct server return', () => {
  const looped = {loopbackDSR: true}
  const delegateOf = (enableDSR: boolean) => {
    const conf = JSON.parse(cniConfiguration(exampleNode({}, {enableDSR}))) as Conflist['plugins'][number]
    const conflist = JSON.parse(cniConflist(exampleNode({}, {enableDSR}))) as Conflist
    return [conf.delegate, conflist.plugins[0]?.delegate]
  }
  expect(delegateOf(true)).toEqual([expect.objectContaining(looped), expect.objectContaining(looped)])
  for (const delegate of delegateOf(false)) expect(delegate).not.toHaveProperty('loopbackDSR')
})

describe('what win-overlay or HNS would silently ignore is found', () => {
  const exceptions = ['10.244.0.0/16', '10.10.0.0/16']
  const route = {DestinationPrefix: '10.10.0.0/16', NeedEncap: true}
  it.each<[string, unknown]>([
    ['a policy of HNS v1: ExceptionList', withPolicy(0, {ExceptionList: exceptions, Type: 'OutBoundNAT'})],
    ['a policy of HNS v1: ROUTE', withPolicy(1, {...route, Type: 'ROUTE'})],
    ['settings outside of Settings', withPolicy(1, {...route, Settings: route, Type: 'SDNRoute'})],
    ['ExceptionList inside of Settings', withPolicy(0, {Settings: {ExceptionList: exceptions}, Type: 'OutBoundNAT'})],
    ['exceptions that are no list', withPolicy(0, {Settings: {Exceptions: '10.0.0.0/8'}, Type: 'OutBoundNAT'})],
    ['no exceptions', withPolicy(0, {Settings: {Exceptions: []}, Type: 'OutBoundNAT'})],
    ['an exception that is no network', withPolicy(0, {Settings: {Exceptions: ['10.0.0.0']}, Type: 'OutBoundNAT'})],
    ['encapsulation as a text', withPolicy(1, {Settings: {...route, NeedEncap: 'true'}, Type: 'SDNRoute'})],
    ['a type in other letters', withPolicy(1, {Settings: route, Type: 'sdnroute'})],
    ['a type that Object has', withPolicy(1, {Settings: route, Type: 'constructor'})],
    ['one policy twice', withPolicy(1, {Settings: {Exceptions: exceptions}, Type: 'OutBoundNAT'})],
    ['a policy less', spoilt((_, {policies}) => policies.pop())],
    ['a policy that is no object', spoilt((_, delegate) => delegate.policies.push('x' as never))],
    ['another name of a policy', spoilt((_, {policies}) => policies.forEach((one) => (one.name = 'Policy')))],
    ['no apiVersion', spoilt((_, delegate) => delete delegate.apiVersion)],
    ['apiVersion as a text', spoilt((_, delegate) => (delegate.apiVersion = '2'))],
    ['another network', spoilt((conflist) => (conflist.name = 'cbr0'))],
    ['another delegate', spoilt((_, delegate) => (delegate.type = 'win-bridge'))],
    ['a second plugin', spoilt(({plugins}) => plugins.push({...plugins[0]} as Conflist['plugins'][number]))],
    ['the form of one plugin, as Docker has it', JSON.parse(cniConfiguration(exampleNode()))],
    ['nothing', undefined],
  ])('%s', (_, conflist) => {
    expect(conflistProblems(conflist)).not.toEqual([])
  })
})
