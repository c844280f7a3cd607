// Building an image: POST /build with a tar of the context, told step by step as the classic builder does.
import {gunzipSync} from 'node:zlib'

import {readTar} from '../mirror/tar.js'
import type {ModelRequest, ModelResponse, Stage} from '../model.js'
import type {DockerImage} from '../world.js'
import {DockerRefusal, jsonLines} from './answer.js'
import {assertFitsHost} from './containers.js'
import {demandImage, findImage} from './images.js'
import {pullImage} from './pull.js'
import {sha256, splitReference} from './registry.js'

interface Instruction {
  readonly keyword: string
  readonly value: string
}

const STEP_MS = 500
/** Those that leave something in the image; their effect on its files is not modelled. */
const KEYWORDS = new Set(
  'ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL RUN SHELL STOPSIGNAL USER VOLUME WORKDIR'.split(' '),
)

export function buildImage(stage: Stage, {body, query}: ModelRequest): ModelResponse {
  const instructions = parseDockerfile(dockerfileIn(body, query.get('dockerfile') || 'Dockerfile'))
  const given = JSON.parse(query.get('buildargs') || '{}') as Record<string, string>
  const labels = JSON.parse(query.get('labels') || '{}') as Record<string, string>
  return jsonLines(buildLines(stage, instructions, {given, labels, tags: query.getAll('t')}))
}

interface BuildRequest {
  readonly given: Readonly<Record<string, string>>
  readonly labels: Readonly<Record<string, string>>
  readonly tags: readonly string[]
}

async function* buildLines(stage: Stage, steps: readonly Instruction[], request: BuildRequest): AsyncIterable<object> {
  const {docker} = stage.world
  const labels: Record<string, string> = {}
  const args: Record<string, string> = {}
  let base: DockerImage | undefined
  let id = ''
  for (const [index, step] of steps.entries()) {
    const value = step.value.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, a?: string, b?: string) => args[a ?? b ?? ''] ?? '')
    yield {
      stream: `Step ${index + 1}/${steps.length} : ${step.keyword} ${step.keyword === 'FROM' ? value : step.value}`,
    }
    yield {stream: '\n'}
    await stage.elapse(STEP_MS)
    if (step.keyword === 'ARG') {
      const [name = '', preset = ''] = value.split(/=(.*)/s)
      args[name] = request.given[name] ?? preset
    } else if (step.keyword === 'FROM') {
      const reference = value.split(/\s+/)[0] as string
      if (!findImage(stage.world, reference)) yield* pullBase(stage, reference)
      base = demandImage(stage.world, reference)
      Object.assign(labels, base.labels)
      id = base.id
    } else if (step.keyword === 'LABEL') Object.assign(labels, parseLabels(value))
    if (!base && step.keyword !== 'ARG') throw new DockerRefusal(500, 'no build stage in current context')
    if (base && step.keyword === 'RUN') assertFitsHost(stage.world, {id: sha256(value), image: base.id})
    if (base && step.keyword !== 'FROM') id = `sha256:${sha256(`${id} ${step.keyword} ${value}`)}`
    if (base) yield {stream: ` ---> ${id.slice(7, 19)}\n`}
  }

  if (!base) throw new DockerRefusal(500, 'No image was generated. Is your Dockerfile empty?')
  Object.assign(labels, request.labels)
  yield {aux: {ID: id}}
  yield {stream: `Successfully built ${id.slice(7, 19)}\n`}
  const tags = request.tags.map((tag) => `${splitReference(tag).name}:${splitReference(tag).tag}`)
  for (const image of docker.images) image.tags = image.tags.filter((tag) => !tags.includes(tag))
  const known = docker.images.find((image) => image.id === id)
  if (known) known.tags.push(...tags)
  else {
    const created = new Date(stage.now()).toISOString()
    docker.images.push({created, id, labels, osVersion: base.osVersion, size: base.size, tags})
  }

  for (const tag of tags) yield {stream: `Successfully tagged ${tag}\n`}
}

async function* pullBase(stage: Stage, reference: string): AsyncIterable<object> {
  const {name, tag} = splitReference(reference)
  for await (const line of pullImage(stage, name, tag)) yield line
}

function dockerfileIn(body: Buffer, name: string): string {
  const isGzip = body.length > 2 && body.readUInt16BE(0) === 0x1f_8b
  let entries
  try {
    entries = readTar(isGzip ? gunzipSync(body) : body)
  } catch (error) {
    throw new DockerRefusal(500, `Error reading context: ${(error as Error).message}`)
  }

  const found = entries.find((entry) => entry.name.replace(/^\.\//, '') === name.replace(/^\.\//, ''))
  if (!found) throw new DockerRefusal(500, `Cannot locate specified Dockerfile: ${name}`)
  return found.content.toString('utf8')
}

function parseDockerfile(text: string): Instruction[] {
  const escape = /^#\s*escape\s*=\s*(\S)/im.exec(text)?.[1] ?? '\\'
  const lines = text.split(/\r?\n/).filter((line) => !/^\s*#/.test(line))
  const joined = lines.join('\n').replaceAll(`${escape}\n`, ' ')
  const instructions = joined.split('\n').flatMap((line) => {
    const [, keyword, value = ''] = /^\s*(\S+)\s*(.*?)\s*$/.exec(line) ?? []
    return keyword === undefined ? [] : [{keyword: keyword.toUpperCase(), value}]
  })
  if (instructions.length === 0) throw new DockerRefusal(400, 'dockerfile parse error: file with no instructions')
  for (const [index, {keyword}] of instructions.entries()) {
    if (!KEYWORDS.has(keyword)) {
      throw new DockerRefusal(400, `dockerfile parse error line ${index + 1}: unknown instruction: ${keyword}`)
    }
  }

  return instructions
}

function parseLabels(value: string): Record<string, string> {
  const pairs = value.matchAll(/("[^"]*"|[^\s=]+)=("(?:[^"\\]|\\.)*"|\S*)/g)
  const bare = (text: string): string => (text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text)
  return Object.fromEntries([...pairs].map(([, key = '', text = '']) => [bare(key), bare(text)]))
}
