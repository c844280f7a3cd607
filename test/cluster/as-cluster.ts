// The product's own client of the API server, with a kubeconfig file or an identity of the tests.
import {readFile} from 'node:fs/promises'
import {stringify} from 'yaml'
import {type Cluster, openCluster} from '../../src/host/cluster/cluster.js'
import {readKubeconfig} from '../../src/host/cluster/kubeconfig.js'
import {openRealMachine} from '../../src/machine/real/index.js'
import type {Caller, ControlPlane} from './control-plane.js'

export async function clusterOf(path: string): Promise<Cluster> {
  const machine = openRealMachine({environment: {}})
  return openCluster(machine, await readKubeconfig(path, await readFile(path), readFile))
}

export async function clusterAs(plane: ControlPlane, caller: Caller): Promise<Cluster> {
  const kubeconfig = await readKubeconfig('kubeconfig', Buffer.from(kubeconfigFor(plane, caller)), readFile)
  return openCluster(openRealMachine({environment: {}}), kubeconfig)
}

export function kubeconfigFor({ca, server}: Pick<ControlPlane, 'ca' | 'server'>, {cert, key, token}: Caller): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  return stringify({
    apiVersion: 'v1',
    clusters: [{cluster: {'certificate-authority-data': base64(ca), server}, name: 'lab'}],
    contexts: [{context: {cluster: 'lab', user: 'lab'}, name: 'lab'}],
    'current-context': 'lab',
    kind: 'Config',
    users: [
      {
        name: 'lab',
        user: {
          ...(cert !== undefined && {'client-certificate-data': base64(cert)}),
          ...(key !== undefined && {'client-key-data': base64(key)}),
          ...(token !== undefined && {token}),
        },
      },
    ],
  })
}
