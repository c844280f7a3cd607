// Sockets of the simulated host.
import type {Net} from '../machine/machine.js'
import {listeningPorts} from './daemons/index.js'
import type {Effects} from './effects.js'
import {connect, isLoopback, portOf} from './routes.js'
import {connectionTo} from './windows/pipes.js'

export function createNet(effects: Effects): Net {
  const {stage} = effects
  const isTaken = (port: string): boolean =>
    stage.world.os.listening.includes(port) || listeningPorts(stage.world).includes(port)
  const isOwn = (host: string): boolean =>
    isLoopback(host) || stage.world.adapters.some(({addresses}) => addresses.some(({address}) => address === host))
  return {
    async canConnect(host, port, deadlineMs, judgePeer) {
      if (isOwn(host)) {
        const ends = await effects.perform('read', async () => connectionTo(stage, host, port))
        if (ends) await judgePeer?.(ends)
        return ends !== undefined
      }

      return effects.perform('read', async () => {
        const deadline = effects.clock.deadline(deadlineMs)
        // The cluster is identified by its whole origin.
        const server = new URL(stage.world.cluster.serverURL)
        const url = server.hostname === host && portOf(server) === port ? server : new URL(`https://${host}:${port}`)
        try {
          await connect(effects.stageFor(deadline.signal), url)
          return true
        } catch {
          return false
        } finally {
          deadline.cancel()
        }
      })
    },
    // Sending fails without a route only, not without a receiver.
    canSend: (host) =>
      effects.perform('read', async () => {
        const {adapters, os} = stage.world
        const hasWay = adapters.some(({gateways, up}) => up && gateways.length > 0)
        return isLoopback(host) || (hasWay && effects.clock.now() >= os.offlineUntil)
      }),
    isPortFree: (protocol, port) => effects.perform('read', async () => !isTaken(`${protocol}/${port}`)),
  }
}
