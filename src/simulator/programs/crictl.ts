// crictl.exe 1.36 (kubernetes-sigs/cri-tools, cmd/crictl): its configuration, its connection to the runtime, and the
// commands that k8s-win uses. Answers are compared with recordings (test/transcripts/crictl).
import {win32} from 'node:path'
import {parse} from 'yaml'

import {remembered} from '../../machine/remembered.js'
import {criProblem} from '../containerd/cri-endpoint.js'
import {type FlagSet, flagSet} from '../daemons/flags.js'
import type {ProgramOutput, ProgramStart, Stage} from '../model.js'
import {imageFsInfo, inspectImages, listImages, pull, removeImages} from './crictl-images.js'
import {listContainers, listPods, removePods, runtimeInfo} from './crictl-pods.js'
import {type Call, Failure, failed, makePrinter, parseInvocation} from './go-program.js'

interface Command {
  readonly flags: FlagSet
  readonly run: (call: Call) => Promise<void> | void
  readonly service: 'image' | 'runtime'
}

const ALIASES = {
  a: 'all',
  f: 'force',
  i: 'image-endpoint',
  o: 'output',
  r: 'runtime-endpoint',
  t: 'timeout',
}
const GLOBAL = flagSet({
  duration: 'timeout',
  string: 'config image-endpoint runtime-endpoint',
})
const COMMANDS: Readonly<Record<string, Command>> = {
  imagefsinfo: {flags: flagSet({string: 'output'}), run: imageFsInfo, service: 'image'},
  images: {flags: flagSet({string: 'output'}), run: listImages, service: 'image'},
  info: {flags: flagSet({string: 'output'}), run: runtimeInfo, service: 'runtime'},
  inspecti: {flags: flagSet({string: 'output'}), run: inspectImages, service: 'image'},
  pods: {flags: flagSet({string: 'output'}), run: listPods, service: 'runtime'},
  ps: {flags: flagSet({bool: 'all', string: 'output'}), run: listContainers, service: 'runtime'},
  pull: {flags: flagSet(), run: pull, service: 'image'},
  rmi: {flags: flagSet({bool: 'all'}), run: removeImages, service: 'image'},
  rmp: {flags: flagSet({bool: 'all force'}), run: removePods, service: 'runtime'},
  version: {flags: flagSet(), run: version, service: 'runtime'},
}
const DEFAULT_TIMEOUT_MS = 2000

export async function runCrictl(stage: Stage, start: ProgramStart): Promise<ProgramOutput> {
  const printer = makePrinter(stage)
  try {
    const global = parseInvocation(start.args, GLOBAL, ALIASES)
    const [name = '', ...rest] = global.rest
    const command = COMMANDS[name]
    if (!command) return {exitCode: 3, stdout: `No help topic for '${name}'\n`}
    const settings = await readSettings(stage, start, global.flags)
    const given = parseInvocation(rest, command.flags, ALIASES)
    await connect(stage, command.service, settings)
    await command.run({...given, printer, stage})
    return printer.output(0)
  } catch (error) {
    return failed(printer, error, (message) => printer.log('fatal', message))
  }
}

interface Settings {
  /** By service; undefined where nothing names one. */
  readonly endpoints: Readonly<Record<Command['service'], string | undefined>>
  readonly timeoutMs: number
}

/** Flags and variables win over the file (pkg/common/config.go). Without --config it would look for one, which is not simulated. */
async function readSettings(
  stage: Stage,
  {env, program}: ProgramStart,
  flags: ReadonlyMap<string, string>,
): Promise<Settings> {
  const path = flags.get('config')
  const options = path === undefined ? {} : await readOptions(stage, program, path)
  const runtime = flags.get('runtime-endpoint') ?? env['CONTAINER_RUNTIME_ENDPOINT'] ?? options['runtime-endpoint']
  const image = flags.get('image-endpoint') ?? env['IMAGE_SERVICE_ENDPOINT'] ?? options['image-endpoint']
  const seconds = Number(/^(\d+)s$/.exec(flags.get('timeout') ?? '')?.[1] ?? options['timeout'] ?? 0)
  return {
    endpoints: {image: image || runtime || undefined, runtime: runtime || undefined},
    timeoutMs: seconds > 0 ? seconds * 1000 : DEFAULT_TIMEOUT_MS,
  }
}

const OPTIONS = [
  'debug',
  'disable-pull-on-run',
  'image-endpoint',
  'pull-image-on-create',
  'runtime-endpoint',
  'timeout',
]

/** Every call of crictl reads the same file. */
const parsed = remembered((text): unknown => parse(text))

async function readOptions(
  {files}: Stage,
  program: string,
  path: string,
): Promise<Readonly<Record<string, string | undefined>>> {
  const refuse = (why: string): Failure => new Failure(`load config file: ${why}`)
  const bytes = await files.read(path)
  // It is also looked for beside the program, where k8s-win puts none.
  const beside = win32.join(win32.dirname(program), 'crictl.yaml')
  if (!bytes) throw refuse(`CreateFile ${beside}: The system cannot find the file specified.`)
  let value: unknown
  try {
    value = parsed(bytes.toString('utf8'))
  } catch (error) {
    throw refuse(`yaml: ${(error as Error).message.split('\n')[0]}`)
  }

  const entries = Object.entries((value ?? {}) as Record<string, unknown>)
  const unknown = entries.find(([name]) => !OPTIONS.includes(name))
  if (unknown) throw refuse(`Config option '${unknown[0]}' is not valid`)
  const options = Object.fromEntries(entries.map(([name, one]) => [name, String(one)]))
  const {timeout = '0'} = options
  if (/^[+-]?\d+$/.test(timeout)) return options
  const parsing = `strconv.Atoi: parsing ${JSON.stringify(timeout)}: invalid syntax`
  throw refuse(`parsing config option 'timeout': ${parsing}`)
}

/** Where no endpoint is named, known pipes are tried, which is not simulated. */
async function connect(stage: Stage, service: Command['service'], {endpoints, timeoutMs}: Settings): Promise<void> {
  const {administrator} = stage.world.os
  const problem = criProblem(stage.world, service, endpoints[service] ?? '', administrator)
  if (problem?.isTimeout) await stage.elapse(timeoutMs)
  if (problem) throw new Failure(problem.message)
}

function version({printer, stage}: Call): void {
  const {containerd} = stage.world
  const lines = [
    ['Version', '0.1.0'],
    ['RuntimeName', 'containerd'],
    ['RuntimeVersion', containerd.version ?? ''],
    ['RuntimeApiVersion', 'v1'],
  ]
  printer.write(lines.map(([name, value]) => `${name}:  ${value}\n`).join(''))
}
