// Checks of the cluster's side: each passes on a fresh host, and says of an unhealthy one what is wrong and what to do.
import {describe, expect, test} from 'vitest'
import type {CheckId} from '../../../src/config/check-ids.js'
import type {World} from '../../../src/simulator/world.js'
import {SIGNER} from '../../../src/simulator/cluster/certificates.js'
import {makeKubeconfig} from '../../../src/simulator/cluster/kubeconfig.js'
import {issueCertificate, makeRequest, parseRequest} from '../../../src/simulator/cluster/x509.js'
import {makeKey} from '../../../src/simulator/daemons/kubelet/kubelet-rotation.js'
import {allowEverything} from '../../fakes/administrator.js'
import {check, checkOne, KUBECONFIG, kubeconfigOf, type Sickness} from '../cluster-bench.js'

const OF_THE_CLUSTER: readonly CheckId[] = [
  'kubeconfig',
  'credentials',
  'cluster-administrator',
  'node-identity',
  'client-ca',
  'api-server',
  'version-skew',
  'server-clock',
  'permissions',
  'node-object',
  'cluster-dns',
  'service-network',
  'pod-network',
  'flannel-config',
  'flannel-daemonset',
  'linux-daemonsets',
]

/** A world whose cluster is changed. */
const cluster =
  (change: (cluster: World['cluster']) => void) =>
  (world: World): void =>
    change(world.cluster)

test('all pass on a fresh host', async () => {
  const {problems, results} = await check({sicken: allowEverything})
  expect(problems).toEqual([])
  expect(OF_THE_CLUSTER.filter((id) => results[id]?.result !== 'pass')).toEqual([])
})

test('review K12: with a node identity only what it may not see is left unchecked, with who can check it', async () => {
  const {problems, results} = await check()
  expect(problems).toEqual([])
  expect(OF_THE_CLUSTER.filter((id) => results[id]?.result !== 'pass')).toEqual([
    'flannel-daemonset',
    'linux-daemonsets',
  ])
  expect(results['flannel-daemonset']).toMatchObject({result: 'not-checked'})
  expect(results['linux-daemonsets']).toMatchObject({result: 'not-checked'})
  expect(results['flannel-daemonset']?.message).toContain('kubectl get daemonsets -A')
})

test('review K6: this host’s node is asked for by its name, in a cluster of any size', async () => {
  const {problems} = await check({
    sicken({cluster}) {
      const [first] = cluster.nodes
      cluster.nodes = Array.from({length: 120}, (_, index) => ({...first!, name: `node-${index}`}))
      cluster.nodes.push({...first!, name: 'win-1', podCIDR: '10.99.0.0/24'})
    },
  })
  expect(problems.filter(({id}) => id === 'POD_CIDR_ELSEWHERE').map(({reason}) => reason)).toEqual([
    expect.stringContaining('win-1'),
  ])
})

test('review K7: what holds for the first nodes only is reported as that', async () => {
  const {message} = await checkOne('pod-network', {
    sicken({cluster}) {
      const [first] = cluster.nodes
      cluster.nodes = Array.from({length: 120}, (_, index) => ({...first!, name: `node-${index}`}))
    },
  })
  expect(message).toContain('the first 100 nodes')
})

test('review K9, K11: a DNS service that has IPv6 first is found; one address is inside, two are', async () => {
  const dual = ({cluster}: World): void => {
    cluster.services[1] = {...cluster.services[1]!, clusterIP: 'fd00::a', clusterIPs: ['fd00::a', '10.10.0.10']}
  }
  expect(await checkOne('cluster-dns', {sicken: dual})).toMatchObject({message: '10.10.0.10', result: 'pass'})
  const {message} = await checkOne('service-network', {sicken: dual})
  expect(message).toBe('10.10.0.1 and 10.10.0.10 are inside 10.10.0.0/16')
  const one = await checkOne('service-network', {sicken: ({cluster}) => void cluster.services.pop()})
  expect(one.message).toBe('10.10.0.1 is inside 10.10.0.0/16')
})

