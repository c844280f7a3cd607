// ctr.exe (containerd cmd/ctr): names of images, what is in the content store, and containers without a pod. Only the
// commands and flags that k8s-win uses.
import {forgetName, imageNamed, imagesIn, nameImage, namesOf} from '../containerd/images.js'
import {blobsIn, ingestsIn} from '../containerd/content.js'
import {pipeOwner} from '../containerd/lifetime.js'
import {KUBERNETES_NAMESPACE} from '../containerd/state.js'
import {type FlagSet, flagSet} from '../daemons/flags.js'
import {runCommand} from '../docker/commands.js'
import {fitsHost} from '../docker/containers.js'
import type {ProgramOutput, ProgramStart, Stage} from '../model.js'
import {isAtLeast} from '../versions.js'
import {type Call, decimalSize, Failure, failed, makePrinter, parseInvocation, tabbed} from './go-program.js'

interface CtrCall extends Call {
  readonly namespace: string
  /** Of ctr itself. */
  readonly version: string
}

interface Command {
  readonly flags: FlagSet
  /** The exit code, where it is not 0. */
  readonly run: (call: CtrCall) => Promise<number | void> | number | void
}

const ALIASES = {n: 'namespace', q: 'quiet'}
const GLOBAL = flagSet({string: 'address namespace'})
/** client.New waits this long for the daemon of 1.x. */
const DIAL_MS = 10_000
const START_MS = 2000
/** The age of everything: k8s-win does not read it. */
const AGE = 'Less than a second'
/** Of the first task: k8s-win does not read it. */
const FIRST_TASK = 4000
const DEFAULT_ADDRESS = String.raw`\\.\pipe\containerd-containerd`

const COMMANDS: Readonly<Record<string, Command>> = {
  'content active': {flags: flagSet(), run: listIngests},
  'content get': {flags: flagSet(), run: printBlob},
  'content ls': {flags: flagSet({bool: 'quiet'}), run: listBlobs},
  'containers ls': {flags: flagSet({bool: 'quiet'}), run: listContainers},
  'containers rm': {flags: flagSet(), run: removeContainers},
  'images ls': {flags: flagSet({bool: 'quiet'}), run: listImages},
  'images rm': {flags: flagSet(), run: removeImages},
  'namespaces ls': {flags: flagSet({bool: 'quiet'}), run: listNamespaces},
  'images tag': {flags: flagSet({bool: 'force'}), run: tagImage},
  run: {flags: flagSet({bool: 'rm'}), run: runContainer},
  'tasks ls': {flags: flagSet(), run: listTasks},
  'tasks rm': {flags: flagSet({bool: 'force'}), run: removeTasks},
}

export async function runCtr(stage: Stage, {args, version}: ProgramStart): Promise<ProgramOutput> {
  const printer = makePrinter(stage)
  try {
    const global = parseInvocation(args, GLOBAL, ALIASES)
    const [first = '', second = ''] = global.rest
    const name = first === 'run' ? first : `${first} ${second}`
    const command = COMMANDS[name]
    if (!command) return {exitCode: 3, stdout: `No help topic for '${name}'\n`}
    const given = parseInvocation(global.rest.slice(name.split(' ').length), command.flags, ALIASES)
    const call: CtrCall = {...given, namespace: global.flags.get('namespace') ?? 'default', printer, stage, version}
    await connect(call, global.flags.get('address') ?? DEFAULT_ADDRESS)
    return printer.output((await command.run(call)) ?? 0)
  } catch (error) {
    return failed(printer, error, (message) => printer.warn(`ctr: ${message}`))
  }
}

