// A container runtime on its named pipe, which is there exactly as long as the runtime runs.
import {createServer, type RequestListener, type Server} from 'node:http'
import {win32} from 'node:path'
import {CONTAINERD_PIPE} from '../../../src/config/model.js'
import type {Win32} from '../../../src/machine/win32.js'
import {pipeOwner} from '../../../src/simulator/containerd/lifetime.js'
import {answerDocker, isDockerRunning} from '../../../src/simulator/docker/engine.js'
import type {Stage} from '../../../src/simulator/model.js'
import {pipeServer} from '../../../src/simulator/windows/pipes.js'
import {DOCKER_PIPE} from '../windows/docker-pipe.js'
import {modelDoor} from './model-door.js'

export interface PipeDoor {
  /** Opens or closes it. */
  settle(): Promise<void>
}

type Calls = Pick<Win32, 'queryServiceStatus' | 'setRegistryValue'>

export const makeDockerDoor = (stage: Stage, calls: Calls, onRequest: () => void): PipeDoor =>
  makePipeDoor(
    {calls, pipe: DOCKER_PIPE, serverOf: async () => (await calls.queryServiceStatus('docker'))?.processId},
    () => isDockerRunning(stage.world),
    modelDoor((asked) => answerDocker(stage, asked), onRequest),
  )

/** Whoever speaks HTTP/1.1 is hung up on; crictl and ctr are programs of the lab, which ask the world itself. */
export const makeContainerdDoor = (stage: Stage, calls: Calls): PipeDoor =>
  makePipeDoor(
    {calls, pipe: CONTAINERD_PIPE, serverOf: async () => pipeServer(stage, CONTAINERD_PIPE)?.processId},
    () => pipeOwner(stage.world, CONTAINERD_PIPE) === 'containerd',
    (request) => void request.socket.destroy(),
  )

interface Served {
  readonly calls: Calls
  readonly pipe: string
  /** The process that the pipe is registered for: this one has the pipes of all services (programs/wine-services.dll.c). */
  readonly serverOf: () => Promise<number | undefined>
}

function makePipeDoor({calls, pipe, serverOf}: Served, isRunning: () => boolean, answer: RequestListener): PipeDoor {
  let open: Server | undefined
  let registered: number | undefined
  const register = async (): Promise<void> => {
    const server = isRunning() ? await serverOf() : undefined
    if (server === undefined || server === registered) return
    registered = server
    const name = win32.basename(pipe)
    await calls.setRegistryValue('HKLM', String.raw`SOFTWARE\k8s-win-lab\pipes`, name, {
      data: server,
      type: 'REG_DWORD',
    })
  }

  return {
    async settle() {
      await register()
      if (isRunning() === (open !== undefined)) return
      if (open === undefined) {
        const server = createServer(answer)
        open = server
        await new Promise<void>((resolve, reject) => server.once('error', reject).listen(pipe, resolve))
      } else {
        const server = open
        open = undefined
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
    },
  }
}
