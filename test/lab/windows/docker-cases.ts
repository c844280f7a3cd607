// The Docker suite by the real Windows Node over a named pipe; the engine and the registry are on the Linux side,
// which starts this (test/lab/docker/docker-pipe.lab.ts) and says where it listens.
import {readFileSync} from 'node:fs'
import path from 'node:path'
import {test} from 'node:test'
import {openRealMachine} from '../../../src/machine/real/index.js'
import type {OpenedRig} from '../docker/control.js'
import {DOCKER_CASES, runCase} from '../docker/docker-suite.js'
import type {DockerLab, DockerRig} from '../docker/rig.js'
import {DOCKER_PIPE, openDockerPipe} from './docker-pipe.js'

const control = `http://127.0.0.1:${process.env['LAB_DOCKER_CONTROL']}`
const app = process.env['LAB_APP'] ?? ''

async function tell<T>(what: string, body = ''): Promise<T> {
  const answer = await fetch(`${control}/${what}`, {body, method: 'POST'})
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${what}: ${text}`)
  return JSON.parse(text) as T
}

const lab: DockerLab = {
  async open(surroundings): Promise<DockerRig> {
    const {images, port} = await tell<OpenedRig>('open', JSON.stringify(surroundings))
    const {clock, http} = openRealMachine()
    let pipe = await openDockerPipe(port)
    let spoken: string[] = []
    // The suite asks for the versions at the end of a case, without waiting: they are noted as they are used.
    const noted = <T extends {readonly url: string}>(request: T): T => {
      const version = /^http:\/\/docker\/v(\d+\.\d+)\//u.exec(request.url)?.[1]
      if (version !== undefined) spoken = [...new Set([...spoken, version])]
      return request
    }

    return {
      clock,
      async close() {
        await pipe.close()
        await tell('close')
      },
      http: {
        ...http,
        request: (request) => http.request(noted(request)),
        stream: (request) => http.stream(noted(request)),
      },
      images,
      pauseTemplate: readFileSync(path.join(app, 'templates', 'pause', 'Dockerfile'), 'utf8'),
      pipe: DOCKER_PIPE,
      spoken: () => spoken,
      async startEngine() {
        await tell('start')
        pipe = await openDockerPipe(port)
      },
      async stopEngine(how) {
        await tell('stop', how)
        await pipe.close()
      },
    }
  },
}

for (const one of DOCKER_CASES) void test(one.name, {timeout: 300_000}, () => runCase(lab, one))
