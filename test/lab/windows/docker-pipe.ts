// Puts a Docker Engine that listens on a TCP port of loopback where Windows has it: behind a named pipe.
import {connect, createServer} from 'node:net'
import {join} from '../docker/join.js'

export const DOCKER_PIPE = String.raw`\\.\pipe\docker_engine`

export interface DockerPipe {
  /** The pipe is gone; connections that are open stay until the engine ends them. */
  close(): Promise<void>
}

export async function openDockerPipe(port: number, pipe = DOCKER_PIPE): Promise<DockerPipe> {
  const server = createServer((near) => join(near, connect(port, '127.0.0.1')))
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(pipe, resolve))
  return {
    async close() {
      server.close()
    },
  }
}
