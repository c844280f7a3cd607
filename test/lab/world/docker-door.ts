// The simulated Docker Engine on its named pipe, which is there exactly as long as the engine runs.
import {createServer, type Server} from 'node:http'
import {answerDocker, isDockerRunning} from '../../../src/simulator/docker/engine.js'
import type {Stage} from '../../../src/simulator/model.js'
import {DOCKER_PIPE} from '../windows/docker-pipe.js'
import {modelDoor} from './model-door.js'

export interface DockerDoor {
  /** Opens or closes it. */
  settle(): Promise<void>
}

export function makeDockerDoor(stage: Stage, onRequest: () => void): DockerDoor {
  let open: Server | undefined
  return {
    async settle() {
      if (isDockerRunning(stage.world) === (open !== undefined)) return
      if (open === undefined) {
        const server = createServer(modelDoor((asked) => answerDocker(stage, asked), onRequest))
        open = server
        await new Promise<void>((resolve, reject) => server.once('error', reject).listen(DOCKER_PIPE, resolve))
      } else {
        const server = open
        open = undefined
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
    },
  }
}
