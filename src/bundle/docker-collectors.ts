// Docker: its version, how it is set up, its images and containers. Never what runs in them, nor with which secrets.
import {at, listAt, parseJson, textAt, textsAt} from '../host/document.js'
import {HttpError} from '../machine/http.js'
import type {Collector, CollectorContext} from './collector.js'
import {documentCollector} from './collector.js'

const ASK_MS = 10_000
/** Of /info: nothing of registries and their mirrors' credentials. */
const TOLD = [
  'Architecture',
  'Containers',
  'ContainersRunning',
  'DockerRootDir',
  'Driver',
  'HttpProxy',
  'HttpsProxy',
  'Images',
  'Isolation',
  'KernelVersion',
  'MemTotal',
  'NCPU',
  'Name',
  'NoProxy',
  'OSType',
  'OSVersion',
  'OperatingSystem',
  'ServerVersion',
  'Warnings',
]

export const DOCKER_COLLECTORS: readonly Collector[] = [
  documentCollector('docker-version', 'docker/version.json', (context) => ask(context, '/version')),
  documentCollector('docker-info', 'docker/info.json', async (context) => {
    const info = await ask(context, '/info')
    return Object.fromEntries(TOLD.map((name) => [name, at(info, name)]))
  }),
  documentCollector('docker-images', 'docker/images.json', async (context) =>
    listAt(await ask(context, '/images/json')).map((image) => ({
      created: at(image, 'Created'),
      digests: at(image, 'RepoDigests'),
      id: textAt(image, 'Id'),
      size: at(image, 'Size'),
      tags: at(image, 'RepoTags'),
    })),
  ),
  documentCollector('docker-containers', 'docker/containers.json', async (context) =>
    listAt(await ask(context, '/containers/json?all=1')).map((container) => ({
      id: textAt(container, 'Id'),
      image: textAt(container, 'Image'),
      kubernetes: Object.fromEntries(
        Object.entries(textsAt(container, 'Labels')).filter(([name]) => POD_LABELS.test(name)),
      ),
      names: at(container, 'Names'),
      state: textAt(container, 'State'),
      status: textAt(container, 'Status'),
    })),
  ),
]

/** Which pod it is of. Annotations, which are labels here too, may hold anything. */
const POD_LABELS = /^io\.kubernetes\.(?:container\.name|docker\.type|pod\.(?:name|namespace|uid)|sandbox\.id)$/

async function ask({config, machine, signal}: CollectorContext, path: string): Promise<unknown> {
  const request = {deadlineMs: ASK_MS, effect: 'read', isProbe: true, method: 'GET', pipe: config.dockerPipe} as const
  try {
    const {body, status} = await machine.http.request({...request, signal, url: `http://docker${path}`})
    const text = body.toString('utf8')
    if (status >= 300) throw new Error(`Docker answered GET ${path} with ${status}: ${text.slice(0, 200).trim()}`)
    return parseJson(text) ?? text
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    throw new Error(`Docker cannot be asked at ${config.dockerPipe}: ${error.message} (${error.code})`, {cause: error})
  }
}