/** cmd/ctr/commands/client.go: since 2.0 the pipe must exist; before, ctr waits for it. */
async function connect({stage, version}: CtrCall, address: string): Promise<void> {
  const owner = pipeOwner(stage.world, address)
  const isNew = isAtLeast(version, '2.0')
  if (owner === undefined && isNew) {
    throw new Failure(
      `cannot access socket ${address}: CreateFile ${address}: The system cannot find the file specified.`,
    )
  }

  if (owner === 'containerd' && stage.world.os.administrator) return
  if (owner === 'containerd') {
    // Since 2.0 the first call connects, and its error has the form of errgrpc.ToNative (containerd/errdefs).
    const denied = `open ${isNew ? address.replaceAll('\\', '/') : address}: Access is denied.`
    throw new Failure(
      isNew
        ? `connection error: desc = "transport: Error while dialing: ${denied}": unavailable`
        : `failed to dial ${JSON.stringify(address)}: ${denied}`,
    )
  }

  await stage.elapse(DIAL_MS)
  const dialled = `npipe://${address.replaceAll('\\', '/')}`
  const reason = `connection error: desc = "transport: error while dialing: dial ${dialled}: timeout"`
  throw new Failure(`failed to dial ${JSON.stringify(address)}: context deadline exceeded: ${reason}`)
}

/** With --force a name of another image moves. */
function tagImage({namespace, printer, rest, stage}: CtrCall): void {
  const [source = '', target = ''] = rest
  const image = imageNamed(stage.world, source, namespace)
  if (!image) throw new Failure(`image ${JSON.stringify(source)}: not found`)
  nameImage(stage.world, image, target)
  printer.write(`${target}\n`)
}

/** cmd/ctr/commands/content: columns end with tabs, and sizes are those of docker/go-units. */
function listIngests({namespace, printer, stage}: CtrCall): void {
  const rows = ingestsIn(stage.world, namespace).map(({bytes, ref}) => [ref, decimalSize(bytes), AGE, ''])
  printer.write(tabbed([['REF', 'SIZE', 'AGE', ''], ...rows]))
}

