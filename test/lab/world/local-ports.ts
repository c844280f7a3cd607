// What the daemons listen on, for real: each port is open exactly as long as its daemon says so. This process has the ports of
// all services: it registers each as that of its service's process (programs/wine-services.dll.c).
import {createServer, type Server} from 'node:http'
import {answerLocalPort} from '../../../src/simulator/daemons/index.js'
import type {Stage} from '../../../src/simulator/model.js'
import type {Win32} from '../../../src/machine/win32.js'
import {portOwners} from '../../../src/simulator/windows/pipes.js'
import {modelDoor} from './model-door.js'

/** Health of the kubelet and metrics of kube-proxy are for the machine itself; the rest is open to the network. */
const LOOPBACK_ONLY = new Set([10_248, 10_249])

export interface LocalPorts {
  /** Opens and closes what has changed. */
  settle(): Promise<void>
}

export function openLocalPorts(
  stage: Stage,
  calls: Pick<Win32, 'setRegistryValue'>,
  onRequest: () => void,
): LocalPorts {
  const open = new Map<number, Server>()
  const registered = new Map<number, number>()
  const register = async (port: number): Promise<void> => {
    const [owner] = portOwners(stage, `tcp/${port}`)
    if (owner === undefined || registered.get(port) === owner.processId) return
    registered.set(port, owner.processId)
    const value = {data: owner.processId, type: 'REG_DWORD'} as const
    await calls.setRegistryValue('HKLM', String.raw`SOFTWARE\k8s-win-lab\ports`, String(port), value)
  }

  return {
    async settle() {
      const wanted = new Set(
        Object.values(stage.world.services).flatMap(({listening}) =>
          (listening ?? []).flatMap((port) => (port.startsWith('tcp/') ? [Number(port.slice(4))] : [])),
        ),
      )
      for (const [port, server] of open) {
        if (wanted.has(port)) continue
        open.delete(port)
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
      for (const port of wanted) {
        await register(port)
        if (open.has(port)) continue
        const server = createServer(modelDoor(({path}) => answerLocalPort(stage, port, path), onRequest))
        const host = LOOPBACK_ONLY.has(port) ? '127.0.0.1' : '0.0.0.0'
        await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
        open.set(port, server)
      }
    },
  }
}
