// The questions put to a Docker Engine, real or simulated: every request that src/host makes, and how it is refused.
import {buildContext} from '../../../src/artifacts/build-context.js'
import type {HttpRequest, HttpResponse} from '../../../src/machine/http.js'
import type {DockerLab, DockerRig} from '../../lab/docker/rig.js'

export interface Exchange {
  readonly asked: string
  readonly name: string
  readonly response: HttpResponse
}

type Ask = (
  name: string,
  method: HttpRequest['method'],
  path: string,
  body?: object | string | Uint8Array,
) => Promise<HttpResponse>

interface Scene {
  play(rig: DockerRig, ask: Ask): Promise<void>
  readonly surroundings: Parameters<DockerLab['open']>[0]
}

const API = '/v1.41'
const dockerfile = (text: string): Buffer => buildContext({Dockerfile: text})
const idOf = ({body}: HttpResponse): string => (JSON.parse(body.toString('utf8')) as {Id: string}).Id
const fetchPath = (reference: string): string => {
  const colon = reference.lastIndexOf(':')
  const name = encodeURIComponent(reference.slice(0, colon))
  return `${API}/images/create?fromImage=${name}&tag=${reference.slice(colon + 1)}`
}

const engine: Scene = {
  async play(_, ask) {
    await ask('version', 'GET', '/version')
    await ask('version-of-its-api', 'GET', `${API}/version`)
    await ask('version-of-an-old-api', 'GET', '/v1.24/version')
    await ask('info', 'GET', `${API}/info`)
    await ask('api-too-old', 'GET', '/v1.11/version')
    await ask('api-too-new', 'GET', '/v1.99/version')
    await ask('no-such-path', 'GET', `${API}/nonsense`)
    await ask('images-none', 'GET', `${API}/images/json`)
    await ask('containers-none', 'GET', `${API}/containers/json?all=1`)
  },
  surroundings: {},
}

const images: Scene = {
  async play({images: {base, foreign, missing, other}, pauseTemplate}, ask) {
    await ask('image-missing', 'GET', `${API}/images/${base}/json`)
    await ask('pull-no-such-tag', 'POST', fetchPath(missing))
    await ask('pull-other-system', 'POST', fetchPath(foreign))
    await ask('pull-bad-reference', 'POST', `${API}/images/create?fromImage=UPPER&tag=1`)
    await ask('pull-nothing', 'POST', `${API}/images/create`)
    await ask('pull', 'POST', fetchPath(base))
    await ask('pull-again', 'POST', fetchPath(base))
    await ask('pull-other', 'POST', fetchPath(other))
    await ask('image', 'GET', `${API}/images/${base}/json`)
    await ask('images', 'GET', `${API}/images/json`)
    await ask('tag', 'POST', `${API}/images/${base}/tag?repo=mine&tag=1`)
    await ask('image-two-tags', 'GET', `${API}/images/mine:1/json`)
    await ask('tag-missing', 'POST', `${API}/images/nothing/tag?repo=mine&tag=1`)
    await ask('tag-bad-reference', 'POST', `${API}/images/${base}/tag?repo=UPPER&tag=1`)
    await ask('tag-no-name', 'POST', `${API}/images/${base}/tag`)
    await ask('untag', 'DELETE', `${API}/images/mine:1`)
    await ask('untag-missing', 'DELETE', `${API}/images/mine:1`)
    const pause = dockerfile(pauseTemplate.replace('{{base}}', base).replace('{{template}}', 'abc'))
    await ask('build-pause', 'POST', `${API}/build?t=kubeletwin%2Fpause&forcerm=1`, pause)
    await ask('build-pause-again', 'POST', `${API}/build?t=kubeletwin%2Fpause&forcerm=1`, pause)
    await ask('image-built', 'GET', `${API}/images/kubeletwin/pause/json`)
    const fails = dockerfile(`FROM ${base}\nRUN ["cmd", "/c", "exit", "3"]\n`)
    await ask('build-step-fails', 'POST', `${API}/build?t=bad&forcerm=1`, fails)
    await ask('build-unknown-instruction', 'POST', `${API}/build?t=bad&forcerm=1`, dockerfile('FORM x\n'))
    await ask('build-empty-dockerfile', 'POST', `${API}/build?t=bad&forcerm=1`, dockerfile(''))
    await ask('build-only-comments', 'POST', `${API}/build?t=bad&forcerm=1`, dockerfile('# nothing\n'))
    await ask('build-no-from', 'POST', `${API}/build?t=bad&forcerm=1`, dockerfile('LABEL a=b\n'))
    await ask('build-no-dockerfile', 'POST', `${API}/build?t=bad&forcerm=1`, buildContext({other: 'x'}))
    await ask('build-base-not-there', 'POST', `${API}/build?t=bad&forcerm=1`, dockerfile(`FROM ${missing}\n`))
    await ask('remove-image', 'DELETE', `${API}/images/kubeletwin/pause`)
  },
  surroundings: {},
}

