// A node in memory that has no kubeconfig: its kubelet gets its certificate with a bootstrap token, and kube-proxy and
// flanneld use it.
import {bootstrapKubeconfig} from '../../src/components/bootstrap-kubeconfig.js'
import {CLUSTER_CA} from '../../src/simulator/cluster/certificates.js'
import type {SigningRequest} from '../../src/simulator/cluster/state.js'
import {KUBELET_ARGS, makeNode, type NodeOptions, type TestNode, withFlags} from './node.js'

export const KUBECONFIG = String.raw`C:\k\kubeconfig`
export const BOOTSTRAP = String.raw`C:\k\bootstrap-kubeconfig`
export const PKI = String.raw`C:\var\lib\kubelet\pki`
export const CURRENT = `${PKI}\\kubelet-client-current.pem`
export const TOKEN = 'abcdef.0123456789abcdef'

export interface JoiningOptions extends NodeOptions {
  readonly token?: string
}

export async function makeJoiningNode({token = TOKEN, ...options}: JoiningOptions = {}): Promise<TestNode> {
  const node = await makeNode({kubeletArgs: withFlags(KUBELET_ARGS, {'bootstrap-kubeconfig': BOOTSTRAP}), ...options})
  const {files} = node.stage
  await files.remove(KUBECONFIG)
  const {serverURL: server} = node.stage.world.cluster
  await files.write(BOOTSTRAP, bootstrapKubeconfig({ca: CLUSTER_CA, server, token}))
  return node
}

export const requests = ({stage}: TestNode): readonly SigningRequest[] =>
  stage.world.cluster.certificateSigningRequests ?? []

export const isRegistered = ({stage}: TestNode): boolean => stage.world.cluster.nodes.some(({name}) => name === 'win-1')

/** Without the controller that approves requests of new nodes. */
export function withoutApproval({stage}: TestNode): void {
  const {cluster} = stage.world
  cluster.roleBindings = cluster.roleBindings?.filter(({name}) => name !== 'kubeadm:node-autoapprove-bootstrap') ?? []
}

export function decide(node: TestNode, type: 'Approved' | 'Denied', name = requests(node).at(-1)?.name): void {
  const request = requests(node).find((one) => one.name === name)
  if (request) request.conditions = [{at: node.stage.now(), message: 'by hand', reason: 'Kubectl', type}]
}
