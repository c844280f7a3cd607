// A kubelet with a bootstrap kubeconfig: how it gets its first certificate.
import {X509Certificate} from 'node:crypto'
import {describe, expect, it} from 'vitest'
import {parse} from 'yaml'

import {CLUSTER_CA, SIGNER} from '../../../src/simulator/cluster/certificates.js'
import {makeKubeconfig} from '../../../src/simulator/cluster/kubeconfig.js'
import {
  BOOTSTRAP,
  CURRENT,
  decide,
  isRegistered,
  type JoiningOptions,
  KUBECONFIG,
  makeJoiningNode,
  PKI,
  requests,
  withoutApproval,
} from '../joining-node.js'
import type {TestNode} from '../node.js'

const MINUTE = 60_000
const listening = ({stage}: TestNode): string[] => stage.world.services['kubelet']?.listening ?? []
const stateOf = ({stage}: TestNode): string | undefined => stage.world.services['kubelet']?.state

async function started(
  options: JoiningOptions = {},
  change: (node: TestNode) => Promise<void> | void = () => {},
): Promise<TestNode> {
  const node = await makeJoiningNode(options)
  await change(node)
  await node.win32.startService('kubelet')
  await node.stage.elapse(10_000)
  return node
}

describe('gets its certificate', () => {
  it('with a bootstrap token, and writes a kubeconfig that names it by path', async () => {
    const node = await started()
    const [request] = requests(node)
    expect(request).toMatchObject({
      name: expect.stringMatching(/^csr-/) as string,
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      username: 'system:bootstrap:abcdef',
    })
    const pem = await node.stage.text(CURRENT)
    expect(new X509Certificate(pem).subject).toBe('O=system:nodes\nCN=system:node:win-1')
    expect(pem).toContain('BEGIN EC PRIVATE KEY')
    expect((await node.stage.files.list(PKI)).sort()).toEqual([
      expect.stringMatching(/^kubelet-client-2021-11-15-\d\d-\d\d-\d\d\.pem$/),
      'kubelet-client-current.pem',
    ])
    expect(parse(await node.stage.text(KUBECONFIG))).toEqual({
      apiVersion: 'v1',
      clusters: [
        {
          cluster: {
            'certificate-authority-data': Buffer.from(CLUSTER_CA).toString('base64'),
            server: 'https://10.0.0.10:6443',
          },
          name: 'default-cluster',
        },
      ],
      contexts: [
        {
          context: {cluster: 'default-cluster', namespace: 'default', user: 'default-auth'},
          name: 'default-context',
        },
      ],
      'current-context': 'default-context',
      kind: 'Config',
      preferences: {},
      users: [{name: 'default-auth', user: {'client-certificate': CURRENT, 'client-key': CURRENT}}],
    })
    expect(isRegistered(node)).toBe(true)
  })

  it('and once it has one, needs the bootstrap kubeconfig no longer', async () => {
    const node = await started()
    await node.stage.files.remove(BOOTSTRAP)
    await node.win32.stopService('kubelet')
    await node.stage.elapse(5000)
    await node.win32.startService('kubelet')
    await node.stage.elapse(10_000)
    expect([stateOf(node), requests(node).length, listening(node).length]).toEqual(['running', 1, 2])
  })

  it('and leaves a valid kubeconfig as it is', async () => {
    const node = await started({}, ({stage}) =>
      stage.files.write(KUBECONFIG, makeKubeconfig(stage.world.cluster.serverURL)),
    )
    expect(requests(node)).toEqual([])
    expect(await node.stage.text(KUBECONFIG)).toContain('client-certificate-data')
    expect(isRegistered(node)).toBe(true)
  })

  it('or ends without a bootstrap kubeconfig', async () => {
    const node = await started({}, ({stage}) => stage.files.remove(BOOTSTRAP))
    expect(stateOf(node)).toBe('stopped')
    expect(await node.log('kubelet')).toContain(
      'failed to run Kubelet: unable to load bootstrap kubeconfig: CreateFile C:\\\\k\\\\bootstrap-kubeconfig: The system cannot find the file specified.',
    )
  })
})