describe('the CA of the kubeconfig as that of the kubelet’s clients', () => {
  /** As with k3s and RKE2, whose servers and clients have an authority each. */
  const other = (commonName: string, organizations: readonly string[]): string => {
    const key = makeKey()
    const request = parseRequest(makeRequest(key, {commonName, organizations}))!
    const [notBefore, notAfter] = [Date.UTC(2020, 0, 1), Date.UTC(2119, 0, 1)]
    const cert = issueCertificate({notAfter, notBefore, request, signer: SIGNER, usages: ['client auth']})
    return makeKubeconfig('https://10.0.0.10:6443', {cert, key})
  }
  const files = {[KUBECONFIG]: other('system:node:win-1', ['system:nodes'])}

  test('is warned about where it has not signed the client certificate', async () => {
    const {fix, message, result} = await checkOne('client-ca', {files})
    expect(result).toBe('warn')
    expect(message).toContain('kubectl logs')
    expect(fix).toContain('--client-ca-file')
  })

  test('is not judged where a file of authorities is passed', async () => {
    const given = {'client-ca-file': String.raw`c:\in\client-ca.crt`}
    const both = {...files, [String.raw`in\client-ca.crt`]: SIGNER.cert}
    expect(await checkOne('client-ca', {files: both, given})).toMatchObject({result: 'pass'})
  })

  test('is not compared with a token', async () => {
    const token = {[KUBECONFIG]: kubeconfigOf({token: 'canary-token-5f2b91c07d'})}
    expect(await checkOne('client-ca', {files: token})).toMatchObject({result: 'pass'})
  })

  test('the admin.conf of kubeadm from 1.29 on is that of an administrator', async () => {
    const admin = {[KUBECONFIG]: other('kubernetes-admin', ['kubeadm:cluster-admins'])}
    const {message, result} = await checkOne('cluster-administrator', {files: admin})
    expect({message, result}).toEqual({
      message: 'kubelet, kube-proxy, flanneld would have cluster administrator rights (kubeadm:cluster-admins)',
      result: 'warn',
    })
  })
})

interface Case extends Sickness {
  readonly fix: RegExp
  /** The error's, or undefined for a warning. */
  readonly id?: string
  readonly name: string
  readonly of: CheckId
  /** In the message, or the error's cause. */
  readonly says: RegExp
}

const CASES: readonly Case[] = [
  {
    fix: /^Upgrade the control plane first, to 1\.21 or newer: [^-]*k8s-win [^-]*$/,
    id: 'VERSION_SKEW',
    name: 'an API server older than any release we set up',
    of: 'version-skew',
    says: /1\.21\.5 .* v1\.20\.2 .*must not be newer/,
    sicken: cluster((it) => (it.version = 'v1.20.2')),
  },
  {
    fix: /--release 1\.21\.<patch> to 1\.22\.<patch>, or upgrade/,
    given: {release: '1.23.17'},
    id: 'VERSION_SKEW',
    name: 'an API server older than the release',
    of: 'version-skew',
    says: /1\.23\.17 .* v1\.22\.2 .*must not be newer/,
    sicken: cluster((it) => (it.version = 'v1.22.2')),
  },
  {
    fix: /--release 1\.30\.<patch> to 1\.33\.<patch>, or upgrade/,
    given: {release: '1.34.2'},
    id: 'VERSION_SKEW',
    name: 'review J13: an API server that emulates an older minor than the release',
    of: 'version-skew',
    says: /1\.34\.2 .* v1\.33\.0 \(emulated by v1\.34\.2\) .*must not be newer/,
    sicken: cluster((it) => Object.assign(it, {emulatedMinor: 33, version: 'v1.34.2'})),
  },
  {
    fix: /^Join a cluster of 1\.21 to 1\.39: /,
    id: 'VERSION_SKEW',
    name: 'an API server too new for any release we set up',
    of: 'version-skew',
    says: /at most 2 minor versions older/,
    sicken: cluster((it) => (it.version = 'v1.40.0')),
  },
  {
    fix: /--release 1\.22\.<patch> to 1\.24\.<patch>/,
    id: 'VERSION_SKEW',
    name: 'an API server too new for the release',
    of: 'version-skew',
    says: /at most 2 minor versions older/,
    sicken: cluster((it) => (it.version = 'v1.24.0-gke.1')),
  },
  {
    fix: /between 1\.21 and 1\.23/,
    name: 'an API server without a version',
    of: 'version-skew',
    says: /"mainline"/,
    sicken: cluster((it) => (it.version = 'mainline')),
  },
  {
    fix: /w32tm \/resync/,
    id: 'CLOCK_WRONG',
    name: 'a clock that is behind',
    of: 'server-clock',
    says: /6 min behind the clock of https:\/\/10\.0\.0\.10:6443.*certificates and tokens/,
    sicken: cluster((it) => (it.clockAheadMs = 6 * 60_000)),
  },
  {
    fix: /w32tm \/resync/,
    id: 'CLOCK_WRONG',
    name: 'a clock that is years ahead',
    of: 'server-clock',
    says: /17520 h ahead of/,
    sicken: cluster((it) => (it.clockAheadMs = -2 * 365 * 24 * 3_600_000)),
  },
  {
    fix: /w32tm/,
    name: 'a clock that drifts',
    of: 'server-clock',
    says: /45 s ahead of/,
    sicken: cluster((it) => (it.clockAheadMs = -45_000)),
  },
  {
    fix: /"kubectl delete node win-1"/,
    id: 'NODE_NAME_TAKEN',
    name: 'a Linux node of this name',
    of: 'node-object',
    says: /win-1 is in use.*it runs linux/,
    sicken: cluster(({nodes}) => nodes.push({...nodes[1]!, name: 'win-1'})),
  },
  {
    fix: /--service-cluster-ip-range/,
    id: 'SERVICE_CIDR_ELSEWHERE',
    name: 'another service network',
    of: 'service-network',
    says: /--service-cidr 10\.10\.0\.0\/16 does not match.*default\/kubernetes has the address 10\.96\.0\.1/,
    sicken: cluster((it) => (it.services[0]!.clusterIP = '10.96.0.1')),
  },
  {
    fix: /--service-cidr/,
    id: 'SERVICE_CIDR_ELSEWHERE',
    name: 'a DNS service outside the service network',
    of: 'service-network',
    says: /for DNS in kube-system has the address 10\.96\.0\.10/,
    sicken: cluster((it) => (it.services[1]!.clusterIP = '10.96.0.10')),
  },
  {
    fix: /cache on the node/,
    given: {'cluster-dns': '10.0.0.53'},
    name: 'a DNS server that is no service',
    of: 'service-network',
    says: /--cluster-dns 10\.0\.0\.53 is outside/,
  },
  {
    fix: /--cluster-dns/,
    id: 'CLUSTER_DNS_UNKNOWN',
    name: 'no DNS service',
    of: 'cluster-dns',
    says: /DNS service is unknown/,
    sicken: cluster((it) => it.services.splice(1)),
  },
  {
    fix: /--allocate-node-cidrs=true --cluster-cidr=10\.244\.0\.0\/16/,
    name: 'nodes without a pod network',
    of: 'pod-network',
    says: /no pod network to linux-1, linux-2,/,
    sicken: cluster(({nodes}) => nodes.slice(1).forEach((node) => (node.podCIDR = ''))),
  },
  {
    fix: /--cluster-cidr/,
    id: 'POD_CIDR_ELSEWHERE',
    name: 'pod networks elsewhere',
    of: 'pod-network',
    says: /control-plane-1 the pod network 10\.42\.0\.0\/24/,
    sicken: cluster(({nodes}) => nodes.forEach((node, index) => (node.podCIDR = `10.42.${index}.0/24`))),
  },
]

