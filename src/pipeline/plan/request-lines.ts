// Requests to Docker and to the cluster as the commands a person would type.
import {quoteArgument} from '../../host/command-line.js'
import {safeUrl} from '../../machine/credentials.js'
import {readTar} from '../../machine/tar.js'
import type {RecordedChange} from './record.js'

type RequestOf = Extract<RecordedChange, {kind: 'request'}>

/** Requests of one step: a container that it creates, runs and removes is described once. */
export function requestLines(request: RequestOf, madeBefore: readonly RequestOf[]): string[] {
  const {body, method, pipe, url} = request
  const {pathname, searchParams} = new URL(url)
  if (!pipe) return [clusterLine(request, pathname)]
  const path = pathname.replace(/^\/v[\d.]+/, '')
  const [, kind = '', name = '', action = ''] =
    /^\/(images|containers|networks)\/(.+?)(?:\/(start|tag|wait))?$/.exec(path) ?? []
  const image = decodeURIComponent(name)
  const query = (key: string): string => searchParams.get(key) ?? ''
  if (path === '/build') return [[`docker build --tag ${query('t')} -`, ...dockerfile(body)].join('\n')]
  if (path === '/images/create') return [`docker pull ${query('fromImage')}${joined(query('tag'))}`]
  if (path === '/containers/create') return [runLine(body)]
  if (path === '/networks/create') return [networkLine(body)]
  if (kind === 'networks' && method === 'DELETE') return [`docker network rm ${image}`]
  if (kind === 'images' && action === 'tag') return [`docker tag ${image} ${query('repo')}:${query('tag')}`]
  if (kind === 'images' && method === 'DELETE') return [`docker rmi ${image}`]
  if (kind !== 'containers') return [`${method} ${path} of Docker`]
  const isOwn = madeBefore.some((one) => new URL(one.url).pathname.endsWith('/containers/create'))
  // Running a container is described where it is created; it is removed when it has ended.
  return action !== '' || isOwn ? [] : [`docker rm --force ${image}`]
}

const joined = (tag: string): string => (tag === '' ? '' : `${tag.includes(':') ? '@' : ':'}${tag}`)

function networkLine(body: Buffer): string {
  const {Driver: driver = '', Name: name = ''} = JSON.parse(body.toString('utf8')) as {Driver?: string; Name?: string}
  return `docker network create --driver ${driver} ${name}`
}

function runLine(body: Buffer): string {
  const {
    Cmd: command = [],
    HostConfig: config,
    Image: image = '',
  } = JSON.parse(body.toString('utf8')) as {
    Cmd?: string[]
    HostConfig?: {Isolation?: string; NetworkMode?: string}
    Image?: string
  }
  const network = config?.NetworkMode === undefined ? [] : [`--network ${config.NetworkMode}`]
  const isolation = config?.Isolation ? [`--isolation ${config.Isolation}`] : []
  return ['docker run --rm', ...network, ...isolation, image, ...command.map(quoteArgument)].join(' ')
}

function dockerfile(body: Buffer): string[] {
  const files = readTar(body).filter(({name}) => name === 'Dockerfile')
  return files.flatMap(({content}) => content.toString('utf8').trimEnd().split('\n')).map((line) => `+${line}`)
}

function clusterLine({body, method, url}: RequestOf, path: string): string {
  const node = /^\/api\/v1\/nodes\/([^/]+)$/.exec(path)?.[1]
  if (node !== undefined && method === 'DELETE') return `kubectl delete node ${node}`
  const said = body.toString('utf8')
  if (node !== undefined && method === 'PATCH') return `kubectl patch node ${node} --patch ${quoteArgument(said)}`
  // kubectl has no command for the eviction of one pod.
  const [, namespace, pod] = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/eviction$/.exec(path) ?? []
  if (pod !== undefined) return `evict the pod ${namespace}/${pod}`
  return `${method} ${safeUrl(url)} ${said}`.trimEnd()
}
