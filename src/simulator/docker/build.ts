// POST /build with a tar of the context: its Dockerfile, and the output and the errors of the classic builder.
import type {ModelRequest, ModelResponse, Stage} from '../model.js'
import type {DockerImage} from '../world.js'
import {DockerRefusal, jsonLines} from './answer.js'
import {commandLine, parseCommand, runCommand} from './commands.js'
import {assertFitsHost} from './containers.js'
import {demandImage, demandName, findImage} from './images.js'
import {pullImage} from './pull.js'
import {nameImage, sha256, splitReference} from './registry.js'
import {readTar} from '../../machine/tar.js'

const STEP_MS = 500

export function buildImage(stage: Stage, {body, query}: ModelRequest): ModelResponse {
  const {name, tag} = splitReference(query.get('t') ?? '')
  demandName(name, 500)
  return jsonLines(buildLines(stage, parseDockerfile(dockerfileIn(body)), `${name}:${tag}`))
}

type Draft = Omit<DockerImage, 'created' | 'digests' | 'tags'>

async function* buildLines(stage: Stage, steps: readonly Instruction[], tag: string): AsyncIterable<object> {
  let draft!: Draft
  for (const [index, {keyword, value}] of steps.entries()) {
    yield {stream: `Step ${index + 1}/${steps.length} : ${keyword} ${value}`}
    yield {stream: '\n'}
    await stage.elapse(STEP_MS)
    if (index === 0) {
      // FROM, as parseDockerfile demands.
      const reference = value.split(/\s+/)[0] as string
      const base = splitReference(reference)
      if (!findImage(stage.world, reference)) yield* pullImage(stage, base.name, base.tag)
      const {command, id, labels, osVersion, size, user} = demandImage(stage.world, reference)
      draft = {...(command && {command}), id, labels: {...labels}, osVersion, size, ...(user && {user})}
    } else {
      const base = draft.id
      const id = `sha256:${sha256(`${base} ${keyword} ${value}`)}`
      const buildSteps = [...(draft.buildSteps ?? []), id]
      draft = {...draft, ...changedBy(keyword, value, draft), buildSteps, id}
      yield* stepLines(stage, keyword, value, {base, draft})
    }

    yield {stream: ` ---> ${draft.id.slice(7, 19)}\n`}
  }

  yield {aux: {ID: draft.id}}
  yield {stream: `Successfully built ${draft.id.slice(7, 19)}\n`}
  keep(stage, draft, tag)
  yield {stream: `Successfully tagged ${tag}\n`}
}

/** An instruction runs in a container of its own, or its result is cached. */
async function* stepLines(
  {world}: Stage,
  keyword: string,
  value: string,
  {base, draft}: {base: string; draft: Draft},
): AsyncIterable<object> {
  if (world.docker.images.some(({buildSteps}) => buildSteps?.includes(draft.id))) {
    return void (yield {stream: ' ---> Using cache\n'})
  }

  const container = sha256(`${draft.id} ${value}`)
  if (keyword === 'RUN') assertFitsHost(world, {id: container, image: base})
  yield {stream: ` ---> Running in ${container.slice(0, 12)}\n`}
  const ended = keyword === 'RUN' ? runCommand(parseCommand(value), draft.osVersion) : undefined
  for (const {text} of ended?.output ?? []) yield {stream: text}
  yield {stream: `Removing intermediate container ${container.slice(0, 12)}\n`}
  if (ended?.exitCode) {
    const said = `The command '${commandLine(parseCommand(value))}' returned a non-zero code: ${ended.exitCode}`
    throw new DockerRefusal(500, said, ended.exitCode)
  }
}

function changedBy(keyword: string, value: string, {labels}: Draft): Partial<Draft> {
  if (keyword === 'CMD') return {command: parseCommand(value)}
  if (keyword === 'LABEL') return {labels: {...labels, ...parseLabels(value)}}
  return keyword === 'USER' ? {user: value} : {}
}

/** Tags the image, and creates it if it is new. */
function keep({now, world}: Stage, draft: Draft, tag: string): void {
  const {images} = world.docker
  const known = images.find((image) => image.id === draft.id)
  const image: DockerImage = known ?? {...draft, created: new Date(now()).toISOString(), tags: []}
  if (!known) images.push(image)
  nameImage(images, image, tag)
}

interface Instruction {
  readonly keyword: string
  readonly value: string
}

/** Others are not simulated. */
const KEYWORDS = new Set(['CMD', 'FROM', 'LABEL', 'RUN', 'USER'])

function dockerfileIn(body: Buffer): string {
  let entries
  try {
    entries = readTar(body)
  } catch (error) {
    throw new DockerRefusal(500, (error as Error).message)
  }

  const found = entries.find((entry) => entry.name.replace(/^\.\//, '') === 'Dockerfile')
  if (!found) throw new DockerRefusal(500, 'Cannot locate specified Dockerfile: Dockerfile')
  if (found.content.length === 0) throw new DockerRefusal(400, 'the Dockerfile (Dockerfile) cannot be empty')
  return found.content.toString('utf8')
}

function parseDockerfile(text: string): Instruction[] {
  const lines = text.split(/\r?\n/).filter((line) => !/^\s*#/.test(line))
  const instructions = lines.flatMap((line) => {
    const [, keyword, value = ''] = /^(\S+)\s*(.*)$/s.exec(line.trim()) ?? []
    return keyword === undefined ? [] : [{keyword: keyword.toUpperCase(), value}]
  })
  if (instructions.length === 0) throw new DockerRefusal(400, 'failed to parse Dockerfile: file with no instructions')
  for (const [index, {keyword}] of instructions.entries()) {
    if (!KEYWORDS.has(keyword)) {
      throw new DockerRefusal(400, `dockerfile parse error line ${index + 1}: unknown instruction: ${keyword}`)
    }
  }

  if (instructions[0]?.keyword !== 'FROM') {
    throw new DockerRefusal(400, 'no build stage in current context')
  }

  return instructions
}

function parseLabels(value: string): Record<string, string> {
  const pairs = value.matchAll(/(?<!\S)("[^"]*"|[^\s=]+)=("(?:[^"\\]|\\.)*"|\S*)/g)
  const bare = (text: string): string => (text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text)
  return Object.fromEntries([...pairs].map(([, key = '', text = '']) => [bare(key), bare(text)]))
}
