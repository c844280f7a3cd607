// The cluster's flannel, and what else of Linux would land on the node.
import {describe, expect, test} from 'vitest'
import {parse} from 'yaml'
import type {World} from '../../../src/simulator/world.js'
import {allowEverything} from '../../fakes/administrator.js'
import {check, checkOne} from '../cluster-bench.js'

const LINUX = {'kubernetes.io/os': 'linux'}
const FIT = {Backend: {Port: 4789, Type: 'vxlan', VNI: 4096}, Network: '10.244.0.0/16'}

/** flannel's configuration in the cluster, as text or as JSON. */
const netConf =
  (value: object | string) =>
  ({cluster: {configMaps}}: World): void => {
    for (const {data} of configMaps) data['net-conf.json'] = typeof value === 'string' ? value : JSON.stringify(value)
  }

/** All but what is named. */
const without =
  (...forbidden: readonly string[]) =>
  ({cluster}: World): void => {
    const resources = ['nodes', 'nodes/status', 'pods', 'pods/status', 'services', 'leases', 'csinodes', 'events']
    const reviews = ['tokenreviews', 'subjectaccessreviews', 'certificatesigningrequests']
    const all = [...resources, ...reviews, 'endpointslices', 'configmaps', 'daemonsets'].map(
      (resource) => `* ${resource}`,
    )
    cluster.permissions = all.filter((permission) => !forbidden.includes(permission.slice(2)))
  }

describe('flannel’s configuration', () => {
  test.each<[string, object]>([
    ['as the manifest has it', FIT],
    ['with keys in another case', {backend: {port: 4789, type: 'VXLAN', vni: 4096}, network: '10.244.0.0/16'}],
    ['with more in it', {...FIT, EnableIPv6: false, SubnetLen: 24}],
  ])('fits: %s', async (_, value) => {
    expect(await checkOne('flannel-config', {sicken: netConf(value)})).toMatchObject({result: 'pass'})
  })

  test.each<[string, object, RegExp]>([
    ['flannel’s defaults for Linux', {...FIT, Backend: {Type: 'vxlan'}}, /has VNI 1 and port 8472;/],
    ['another VNI', {...FIT, Backend: {...FIT.Backend, VNI: 1}}, /has VNI 1 and port 4789;/],
    ['a VNI in quotes', {...FIT, Backend: {...FIT.Backend, VNI: '4096'}}, /has VNI NaN/],
    ['another backend', {...FIT, Backend: {Type: 'host-gw'}}, /has the backend host-gw;/],
    ['no backend', {Network: FIT.Network}, /has the backend udp;/],
  ])('does not fit: %s', async (_, value, reason) => {
    const {fix, problems, result} = await checkOne('flannel-config', {sicken: netConf(value)})
    expect({ids: problems.map(({id}) => id), result}).toEqual({ids: ['FLANNEL_UNFIT'], result: 'fail'})
    expect(problems[0]?.reason).toMatch(reason)
    expect(fix).toContain('Set "Backend": {"Type": "vxlan", "VNI": 4096, "Port": 4789} in net-conf.json')
    expect(fix).toContain('kubectl -n kube-flannel edit configmap kube-flannel-cfg')
    expect(fix).toContain('kubectl -n kube-flannel rollout restart daemonset kube-flannel-ds')
  })

  test('of another network says which', async () => {
    const {fix, problems} = await checkOne('flannel-config', {sicken: netConf({...FIT, Network: '10.42.0.0/16'})})
    expect(problems.map(({id}) => id)).toEqual(['FLANNEL_NETWORK_ELSEWHERE'])
    expect(fix).toBe('Pass --cluster-cidr 10.42.0.0/16.')
  })

  test('both problems are reported', async () => {
    const {problems} = await checkOne('flannel-config', {sicken: netConf({})})
    expect(problems.map(({id}) => id)).toEqual(['FLANNEL_UNFIT', 'FLANNEL_NETWORK_ELSEWHERE'])
  })

  test('is found in kube-system, where older manifests put it', async () => {
    const sicken = (world: World): void => {
      netConf({...FIT, Backend: {Type: 'vxlan'}})(world)
      allowEverything(world)
      for (const map of world.cluster.configMaps) map.namespace = 'kube-system'
    }
    expect((await checkOne('flannel-config', {sicken})).fix).toContain('kubectl -n kube-system edit')
  })

  test.each<[string, (world: World) => void, RegExp]>([
    [
      'is not there',
      (world) => (allowEverything(world), void (world.cluster.configMaps = [])),
      /not found in kube-flannel or kube-system/,
    ],
    ['may not be read', without('configmaps'), /this identity is not allowed to read it; its nodes have VNI 4096/],
    ['is no JSON', netConf('{'), /not a JSON object/],
    ['is a list', netConf('[]'), /not a JSON object/],
  ])('that %s is a warning', async (_, sicken, says) => {
    const {fix, message, problems, result} = await checkOne('flannel-config', {sicken})
    expect({problems, result}).toEqual({problems: [], result: 'warn'})
    expect(message).toMatch(says)
    expect(fix).toContain('"VNI": 4096, "Port": 4789')
  })

  test('that may not be read is judged by what its nodes report', async () => {
    const {problems, result} = await checkOne('flannel-config', {
      sicken(world) {
        without('configmaps')(world)
        const key = 'flannel.alpha.coreos.com/backend-data'
        world.cluster.nodes[1]!.annotations[key] = '{"VNI":1,"VtepMAC":"0a:58:0a:f4:00:01"}'
      },
    })
    expect(result).toBe('fail')
    expect(problems.map(({id, reason}) => [id, reason.split(';')[0]])).toEqual([
      ['FLANNEL_UNFIT', 'flanneld on linux-1 has VNI 1'],
    ])
  })
})

