// The simulated cluster's API server at its own address, over TLS with the certificate of the simulated authority.
import {createServer} from 'node:https'
import type {TLSSocket} from 'node:tls'
import {answerCluster} from '../../../src/simulator/cluster/api-server.js'
import {identify} from '../../../src/simulator/cluster/identity.js'
import type {Stage} from '../../../src/simulator/model.js'
import {modelDoor} from './model-door.js'
import {SERVER_CERTIFICATE} from './server-certificate.js'

/** Asks for a client certificate and looks at it itself, as kube-apiserver does. */
export async function openClusterDoor(stage: Stage, onRequest: () => void): Promise<void> {
  const {cluster, os} = stage.world
  const isCut = (): boolean => os.offlineUntil > stage.now() || !cluster.reachable
  const server = createServer(
    {...SERVER_CERTIFICATE, rejectUnauthorized: false, requestCert: true},
    modelDoor(
      async (asked, {socket}) => {
        const shown = (socket as TLSSocket).getPeerX509Certificate()?.toString()
        const identity = identify(cluster, shown === undefined ? {} : {cert: shown}, asked.headers, stage.now())
        return answerCluster(stage, asked, identity)
      },
      onRequest,
      isCut,
    ),
  )
  server.on('connection', (socket) => {
    if (isCut()) socket.destroy()
  })
  const {hostname, port} = new URL(cluster.serverURL)
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(Number(port), hostname, resolve))
}