describe('in the background', () => {
  it('serves while its request waits, writes its kubeconfig before, and registers as soon as it is approved', async () => {
    const node = await started({}, withoutApproval)
    expect(listening(node)).toHaveLength(2)
    expect(await node.stage.text(KUBECONFIG)).toContain(CURRENT)
    expect(await node.stage.text(CURRENT)).toBe('')
    expect(isRegistered(node)).toBe(false)
    expect(await node.log('kubelet')).toContain('User \\"system:anonymous\\" cannot create resource \\"nodes\\"')
    await node.stage.elapse(10 * MINUTE)
    expect(requests(node)).toHaveLength(1)
    expect(stateOf(node)).toBe('running')
    decide(node, 'Approved')
    await node.stage.elapse(5000)
    expect(isRegistered(node)).toBe(true)
  })

  it('makes a new request with a new key after a quarter of an hour', async () => {
    const node = await started({}, withoutApproval)
    await node.stage.elapse(15 * MINUTE)
    const [first, second] = requests(node)
    expect(second?.request).not.toBe(first?.request)
    decide(node, 'Approved', first?.name)
    await node.stage.elapse(5000)
    // The key of the first request is forgotten.
    expect(isRegistered(node)).toBe(false)
    decide(node, 'Approved', second?.name)
    await node.stage.elapse(5000)
    expect(isRegistered(node)).toBe(true)
  })

  it('asks again where it is denied', async () => {
    const node = await started({}, withoutApproval)
    decide(node, 'Denied')
    await node.stage.elapse(4000)
    expect(await node.log('kubelet')).toContain(
      'certificate signing request is denied, reason: Kubectl, message: by hand',
    )
    expect(requests(node)).toHaveLength(2)
  })

  it('asks again where it was restarted meanwhile', async () => {
    const node = await started({}, withoutApproval)
    await node.win32.stopService('kubelet')
    await node.stage.elapse(5000)
    await node.win32.startService('kubelet')
    await node.stage.elapse(5000)
    expect(requests(node)).toHaveLength(2)
    expect(await node.log('kubelet')).toContain(`unable to read client-cert ${CURRENT.replaceAll('\\', '\\\\')}`)
  })

  it('ends after five minutes with a token that the API server refuses', async () => {
    const node = await started({token: 'abcdef.0000000000000000'})
    expect([stateOf(node), requests(node)]).toEqual(['running', []])
    await node.stage.elapse(6 * MINUTE)
    expect(stateOf(node)).toBe('stopped')
    expect(await node.log('kubelet')).toContain(
      'No valid client certificate is found and the server is responsive, exiting.',
    )
  })

  it('waits for an API server that does not answer', async () => {
    const node = await started({}, ({stage}) => void (stage.world.cluster.reachable = false))
    await node.stage.elapse(20 * MINUTE)
    expect([stateOf(node), listening(node).length]).toEqual(['running', 2])
    node.stage.world.cluster.reachable = true
    await node.stage.elapse(40_000)
    expect(isRegistered(node)).toBe(true)
  })

  it('waits for a signer that is late', async () => {
    const node = await started({}, ({stage}) => void (stage.world.cluster.signerDelayMs = 2 * MINUTE))
    expect([requests(node)[0]?.conditions?.length, isRegistered(node)]).toEqual([1, false])
    await node.stage.elapse(2 * MINUTE)
    expect(isRegistered(node)).toBe(true)
  })

  it('does not trust a server with another authority', async () => {
    const node = await started({}, ({stage}) => void (stage.world.cluster.serverAuthority = SIGNER.cert))
    expect(requests(node)).toEqual([])
    expect(await node.log('kubelet')).toContain('x509: certificate signed by unknown authority')
  })

  it('renews a certificate of another name at once, as the node that it names', async () => {
    const node = await started()
    await node.win32.stopService('kubelet')
    await node.stage.elapse(5000)
    await node.stage.files.remove(KUBECONFIG)
    const {imagePath} = (await node.win32.queryServiceConfig('kubelet')) ?? {imagePath: ''}
    await node.win32.changeService('kubelet', {imagePath: imagePath.replace('=win-1', '=win-2')})
    await node.win32.startService('kubelet')
    await node.stage.elapse(10_000)
    // Not approved by itself: the request is for another node.
    expect(requests(node).at(-1)).toMatchObject({username: 'system:node:win-1'})
    expect(requests(node).at(-1)?.conditions).toBeUndefined()
  })
})