describe('DaemonSets', () => {
  const withSets =
    (...daemonSets: NonNullable<World['cluster']['daemonSets']>) =>
    (world: World): void => {
      allowEverything(world)
      world.cluster.daemonSets = daemonSets
    }

  test('flannel without a selector is reported with the patch', async () => {
    const {fix, message, result} = await checkOne('flannel-daemonset', {
      sicken: withSets({name: 'kube-flannel-ds', namespace: 'kube-flannel'}),
    })
    expect(result).toBe('warn')
    expect(message).toBe('kube-flannel/kube-flannel-ds would be scheduled on this node and never start')
    expect(fix).toBe(
      'Restrict it to Linux nodes: kubectl -n kube-flannel patch daemonset kube-flannel-ds --type merge -p "spec: {template: {spec: {nodeSelector: {kubernetes.io/os: linux}}}}"',
    )
    // As kubectl reads it: what begins with a brace is JSON.
    const [, patch = ''] = / -p "([^"]+)"$/.exec(fix ?? '') ?? []
    expect(patch).not.toMatch(/^\s*\{/)
    expect(parse(patch)).toEqual({spec: {template: {spec: {nodeSelector: {'kubernetes.io/os': 'linux'}}}}})
  })

  test('others without one are advice, and not all of them', async () => {
    const many = Array.from({length: 7}, (_, index) => ({name: `agent-${index}`, namespace: 'monitoring'}))
    const {results} = await check({sicken: withSets(...many)})
    expect(results['flannel-daemonset']?.result).toBe('pass')
    expect(results['linux-daemonsets']?.result).toBe('warn')
    expect(results['linux-daemonsets']?.message).toMatch(/monitoring\/agent-0, .*agent-4 and 2 more$/)
    expect(results['linux-daemonsets']?.fix).toContain('kubectl -n monitoring patch daemonset agent-0')
  })

  test('those for Linux, for Windows, or kept away by a taint are let be', async () => {
    const {message, result} = await checkOne('linux-daemonsets', {
      given: {taint: ['os=windows:NoSchedule']},
      sicken: withSets(
        {name: 'a', namespace: 'x', nodeSelector: LINUX},
        {name: 'b', namespace: 'x', nodeSelector: {'kubernetes.io/os': 'windows'}},
        {name: 'c', namespace: 'x'},
      ),
    })
    expect({message, result}).toEqual({
      message: 'no DaemonSet without a node selector would be scheduled on this node',
      result: 'pass',
    })
  })

  test('review U2-6: that may not be listed are not checked, said once, and no warning', async () => {
    const {problems, results} = await check({sicken: without('daemonsets')})
    expect(problems).toEqual([])
    expect(results['flannel-daemonset']).toMatchObject({result: 'not-checked'})
    expect(results['flannel-daemonset']?.message).toContain('kubectl get daemonsets -A')
    expect(results['linux-daemonsets']).toMatchObject({dependsOn: 'flannel-daemonset', result: 'not-checked'})
  })
})
