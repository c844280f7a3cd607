// The containerd of a twin at its start: version, images and sandboxes, as crictl reports them.
import {DeadlineError} from '../../machine/clock.js'
import {
  ProgramNotFoundError,
  ProgramNotStartedError,
  ProgramOutputError,
  type Run,
  type RunResult,
} from '../../machine/run.js'
import {shimBeside} from '../containerd/lifetime.js'
import {
  type ContainerdContainer,
  type ContainerdImage,
  type ContainerdSandbox,
  type ContainerdState,
  KUBERNETES_NAMESPACE,
  makeContainerd,
} from '../containerd/state.js'
import type {Seen} from '../model.js'
import type {listedImage, verboseInfo} from '../programs/crictl-images.js'
import type {listedContainer, listedPod} from '../programs/crictl-pods.js'

const DEADLINE_MS = 60_000

/** Where crictl and its configuration are on the host. */
export interface CrictlFiles {
  readonly crictl: string
  readonly crictlConfig: string
  readonly ctr: string
  /** npipe:////./pipe/… */
  readonly endpoint: string
  /** Whether containerd is known not to serve, as a run judges it. */
  isSilent(): Promise<boolean>
  readonly pipe: string
  /** Of the containerd that the node has: assumed where crictl cannot be run. */
  readonly version: string
}

/** The answer of the host's crictl to everything, where it does not show whether containerd serves. */
export type Unanswered = () => RunResult

export interface SeededContainerd {
  readonly state: ContainerdState
  readonly unanswered?: Unanswered
}

type Pod = Seen<typeof listedPod>
type Container = Seen<typeof listedContainer>
type Image = Seen<typeof listedImage>
type Inspected = {readonly info?: Seen<typeof verboseInfo>}

class NotAnswered extends Error {
  constructor(readonly result: RunResult) {
    super()
  }
}

/**
 * Without crictl, or where containerd is known not to serve, there is none. Where it may well serve, it runs, and what it
 * holds is not known: otherwise the plan would restart it, which ends its pods, and the run would not.
 */
export async function seedContainerd(run: Run, files: CrictlFiles | undefined): Promise<SeededContainerd> {
  if (!files) return {state: makeContainerd()}
  let version: string | undefined
  try {
    const {ask, answer} = await connect(run, files)
    version = /^RuntimeVersion: +(\S+)/m.exec(answer.stdout)?.[1]
    if (version === undefined) throw new NotAnswered(answer)
    return {state: await seedState(run, files, ask, version)}
  } catch (error) {
    if (!isUnanswered(error)) throw error
    if (version === undefined && (await files.isSilent())) return {state: {...makeContainerd(), assumesTags: true}}
    const unseen = {assumesTags: true, installed: true, running: true, unseen: true} as const
    const state = {...makeContainerd(), ...unseen, version: version ?? files.version}
    const isReplayed = version === undefined && !(error instanceof ProgramNotFoundError)
    return {state, ...(isReplayed && {unanswered: () => again(error)})}
  }
}

const isUnanswered = (error: unknown): error is Error =>
  [DeadlineError, NotAnswered, ProgramNotFoundError, ProgramNotStartedError, ProgramOutputError, SyntaxError].some(
    (kind) => error instanceof kind,
  )

function again(error: Error): RunResult {
  if (error instanceof NotAnswered) return error.result
  throw error
}

type Ask = (...args: readonly string[]) => Promise<string>

async function connect(run: Run, files: CrictlFiles): Promise<{answer: RunResult; ask: Ask}> {
  const asking =
    (...before: readonly string[]) =>
    async (...args: readonly string[]): Promise<RunResult> => {
      const result = await run(files.crictl, [...before, ...args], {deadlineMs: DEADLINE_MS, effect: 'read'})
      if (result.exitCode !== 0) throw new NotAnswered(result)
      return result
    }
  const textOf =
    (asked: ReturnType<typeof asking>): Ask =>
    async (...args) =>
      (await asked(...args)).stdout

  const plain = asking('--config', files.crictlConfig)
  try {
    return {answer: await plain('version'), ask: textOf(plain)}
  } catch (error) {
    if (!(error instanceof NotAnswered)) throw error
    // Its file may be missing or changed; flags win over any other that crictl finds.
    const flagged = asking('-r', files.endpoint, '-i', files.endpoint, '-t', '30s')
    return {answer: await flagged('version'), ask: textOf(flagged)}
  }
}