function listBlobs({flags, namespace, printer, stage}: CtrCall): void {
  const blobs = blobsIn(stage.world, namespace)
  if (flags.has('quiet')) return printer.write(blobs.map(({digest}) => `${digest}\n`).join(''))
  const rows = blobs.map(({digest, labels, size}) => {
    const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`)
    return [digest, decimalSize(size), AGE, pairs.sort().join(',') || '-']
  })
  printer.write(tabbed([['DIGEST', 'SIZE', 'AGE', 'LABELS'], ...rows]))
}

function printBlob({namespace, printer, rest, stage}: CtrCall): void {
  const [digest = ''] = rest
  if (!/^sha256:[\da-f]{64}$/.test(digest)) throw new Failure('invalid checksum digest format')
  const blob = blobsIn(stage.world, namespace).find((one) => one.digest === digest)
  if (!blob) throw new Failure(`content digest ${digest}: not found`)
  if (blob.text === undefined) throw new Failure(`the content of ${digest} is not simulated`)
  printer.write(blob.text)
}

/** Only what k8s-win reads is simulated. */
function printNames({flags, printer}: CtrCall, names: readonly string[]): void {
  if (!flags.has('quiet')) throw new Failure('a table is not simulated')
  printer.write(names.map((name) => `${name}\n`).join(''))
}

function listImages(call: CtrCall): void {
  printNames(call, imagesIn(call.stage.world, call.namespace).flatMap(namesOf))
}

/** Those that have something in them; the CRI makes its own when it starts (internal/cri/constants). */
function listNamespaces(call: CtrCall): void {
  const {containers = [], images} = call.stage.world.containerd
  const all = [...containers, ...images].map(({namespace = KUBERNETES_NAMESPACE}) => namespace)
  printNames(call, [...new Set([KUBERNETES_NAMESPACE, ...all])].sort())
}

/** A name that does not exist is only logged. */
function removeImages({namespace, printer, rest, stage}: CtrCall): void {
  for (const name of rest) {
    const image = imageNamed(stage.world, name, namespace)
    if (!image) {
      printer.log('warning', `${name}: image not found`)
      continue
    }

    forgetName(stage.world, image, name)
    printer.write(`${name}\n`)
  }
}

async function runContainer({flags, namespace, printer, rest, stage}: CtrCall): Promise<number | void> {
  const {containerd, os} = stage.world
  const [reference = '', id = '', ...command] = rest
  const image = imageNamed(stage.world, reference, namespace)
  if (!image) throw new Failure(`image ${JSON.stringify(reference)}: not found`)
  const containers = (containerd.containers ??= [])
  if (containers.some((one) => one.id === id && one.namespace === namespace)) {
    throw new Failure(`snapshot ${JSON.stringify(id)}: already exists`)
  }

  containers.push({id, image: reference, namespace})
  // A client that is ended here leaves the container.
  await stage.elapse(START_MS)
  const forget = (): void => {
    containerd.containers = containerd.containers?.filter((one) => one.id !== id || one.namespace !== namespace) ?? []
  }
  if (flags.has('rm')) forget()
  if (!fitsHost(image.osVersion, os.build)) {
    const mismatch = 'The container operating system does not match the host operating system.'
    throw new Failure(`failed to create shim task: hcs::CreateComputeSystem ${id}: ${mismatch}: unknown`)
  }

  const ended = runCommand(command.length > 0 ? command : ['cmd'], image.osVersion)
  if (!ended) {
    const reason = 'The system cannot find the file specified.: unknown'
    throw new Failure(`failed to start container: hcs::System::CreateProcess ${id}: ${reason}`)
  }

  for (const {stream, text} of ended.output) {
    if (stream === 'stdout') printer.write(text)
    else printer.warn(text.trimEnd())
  }

  return ended.exitCode ?? 0
}

const containersOf = ({namespace, stage}: CtrCall): {readonly id: string}[] => [
  ...(stage.world.containerd.containers ?? []).filter((one) => one.namespace === namespace),
  ...(namespace === KUBERNETES_NAMESPACE ? stage.world.containerd.sandboxes : []),
]

function listContainers(call: CtrCall): void {
  printNames(
    call,
    containersOf(call).map(({id}) => id),
  )
}

function removeContainers(call: CtrCall): void {
  const {namespace, printer, rest, stage} = call
  const {containerd} = stage.world
  let problem: string | undefined
  for (const id of rest) {
    if (!containersOf(call).some((one) => one.id === id)) {
      const reason = `container ${JSON.stringify(id)} in namespace ${JSON.stringify(namespace)}: not found`
      printer.log('error', `failed to delete container ${JSON.stringify(id)}`, {error: reason})
      problem ??= reason
      continue
    }

    containerd.containers = (containerd.containers ?? []).filter((one) => one.id !== id)
  }

  if (problem !== undefined) throw new Failure(problem)
}

/** cmd/ctr/commands/tasks/list.go: columns are four blanks apart, and only the heading has an end. */
function listTasks({namespace, printer, stage}: CtrCall): void {
  const {containers = [], sandboxes} = stage.world.containerd
  const alive = sandboxes.filter(({state}) => state === 'SANDBOX_READY')
  const inside = alive.flatMap((pod) => [
    pod.id,
    ...pod.containers.filter(({state}) => state === 'CONTAINER_RUNNING').map(({id}) => id),
  ])
  const ids = [
    ...containers.filter((one) => one.isRunning && one.namespace === namespace).map(({id}) => id),
    ...(namespace === KUBERNETES_NAMESPACE ? inside : []),
  ]
  const width = Math.max(...['TASK', ...ids].map(({length}) => length)) + 4
  const rows = ids.map((id, index) => `${id.padEnd(width)}${FIRST_TASK + index}    RUNNING`)
  printer.write([`${'TASK'.padEnd(width)}PID     STATUS    `, ...rows].map((row) => `${row}\n`).join(''))
}

/** The task of a container that ended is gone. */
function removeTasks(call: CtrCall): void {
  for (const id of call.rest) {
    if (containersOf(call).some((one) => one.id === id)) continue
    const reason = `container ${JSON.stringify(id)} in namespace ${JSON.stringify(call.namespace)}: not found`
    throw new Failure(reason)
  }
}