/** What a check says, the causes of its errors with it. */
async function told({of, ...sickness}: Pick<Case, 'of'> & Sickness) {
  const {fix, message, problems, result} = await checkOne(of, sickness)
  return {
    fix,
    ids: problems.map(({id}) => id),
    result,
    text: [message, ...problems.map(({reason}) => reason)].join(' '),
  }
}

describe('a cluster that does not go with this node', () => {
  test.each(CASES)('$of: $name', async ({fix, id, says, ...sickness}) => {
    const seen = await told(sickness)
    expect({ids: seen.ids, result: seen.result}).toEqual(
      id === undefined ? {ids: [], result: 'warn'} : {ids: [id], result: 'fail'},
    )
    expect(seen.text).toMatch(says)
    expect(seen.fix).toMatch(fix)
  })

  test('releases of the whole skew go', async () => {
    for (const version of ['v1.21.0', 'v1.22.3+k3s1', 'v1.23.17']) {
      const seen = await checkOne('version-skew', {sicken: cluster((it) => (it.version = version))})
      expect([version, seen.result]).toEqual([version, 'pass'])
    }
  })

  test('one node with another pod network is not a problem, nor is IPv6', async () => {
    const {result} = await checkOne('pod-network', {
      sicken({cluster: {nodes}}) {
        nodes[1]!.podCIDR = '10.42.0.0/24'
        nodes[2]!.podCIDR = 'fd00:10:244::/64'
      },
    })
    expect(result).toBe('pass')
  })
})

test('review K5: each daemon that does not know its plugin’s version is named, with what it knows', async () => {
  const plugin = (version: string): Sickness => ({
    files: {
      [KUBECONFIG]: kubeconfigOf({
        exec: {
          apiVersion: `client.authentication.k8s.io/${version}`,
          command: String.raw`C:\tools\plugin.exe`,
          interactiveMode: 'Never',
        },
      }),
      [String.raw`tools\plugin.exe`]: 'MZ',
    },
    sicken({security}) {
      security[String.raw`c:\tools`] = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'
      security[String.raw`c:\tools\plugin.exe`] = 'O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)'
    },
  })
  const refused = async (version: string, given: Sickness['given'] = {}): Promise<string[]> => {
    const {problems} = await checkOne('kubeconfig', {...plugin(version), given})
    expect(problems.map(({id, reason}) => (id === 'EXEC_VERSION_UNKNOWN' ? '' : reason)).join('')).toBe('')
    return problems.map(({message}) => message.split(' ')[0] ?? '')
  }

  expect(await refused('v1')).toEqual(['kubelet', 'kube-proxy'])
  expect(await refused('v1', {release: '1.22.17'})).toEqual([])
  expect(await refused('v1alpha1')).toEqual(['flanneld'])
  expect(await refused('v1beta1')).toEqual([])
  expect(await refused('v1beta1', {'flannel-version': '0.13.0'})).toEqual(['flanneld'])
})
