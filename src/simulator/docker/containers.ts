// Containers of the simulated Docker: created, listed, started, waited for and removed.
import {randomBytes} from 'node:crypto'

import {json, type ModelRequest, type ModelResponse, type Stage} from '../model.js'
import type {DockerContainer, World} from '../world.js'
import {DockerRefusal, empty, isTrue} from './answer.js'
import {commandLine, runCommand} from './commands.js'
import {demandImage} from './images.js'
import {buildOf} from './pull.js'

const START_MS = 2000
const POLL_MS = 1000
const STREAMS = {stderr: 2, stdout: 1} as const

/** The default command of a Windows base image. */
const SHELL = 'c:\\windows\\system32\\cmd.exe'

interface CreateBody {
  readonly Cmd?: string[]
  readonly Image?: string
  readonly Labels?: Record<string, string>
}

export function createContainer(world: World, {body, query}: ModelRequest): ModelResponse {
  const asked = parse(body)
  if (!asked.Image) throw new DockerRefusal(400, 'No command specified')
  const image = demandImage(world, asked.Image)
  const id = randomBytes(32).toString('hex')
  const name = query.get('name') ?? `quiet_host_${id.slice(0, 6)}`
  const taken = world.docker.containers.find((one) => one.name === name)
  if (taken) {
    const advice = 'You have to remove (or rename) that container to be able to reuse that name.'
    throw new DockerRefusal(
      409,
      `Conflict. The container name "/${name}" is already in use by container "${taken.id}". ${advice}`,
    )
  }

  const command = asked.Cmd?.length ? asked.Cmd : (image.command ?? [SHELL])
  const labels = {...image.labels, ...asked.Labels}
  world.docker.containers.push({command, exitCode: 0, id, image: image.id, labels, name, state: 'created'})
  return json(201, {Id: id, Warnings: []})
}

export function listContainers({docker}: World, query: URLSearchParams): ModelResponse {
  const isAll = isTrue(query.get('all'))
  const {label: wanted = []} = JSON.parse(query.get('filters') || '{}') as {label?: string[]}
  const fits = ({labels}: DockerContainer): boolean =>
    wanted.every((filter) => {
      const [key = '', value] = filter.split(/=(.*)/s)
      return key in labels && (value === undefined || labels[key] === value)
    })
  const shown = docker.containers.filter((one) => (isAll || one.state === 'running') && fits(one))
  return json(
    200,
    shown.map((one) => ({...listedContainer(one), Image: imageNameOf(docker, one)})),
  )
}

const imageNameOf = ({images}: World['docker'], {image}: DockerContainer): string =>
  images.find(({id}) => id === image)?.tags[0] ?? image

export const listedContainer = ({id, image, labels, name, state}: DockerContainer) => ({
  Id: id,
  ImageID: image,
  Labels: labels,
  Names: [`/${name}`],
  State: state,
  Status: state,
})

export async function startContainer(stage: Stage, reference: string): Promise<ModelResponse> {
  const container = demandContainer(stage.world, reference)
  if (container.state === 'running') return empty(304)
  await stage.elapse(START_MS)
  assertFitsHost(stage.world, container)
  const {command = [SHELL], image} = container
  const osVersion = stage.world.docker.images.find(({id}) => id === image)?.osVersion ?? ''
  const ended = runCommand(command, osVersion)
  if (!ended) throw notStarted(container, command)
  container.output = [...(container.output ?? []), ...ended.output]
  container.exitCode = ended.exitCode ?? 0
  container.state = ended.exitCode === undefined ? 'running' : 'exited'
  return empty(204)
}

/** moby/moby#40128 has the text; daemon/start.go makes it a 400 and the exit code 127. */
function notStarted(container: DockerContainer, command: readonly string[]): DockerRefusal {
  const extra = JSON.stringify({CommandLine: commandLine(command), WorkingDirectory: 'C:\\', ConsoleSize: [0, 0]})
  container.exitCode = 127
  container.error = `container ${container.id} encountered an error during hcsshim::System::CreateProcess: failure in a Windows system call: The system cannot find the file specified. (0x2) extra info: ${extra}`
  return new DockerRefusal(400, container.error)
}

/**
 * The build, not the patch level, must be the host's; only Windows Server 2025 runs images of 2022 too (docs/facts.md#windows-builds,
 * gitlab-runner!5170).
 */
export function fitsHost(osVersion: string, host: number): boolean {
  const build = buildOf(osVersion)
  return build === host || (host === 26_100 && build === 20_348)
}

/**
 * The text is that of Docker 19.03 and newer, which no longer gives the code 0xc0370101 (microsoft/service-fabric#1000).
 */
export function assertFitsHost({docker, os}: World, container: Pick<DockerContainer, 'id' | 'image'>): void {
  const image = docker.images.find(({id}) => id === container.image)
  if (!image || fitsHost(image.osVersion, os.build)) return
  const extra = JSON.stringify({SystemType: 'Container', Name: container.id, Owner: 'docker', HvPartition: false})
  throw new DockerRefusal(
    500,
    `hcsshim::CreateComputeSystem ${container.id}: The container operating system does not match the host operating system.\n(extra info: ${extra})`,
  )
}

/** Returns when it has ended. Containers end with the engine. */
export async function waitForContainer(
  stage: Stage,
  reference: string,
  isEngineUp: () => boolean,
): Promise<ModelResponse> {
  const container = demandContainer(stage.world, reference)
  while (container.state === 'running' && isEngineUp()) await stage.elapse(POLL_MS)
  container.state = 'exited'
  const {error, exitCode} = container
  return json(200, {Error: error === undefined ? null : {Message: error}, StatusCode: exitCode})
}

/** Without a terminal the streams come in frames: one byte for the stream, three zeros, four bytes for the length. */
export function containerLogs(world: World, reference: string, query: URLSearchParams): ModelResponse {
  const wanted = (['stderr', 'stdout'] as const).filter((stream) => isTrue(query.get(stream)))
  if (wanted.length === 0) throw new DockerRefusal(400, 'Bad parameters: you must choose at least one stream')
  const {output = []} = demandContainer(world, reference)
  const frames = output
    .filter(({stream}) => wanted.includes(stream))
    .map(({stream, text}) => {
      const content = Buffer.from(text)
      const head = Buffer.alloc(8)
      head[0] = STREAMS[stream]
      head.writeUInt32BE(content.length, 4)
      return Buffer.concat([head, content])
    })
  return {body: piecesOf(frames), status: 200}
}

async function* piecesOf(pieces: readonly Buffer[]): AsyncIterable<Buffer> {
  yield* pieces
}

export function removeContainer(world: World, reference: string, query: URLSearchParams): ModelResponse {
  const container = demandContainer(world, reference)
  if (container.state === 'running' && !isTrue(query.get('force'))) {
    const advice = 'Stop the container before attempting removal or force remove'
    throw new DockerRefusal(409, `You cannot remove a running container ${container.id}. ${advice}`)
  }

  container.state = 'exited'
  world.docker.containers.splice(world.docker.containers.indexOf(container), 1)
  return empty(204)
}

export function demandContainer({docker}: World, reference: string): DockerContainer {
  const found = docker.containers.find(({id, name}) => name === reference || id.startsWith(reference))
  if (!found) throw new DockerRefusal(404, `No such container: ${reference}`)
  return found
}

function parse(body: Buffer): CreateBody {
  try {
    return JSON.parse(body.toString('utf8')) as CreateBody
  } catch {
    // The decoder's error; moby answers it with 500.
    throw new DockerRefusal(500, body.length === 0 ? 'EOF' : 'unexpected EOF')
  }
}
