// Questions to an engine whose answers must have the same shape from the real one and from the simulated one.
import {buildContext} from '../../../src/artifacts/build-context.js'
import type {HttpRequest} from '../../../src/machine/http.js'
import type {DockerRig} from './rig.js'
import {type Shape, shapeOfLines, type Shapes} from './shapes.js'

interface Question {
  readonly body?: object | Uint8Array
  readonly method?: HttpRequest['method']
  readonly name: string
  readonly path: string
}

export async function askShapes(rig: DockerRig): Promise<Shapes> {
  const shapes: Record<string, Shape> = {}
  const ask = async ({body, method = 'GET', name, path}: Question): Promise<string> => {
    const answer = await rig.http.request({
      ...(body && {body: body instanceof Uint8Array ? body : JSON.stringify(body)}),
      deadlineMs: 60_000,
      effect: 'change',
      headers: {'content-type': body instanceof Uint8Array ? 'application/x-tar' : 'application/json'},
      method,
      pipe: rig.pipe,
      url: `http://docker/v1.41${path}`,
    })
    const text = answer.body.toString('utf8')
    const type = answer.headers['content-type'] ?? 'none'
    shapes[name] = [`${answer.status} ${type}`, type === 'application/json' ? shapeOfLines(text) : '']
    return text
  }

  const {base, foreign, missing} = rig.images
  const build = (dockerfile: string): Buffer => buildContext({Dockerfile: dockerfile})
  const create = async (name: string, command: readonly string[]): Promise<string> => {
    const body = {Cmd: command, HostConfig: {NetworkMode: 'none'}, Image: base}
    return (JSON.parse(await ask({body, method: 'POST', name, path: '/containers/create'})) as {Id: string}).Id
  }

  const pull = (name: string, reference: string): Promise<string> => {
    const colon = reference.lastIndexOf(':')
    const query = `fromImage=${encodeURIComponent(reference.slice(0, colon))}&tag=${reference.slice(colon + 1)}`
    return ask({method: 'POST', name, path: `/images/create?${query}`})
  }

  await ask({name: 'version', path: '/version'})
  await ask({name: 'no such path', path: '/nonsense'})
  await ask({name: 'no such image', path: '/images/nothing/json'})
  await pull('pull of what is not there', missing)
  await pull('pull for another system', foreign)
  await pull('pull', base)
  await pull('pull again', base)
  await ask({name: 'image', path: `/images/${base}/json`})
  await ask({name: 'images', path: '/images/json'})
  await ask({method: 'POST', name: 'tag', path: `/images/${base}/tag?repo=mine&tag=1`})
  await ask({method: 'POST', name: 'tag of what is not there', path: '/images/nothing/tag?repo=mine'})
  await ask({method: 'DELETE', name: 'untag', path: '/images/mine:1'})
  await ask({method: 'DELETE', name: 'untag of what is not there', path: '/images/mine:1'})
  const good = build(`FROM ${base}\nLABEL a=b\nRUN ["cmd", "/c", "echo", "hello"]\n`)
  await ask({body: good, method: 'POST', name: 'build', path: '/build?t=mine'})
  await ask({body: good, method: 'POST', name: 'build again', path: '/build?t=mine'})
  const bad = build(`FROM ${base}\nRUN ["cmd", "/c", "exit", "3"]\n`)
  await ask({body: bad, method: 'POST', name: 'build that fails', path: '/build?t=bad'})
  await ask({body: build('FORM x\n'), method: 'POST', name: 'build of nonsense', path: '/build?t=bad'})
  await ask({method: 'DELETE', name: 'removal', path: '/images/mine'})
  const body = {Cmd: ['cmd'], Image: 'nothing'}
  await ask({body, method: 'POST', name: 'create without image', path: '/containers/create'})
  const id = await create('create', ['cmd', '/c', 'ver'])
  await ask({method: 'DELETE', name: 'removal of what is in use', path: `/images/${base}`})
  await ask({method: 'POST', name: 'start', path: `/containers/${id}/start`})
  await ask({method: 'POST', name: 'wait', path: `/containers/${id}/wait`})
  await ask({name: 'logs', path: `/containers/${id}/logs?stdout=1&stderr=1`})
  await ask({name: 'logs of no stream', path: `/containers/${id}/logs`})
  await ask({method: 'DELETE', name: 'remove', path: `/containers/${id}?force=true`})
  for (const [method, action] of [
    ['POST', 'start'],
    ['POST', 'wait'],
    ['GET', 'logs?stdout=1'],
  ] as const) {
    await ask({method, name: `${action} of what is not there`, path: `/containers/${id}/${action}`})
  }

  await ask({method: 'DELETE', name: 'remove what is not there', path: `/containers/${id}`})
  const lost = await create('create with no such program', ['no-such-program'])
  await ask({method: 'POST', name: 'start of no such program', path: `/containers/${lost}/start`})
  await ask({method: 'POST', name: 'wait for no such program', path: `/containers/${lost}/wait`})
  await ask({method: 'DELETE', name: 'remove what never ran', path: `/containers/${lost}?force=true`})
  return shapes
}
