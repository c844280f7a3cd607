// The containerd of a twin at its start: version, images and sandboxes, as crictl reports them.
import {ProgramNotFoundError, type Run} from '../../machine/run.js'
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
  readonly pipe: string
  /** Of one that was there before, and that no crictl may have been installed for yet. */
  readonly presentVersion?: string
}

type Pod = Seen<typeof listedPod>
type Container = Seen<typeof listedContainer>
type Image = Seen<typeof listedImage>
type Inspected = {readonly info?: Seen<typeof verboseInfo>}

class NotAnswered extends Error {}

/** Without crictl, or where containerd does not answer it, there is none. */
export async function seedContainerd(run: Run, files: CrictlFiles | undefined): Promise<ContainerdState> {
  if (!files) return makeContainerd()
  const asking =
    (...before: readonly string[]) =>
    async (...args: readonly string[]): Promise<string> => {
      const options = {deadlineMs: DEADLINE_MS, effect: 'read'} as const
      const {exitCode, stdout} = await run(files.crictl, [...before, ...args], options)
      if (exitCode !== 0) throw new NotAnswered()
      return stdout
    }

  try {
    let ask = asking('--config', files.crictlConfig)
    const answer = await ask('version').catch((error: unknown) => {
      if (!(error instanceof NotAnswered)) throw error
      // Its file may be missing or changed; flags win over any other that crictl finds.
      ask = asking('-r', files.endpoint, '-i', files.endpoint, '-t', '30s')
      return ask('version')
    })
    const version = /^RuntimeVersion: +(\S+)/m.exec(answer)?.[1] ?? ''
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
  } catch (error) {
    const isAbsent =
      error instanceof NotAnswered || error instanceof ProgramNotFoundError || error instanceof SyntaxError
    const {presentVersion: version} = files
    const isUnseen = error instanceof ProgramNotFoundError && version !== undefined
    if (isUnseen) return {...makeContainerd(), assumesTags: true, installed: true, running: true, version}
    if (isAbsent) return {...makeContainerd(), assumesTags: true}
    throw error
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
        if (error instanceof ProgramNotFoundError) return {exitCode: 1, stdout: ''}
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
