// Containers: run once, and gone afterwards whatever happened.
import assert from 'node:assert/strict'
import {openDocker} from '../../../src/host/docker/docker.js'
import type {ContainerRun} from '../../../src/host/runtime.js'
import type {Http} from '../../../src/machine/http.js'
import {containers, type DockerCase, dockerOf, type DockerRig, failure, NEVER, pull, refusal} from './rig.js'

const FOREVER = ['cmd', '/c', 'ping', '-t', 'localhost']
const run = (rig: DockerRig, command: readonly string[], signal = NEVER): Promise<ContainerRun> =>
  dockerOf(rig).runOnce(rig.images.base, command, signal)

export const CONTAINER_CASES: readonly DockerCase[] = [
  {
    name: 'a container is run once: exit code and output',
    async run(rig) {
      await pull(rig)
      const ver = await run(rig, ['cmd', '/c', 'ver'])
      assert.deepEqual(ver, {exitCode: 0, output: 'Microsoft Windows [Version 10.0.17763.2237]'})
      assert.deepEqual(await run(rig, ['cmd', '/c', 'exit', '3']), {exitCode: 3, output: ''})
      assert.deepEqual(await run(rig, ['cmd', '/c', 'echo', 'one', 'two']), {exitCode: 0, output: 'one two'})
      assert.deepEqual(await run(rig, ['cmd', '/c', 'echo', 'bad', '1>&2']), {exitCode: 0, output: 'bad'})
      const {exitCode, output} = await run(rig, ['cmd', '/c', 'nonsense'])
      assert.equal(exitCode, 1)
      assert.match(output, /^'nonsense' is not recognized as an internal or external command,\s+operable program/)
      assert.deepEqual(await containers(rig), [])
    },
  },
  {
    name: 'a container that cannot start is an answer, and gone afterwards',
    async run(rig) {
      await pull(rig)
      const {exitCode, output} = await run(rig, ['no-such-program'])
      assert.equal(exitCode, -1)
      assert.match(output, /no-such-program/)
      assert.deepEqual(await containers(rig), [])
    },
  },
  {
    name: 'an image that is not there is not run',
    async run(rig) {
      await refusal(run(rig, ['cmd']), 'DOCKER_FAILED', /^Docker said: No such image: /)
      assert.deepEqual(await containers(rig), [])
    },
  },
  {
    name: 'an image in use keeps its last tag',
    async run(rig) {
      await pull(rig)
      const body = JSON.stringify({Cmd: ['cmd'], Image: rig.images.base, Labels: {'k8s-win.probe': 'true'}})
      const {http, pipe} = rig
      const headers = {'content-type': 'application/json'}
      const url = 'http://docker/containers/create'
      await http.request({body, deadlineMs: 60_000, effect: 'change', headers, method: 'POST', pipe, url})
      const reason =
        /^Docker said: conflict: unable to remove repository reference "\S+" \(must force\) - container [\da-f]{12} is using its referenced image [\da-f]{12}$/
      await refusal(dockerOf(rig).removeTag(rig.images.base), 'DOCKER_FAILED', reason)
      await dockerOf(rig).removeProbes()
      assert.deepEqual(await containers(rig), [])
      await dockerOf(rig).removeTag(rig.images.base)
    },
  },
  {
    name: 'a container whose run is aborted is gone afterwards',
    async run(rig) {
      await pull(rig)
      const reason = new Error('enough')
      const controller = new AbortController()
      const watched = onRequest(rig, /\/wait$/u, () => controller.abort(reason))
      const running = openDocker(watched, rig.pipe).runOnce(rig.images.base, FOREVER, controller.signal)
      assert.equal(await failure(running), reason)
      assert.deepEqual(await containers(rig), [])
    },
  },
  {
    name: 'a container whose run is aborted before the engine tells its name is gone afterwards',
    async run(rig) {
      await pull(rig)
      const reason = new Error('enough')
      const controller = new AbortController()
      const deaf: Http = {
        ...rig.http,
        async request({signal, ...request}) {
          if (!request.url.endsWith('/containers/create'))
            return rig.http.request({...request, ...(signal && {signal})})
          const answer = await rig.http.request(request)
          controller.abort(reason)
          // As the client does when it is aborted while it waits: the answer is lost.
          signal?.throwIfAborted()
          return answer
        },
      }
      const running = openDocker(deaf, rig.pipe).runOnce(rig.images.base, FOREVER, controller.signal)
      assert.equal(await failure(running), reason)
      assert.deepEqual(await containers(rig), [])
    },
  },
  {
    name: 'an engine that dies while a container runs',
    async run(rig) {
      await pull(rig)
      let stopped: Promise<void> | undefined
      const watched = onRequest(rig, /\/wait$/u, () => (stopped ??= rig.stopEngine('crash')))
      const running = openDocker(watched, rig.pipe).runOnce(rig.images.base, FOREVER, NEVER)
      await refusal(running, 'DOCKER_STOPPED', /ECONNRESET|TRUNCATED|ENOENT|ECONNREFUSED/)
      await stopped
      await rig.startEngine()
      await dockerOf(rig).removeProbes()
      assert.deepEqual(await containers(rig), [])
    },
  },
]

/** Calls back a little after a request has gone out. */
function onRequest({clock, http}: DockerRig, url: RegExp, then: () => unknown): Http {
  return {
    ...http,
    request(request) {
      const answer = http.request(request)
      if (url.test(request.url)) void clock.sleep(50).then(then)
      return answer
    },
  }
}