const containers: Scene = {
  async play({images: {base}}, ask) {
    const probe = (Cmd: readonly string[], Image = base): object => ({
      Cmd,
      HostConfig: {NetworkMode: 'none'},
      Image,
      Labels: {'k8s-win.probe': 'true'},
    })
    const label = encodeURIComponent(JSON.stringify({label: ['k8s-win.probe']}))
    const create = async (name: string, command: readonly string[]): Promise<string> =>
      idOf(await ask(name, 'POST', `${API}/containers/create`, probe(command)))
    await ask('create-no-image', 'POST', `${API}/containers/create`, probe(['cmd'], 'nothing'))
    await ask('create-no-json', 'POST', `${API}/containers/create`, '{"Image":')
    await ask('create-no-body', 'POST', `${API}/containers/create`, '')
    await ask('create-no-image-named', 'POST', `${API}/containers/create`, {Cmd: ['cmd']})
    await ask('pull-for-containers', 'POST', fetchPath(base))
    const id = await create('create', ['cmd', '/c', 'ver'])
    await ask('containers-by-label', 'GET', `${API}/containers/json?all=1&filters=${label}`)
    await ask('remove-image-in-use', 'DELETE', `${API}/images/${base}`)
    await ask('start', 'POST', `${API}/containers/${id}/start`)
    await ask('wait', 'POST', `${API}/containers/${id}/wait`)
    await ask('logs', 'GET', `${API}/containers/${id}/logs?stdout=1&stderr=1`)
    await ask('logs-stderr-only', 'GET', `${API}/containers/${id}/logs?stderr=1`)
    await ask('logs-no-stream', 'GET', `${API}/containers/${id}/logs`)
    await ask('remove', 'DELETE', `${API}/containers/${id}?force=true`)
    await ask('start-missing', 'POST', `${API}/containers/${id}/start`)
    await ask('wait-missing', 'POST', `${API}/containers/${id}/wait`)
    await ask('logs-missing', 'GET', `${API}/containers/${id}/logs?stdout=1&stderr=1`)
    await ask('remove-missing', 'DELETE', `${API}/containers/${id}?force=true`)
    const failing = await create('create-failing', ['cmd', '/c', 'nonsense'])
    await ask('start-failing', 'POST', `${API}/containers/${failing}/start`)
    await ask('wait-failing', 'POST', `${API}/containers/${failing}/wait`)
    await ask('logs-failing', 'GET', `${API}/containers/${failing}/logs?stdout=1&stderr=1`)
    await ask('remove-failing', 'DELETE', `${API}/containers/${failing}?force=true`)
    const lost = await create('create-no-program', ['no-such-program'])
    await ask('start-no-program', 'POST', `${API}/containers/${lost}/start`)
    await ask('wait-no-program', 'POST', `${API}/containers/${lost}/wait`)
    await ask('remove-no-program', 'DELETE', `${API}/containers/${lost}?force=true`)
    const busy = await create('create-busy', ['cmd', '/c', 'ping', '-t', 'localhost'])
    await ask('start-busy', 'POST', `${API}/containers/${busy}/start`)
    await ask('start-twice', 'POST', `${API}/containers/${busy}/start`)
    await ask('remove-running', 'DELETE', `${API}/containers/${busy}`)
    await ask('remove-running-by-force', 'DELETE', `${API}/containers/${busy}?force=true`)
  },
  surroundings: {},
}

const broken = (name: string, registry: 'corrupt' | 'cut' | 'cut-once' | 'unreachable'): Scene => ({
  play: async ({images: {base}}, ask) => void (await ask(name, 'POST', fetchPath(base))),
  surroundings: {registry},
})

const SCENES: readonly Scene[] = [
  engine,
  images,
  containers,
  broken('pull-unreachable-registry', 'unreachable'),
  broken('pull-cut', 'cut'),
  broken('pull-cut-once', 'cut-once'),
  broken('pull-wrong-bytes', 'corrupt'),
]

export async function askDocker(lab: DockerLab, hear: (exchange: Exchange, rig: DockerRig) => void): Promise<void> {
  for (const {play, surroundings} of SCENES) {
    const rig = await lab.open(surroundings)
    try {
      await play(rig, async (name, method, path, body) => {
        const type = body instanceof Uint8Array ? 'application/x-tar' : 'application/json'
        const given = typeof body === 'object' && !(body instanceof Uint8Array) ? JSON.stringify(body) : body
        const response = await rig.http.request({
          ...(given !== undefined && {body: given, headers: {'content-type': type}}),
          deadlineMs: 600_000,
          effect: 'change',
          method,
          pipe: rig.pipe,
          url: `http://docker${path}`,
        })
        const told = given === undefined ? '' : typeof given === 'string' ? ` ${given}` : ' (a tar with a Dockerfile)'
        hear({asked: `${method} ${path}${told}`, name, response}, rig)
        return response
      })
    } finally {
      await rig.close()
    }
  }
}