async function seedState(run: Run, files: CrictlFiles, ask: Ask, version: string): Promise<ContainerdState> {
  const listed = (JSON.parse(await ask('images', '-o', 'json')) as {images?: Image[]}).images ?? []
  const images: ContainerdImage[] = []
  for (const image of listed) {
    images.push(imageOf(image, JSON.parse(await ask('inspecti', '-o', 'json', image.id ?? '')) as Inspected))
  }

  const pods = (JSON.parse(await ask('pods', '-o', 'json')) as {items?: Pod[]}).items ?? []
  const containers = (JSON.parse(await ask('ps', '-a', '-o', 'json')) as {containers?: Container[]}).containers
  const sandboxes = pods.map((pod) => sandboxOf(pod, containers ?? []))
  const others = await seedNamespaces(run, files, sandboxes)
  return {
    assumesTags: true,
    containers: others.containers,
    images: [...images, ...others.images],
    installed: true,
    openedBy: version,
    running: true,
    sandboxes,
    shim: shimBeside(files.ctr),
    version,
  }
}

/** What only ctr shows: containers that belong to no pod, and other namespaces. */
async function seedNamespaces(
  run: Run,
  {ctr, pipe}: CrictlFiles,
  sandboxes: readonly ContainerdSandbox[],
): Promise<Pick<Required<ContainerdState>, 'containers' | 'images'>> {
  const ask = async (namespace: string, ...command: readonly string[]): Promise<string[]> => {
    const args = ['--address', pipe, '-n', namespace, ...command]
    const {exitCode, stdout} = await run(ctr, args, {deadlineMs: DEADLINE_MS, effect: 'read'}).catch(
      (error: unknown) => {
        if (isUnanswered(error)) return {exitCode: 1, stdout: ''}
        throw error
      },
    )
    return exitCode === 0 ? stdout.split(/\r?\n/).filter((name) => name !== '') : []
  }

  const list = (namespace: string, group: string): Promise<string[]> => ask(namespace, group, 'ls', '-q')
  const running = async (namespace: string): Promise<ReadonlySet<string>> => {
    const rows = (await ask(namespace, 'tasks', 'ls')).filter((row) => /\sRUNNING\s*$/.test(row))
    return new Set(rows.map((row) => row.split(/\s/, 1)[0] ?? ''))
  }
  const known = new Set(sandboxes.flatMap((pod) => [pod.id, ...pod.containers.map(({id}) => id)]))
  const [containers, images]: [Required<ContainerdState>['containers'], ContainerdImage[]] = [[], []]
  for (const namespace of await list(KUBERNETES_NAMESPACE, 'namespaces')) {
    const ids = (await list(namespace, 'containers')).filter((id) => !known.has(id))
    const tasks = ids.length > 0 ? await running(namespace) : new Set<string>()
    containers.push(...ids.map((id) => ({id, image: '', namespace, ...(tasks.has(id) && {isRunning: true})})))
    const names = namespace === KUBERNETES_NAMESPACE ? [] : await list(namespace, 'images')
    images.push(...names.map((name) => ({digests: [], id: '', namespace, osVersion: '', size: 0, tags: [name]})))
  }

  return {containers, images}
}

function imageOf({id, pinned, repoDigests, repoTags, size}: Image, {info}: Inspected): ContainerdImage {
  const {config, ['os.version']: osVersion = ''} = info?.imageSpec ?? {}
  return {
    digests: repoDigests ?? [],
    id: id ?? '',
    ...(config?.Labels && {labels: config.Labels}),
    osVersion,
    ...(pinned && {pinned}),
    size: Number(size ?? 0),
    tags: repoTags ?? [],
  }
}

/** What pods and containers have in common. The CRI counts in nanoseconds. */
const common = ({createdAt, id, labels, metadata}: Container | Pod) => ({
  attempt: metadata?.attempt ?? 0,
  createdAt: Math.floor(Number(createdAt ?? 0) / 1e6),
  id: id ?? '',
  labels: labels ?? {},
  name: metadata?.name ?? '',
})

const sandboxOf = (pod: Pod, all: readonly Container[]): ContainerdSandbox => ({
  ...common(pod),
  containers: all.filter(({podSandboxId}) => podSandboxId === pod.id).map(containerOf),
  namespace: pod.metadata?.namespace ?? '',
  state: pod.state === 'SANDBOX_READY' ? pod.state : 'SANDBOX_NOTREADY',
  uid: pod.metadata?.uid ?? '',
})

const containerOf = (container: Container): ContainerdContainer => ({
  ...common(container),
  image: container.image?.image ?? '',
  imageId: container.imageRef ?? '',
  state: container.state === 'CONTAINER_RUNNING' ? container.state : 'CONTAINER_EXITED',
})
