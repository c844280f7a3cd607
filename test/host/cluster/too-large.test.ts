// Answers that are too large, as errors people can act on.
import {createServer} from 'node:http'
import {join} from 'node:path'
import {expect, it} from 'vitest'

import {openDocker} from '../../../src/host/docker/docker.js'
import {dockerLines} from '../../../src/host/docker/progress.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import {ProgramOutputError} from '../../../src/machine/run.js'
import {tooLarge} from '../../../src/machine/http-limit.js'
import {toUserError} from '../../../src/pipeline/run/to-user-error.js'
import {scratchFolder} from '../../machine/real/scratch.js'
import {listening} from '../../machine/real/servers.js'
import {clusterAt, refusal, serveCluster} from './loopback-cluster.js'

const {http} = openRealMachine({environment: {}})
const HUGE = String(700_000_000)

it('review S10: of the API server', async () => {
  const {server} = await serveCluster({
    answer: (_, response) => void response.writeHead(200, {'content-length': HUGE}).write('{'),
  })
  const {id, message} = await refusal((await clusterAt(server)).node('win-1'))
  expect(id).toBe('ANSWER_TOO_LARGE')
  expect(message).toContain(server)
})

it('review S10: of Docker, also where it refuses at length', async () => {
  const pipe = join(await scratchFolder(), 'docker')
  const version = JSON.stringify({ApiVersion: '1.41', MinAPIVersion: '1.24', Os: 'windows', Version: '20.10.9'})
  const server = createServer((request, response) => {
    if (request.url === '/version') return void response.end(version)
    if (request.method === 'GET') return void response.writeHead(200, {'content-length': HUGE}).write('{')
    const more = (): void => void (response.destroyed || response.write('x'.repeat(65_536), more))
    response.writeHead(500)
    more()
  })
  await listening(server, pipe)
  const docker = openDocker(http, pipe)
  await expect(docker.image('a')).rejects.toMatchObject({exitCode: 3, id: 'ANSWER_TOO_LARGE'})
  const {signal} = new AbortController()
  await expect(docker.pull('a:b', () => {}, signal)).rejects.toMatchObject({id: 'ANSWER_TOO_LARGE'})
})

it('review S10: a line of Docker without an end is an error, and the rest is not read', async () => {
  let read = 0
  async function* chunks() {
    for (;;) {
      read += 65_536
      yield Buffer.alloc(65_536, 'x')
    }
  }
  const lines = []
  for await (const line of dockerLines(chunks())) lines.push(line)
  expect(lines).toEqual([{error: expect.stringContaining('not JSON') as string}])
  expect(read).toBeLessThan(2_000_000)
})

it('review S10: of whoever else, and of a program', () => {
  expect(toUserError(tooLarge('https://server/a', 64), 'x')).toMatchObject({exitCode: 3, id: 'ANSWER_TOO_LARGE'})
  const flood = new ProgramOutputError(String.raw`C:\Windows\System32\netsh.exe`, 16 * 1024 ** 2)
  expect(toUserError(flood, 'x')).toMatchObject({
    exitCode: 5,
    id: 'PROGRAM_FAILED',
    reason: 'It printed more than 16 MiB.',
  })
})
