// The containerd of a twin at its start: version, images and sandboxes, as crictl reports them.
import {ProgramNotFoundError, type Run} from '../../machine/run.js'
import type {ContainerdContainer, ContainerdImage, ContainerdSandbox, ContainerdState} from '../containerd/state.js'
import {shimBeside} from '../containerd/lifetime.js'
import {KUBERNETES_NAMESPACE, makeContainerd} from '../containerd/state.js'

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

interface ListedImage {
  readonly id: string
  readonly pinned?: boolean
  readonly repoDigests?: string[]
  readonly repoTags?: string[]
  readonly size?: string
}

interface InspectedImage {
  readonly info?: {
    readonly imageSpec?: {readonly config?: {readonly Labels?: Record<string, string>}; readonly 'os.version'?: string}
  }
}

interface Listed {
  readonly createdAt?: string
  readonly id: string
  readonly labels?: Record<string, string>
  readonly metadata?: {
    readonly attempt?: number
    readonly name?: string
    readonly namespace?: string
    readonly uid?: string
  }
  readonly state: string
}

interface ListedContainer extends Listed {
  readonly image?: {readonly image?: string}
  readonly imageRef?: string
  readonly podSandboxId: string
}

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
    const listed = (JSON.parse(await ask('images', '-o', 'json')) as {images?: ListedImage[]}).images ?? []
    const images: ContainerdImage[] = []
    for (const image of listed) {
      images.push(imageOf(image, JSON.parse(await ask('inspecti', '-o', 'json', image.id)) as InspectedImage))
    }

    const pods = (JSON.parse(await ask('pods', '-o', 'json')) as {items?: Listed[]}).items ?? []
    const containers = (JSON.parse(await ask('ps', '-a', '-o', 'json')) as {containers?: ListedContainer[]}).containers
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
  const list = async (namespace: string, group: string): Promise<string[]> => {
    const args = ['--address', pipe, '-n', namespace, group, 'ls', '-q']
    const {exitCode, stdout} = await run(ctr, args, {deadlineMs: DEADLINE_MS, effect: 'read'}).catch(
      (error: unknown) => {
        if (error instanceof ProgramNotFoundError) return {exitCode: 1, stdout: ''}
        throw error
      },
    )
    return exitCode === 0 ? stdout.split(/\r?\n/).filter((name) => name !== '') : []
  }

  const known = new Set(sandboxes.flatMap((pod) => [pod.id, ...pod.containers.map(({id}) => id)]))
  const [containers, images]: [Required<ContainerdState>['containers'], ContainerdImage[]] = [[], []]
  for (const namespace of await list(KUBERNETES_NAMESPACE, 'namespaces')) {
    const ids = (await list(namespace, 'containers')).filter((id) => !known.has(id))
    containers.push(...ids.map((id) => ({id, image: '', namespace})))
    const names = namespace === KUBERNETES_NAMESPACE ? [] : await list(namespace, 'images')
    images.push(...names.map((name) => ({digests: [], id: '', namespace, osVersion: '', size: 0, tags: [name]})))
  }

  return {containers, images}
}

function imageOf({id, pinned, repoDigests, repoTags, size}: ListedImage, {info}: InspectedImage): ContainerdImage {
  const {config, ['os.version']: osVersion = ''} = info?.imageSpec ?? {}
  return {
    digests: repoDigests ?? [],
    id,
    ...(config?.Labels && {labels: config.Labels}),
    osVersion,
    ...(pinned && {pinned}),
    size: Number(size ?? 0),
    tags: repoTags ?? [],
  }
}

/** The CRI counts in nanoseconds. */
const milliseconds = (createdAt = '0'): number => Math.floor(Number(createdAt) / 1e6)

function sandboxOf(
  {createdAt, id, labels = {}, metadata, state}: Listed,
  all: readonly ListedContainer[],
): ContainerdSandbox {
  return {
    attempt: metadata?.attempt ?? 0,
    containers: all.filter(({podSandboxId}) => podSandboxId === id).map(containerOf),
    createdAt: milliseconds(createdAt),
    id,
    labels,
    name: metadata?.name ?? '',
    namespace: metadata?.namespace ?? '',
    state: state === 'SANDBOX_READY' ? state : 'SANDBOX_NOTREADY',
    uid: metadata?.uid ?? '',
  }
}

const containerOf = ({
  createdAt,
  id,
  image,
  imageRef,
  labels,
  metadata,
  state,
}: ListedContainer): ContainerdContainer => ({
  attempt: metadata?.attempt ?? 0,
  createdAt: milliseconds(createdAt),
  id,
  image: image?.image ?? '',
  imageId: imageRef ?? '',
  labels: labels ?? {},
  name: metadata?.name ?? '',
  state: state === 'CONTAINER_RUNNING' ? state : 'CONTAINER_EXITED',
})
