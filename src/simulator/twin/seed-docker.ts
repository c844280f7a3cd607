// The Docker of a twin at its start: version, images, containers.
import {type Http, HttpError} from '../../machine/http.js'
import type {DockerContainer, DockerImage, DockerState} from '../world.js'

const DEADLINE_MS = 30_000

interface Listed {
  readonly Id: string
  readonly Labels?: Record<string, string> | null
}

interface ListedImage extends Listed {
  readonly Created: number
  readonly RepoDigests?: string[] | null
  readonly RepoTags?: string[] | null
  readonly Size: number
}

interface ListedContainer extends Listed {
  readonly ImageID: string
  readonly Names?: string[]
  readonly State: string
}

interface ListedNetwork extends Listed {
  readonly Driver: string
  readonly Name: string
}

interface InspectedImage {
  readonly Config?: {
    readonly Cmd?: string[] | null
    readonly Labels?: Record<string, string> | null
    readonly User?: string
  }
  readonly OsVersion?: string
}

const ABSENT: DockerState = {
  apiVersion: '1.41',
  containers: [],
  images: [],
  minApiVersion: '1.24',
  mode: 'windows',
  running: false,
  version: '',
}

export async function seedDocker(http: Http, pipe: string): Promise<DockerState> {
  const get = async <T>(path: string): Promise<T> => {
    const request = {deadlineMs: DEADLINE_MS, effect: 'read', method: 'GET', pipe, url: `http://docker${path}`} as const
    const {body, status} = await http.request(request)
    if (status !== 200) throw new HttpError(request.url, 'EPROTO', `Docker answered ${status}`)
    return JSON.parse(body.toString('utf8')) as T
  }

  try {
    const engine = await get<{ApiVersion: string; MinAPIVersion?: string; Os: string; Version: string}>('/version')
    const listed = await get<ListedImage[]>('/images/json')
    const images: DockerImage[] = []
    // One at a time, so as not to flood an engine with hundreds of images.
    for (const image of listed) images.push(imageOf(image, await get<InspectedImage>(`/images/${image.Id}/json`)))
    return {
      apiVersion: engine.ApiVersion,
      assumesTags: true,
      containers: (await get<ListedContainer[]>('/containers/json?all=1')).map(containerOf),
      images,
      minApiVersion: engine.MinAPIVersion ?? '1.12',
      networks: (await get<ListedNetwork[]>('/networks')).map(networkOf),
      mode: engine.Os === 'linux' ? 'linux' : 'windows',
      running: true,
      version: engine.Version,
    }
  } catch (error) {
    if (error instanceof HttpError) return ABSENT
    throw error
  }
}

function imageOf(image: ListedImage, {Config: config, OsVersion: osVersion}: InspectedImage): DockerImage {
  return {
    ...(config?.Cmd && {command: config.Cmd}),
    created: new Date(image.Created * 1000).toISOString(),
    digests: image.RepoDigests ?? [],
    id: image.Id,
    labels: config?.Labels ?? image.Labels ?? {},
    osVersion: osVersion ?? '',
    size: image.Size,
    tags: (image.RepoTags ?? []).filter((tag) => tag !== '<none>:<none>'),
    ...(config?.User && {user: config.User}),
  }
}

const networkOf = ({Driver: driver, Id: id, Labels: labels, Name: name}: ListedNetwork) => ({
  driver,
  id,
  labels: labels ?? {},
  name,
})

function containerOf({
  Id: id,
  ImageID: image,
  Labels: labels,
  Names: names = [],
  State: state,
}: ListedContainer): DockerContainer {
  return {
    exitCode: 0,
    id,
    image,
    labels: labels ?? {},
    name: (names[0] ?? id).replace(/^\//, ''),
    state: state === 'created' || state === 'running' ? state : 'exited',
  }
}
