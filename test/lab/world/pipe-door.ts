// A container runtime on its named pipe, which is there exactly as long as the runtime runs.
import {createServer, type RequestListener, type Server} from 'node:http'
import {CONTAINERD_PIPE} from '../../../src/config/model.js'
import {pipeOwner} from '../../../src/simulator/containerd/state.js'
import {answerDocker, isDockerRunning} from '../../../src/simulator/docker/engine.js'
import type {Stage} from '../../../src/simulator/model.js'
import {DOCKER_PIPE} from '../windows/docker-pipe.js'
import {modelDoor} from './model-door.js'

export interface PipeDoor {
  /** Opens or closes it. */
  settle(): Promise<void>
}

export const makeDockerDoor = (stage: Stage, onRequest: () => void): PipeDoor =>
  makePipeDoor(
    DOCKER_PIPE,
    () => isDockerRunning(stage.world),
    modelDoor((asked) => answerDocker(stage, asked), onRequest),
  )

/** Whoever speaks HTTP/1.1 is hung up on; crictl and ctr are programs of the lab, which ask the world itself. */
export const makeContainerdDoor = (stage: Stage): PipeDoor =>
  makePipeDoor(
    CONTAINERD_PIPE,
    () => pipeOwner(stage.world, CONTAINERD_PIPE) === 'containerd',
    (request) => void request.socket.destroy(),
  )

function makePipeDoor(pipe: string, isRunning: () => boolean, answer: RequestListener): PipeDoor {
  let open: Server | undefined
  return {
    async settle() {
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
