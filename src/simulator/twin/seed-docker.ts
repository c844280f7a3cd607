// The Docker of a twin at its start: version, images, containers.
import {type Http, HttpError} from '../../machine/http.js'
import type {listedContainer} from '../docker/containers.js'
import type {inspectedImage, listedImage} from '../docker/images.js'
import type {inspected} from '../docker/networks.js'
import type {Seen} from '../model.js'
import type {DockerContainer, DockerImage, DockerState} from '../world.js'

const DEADLINE_MS = 30_000

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
    const listed = await get<Seen<typeof listedImage>[]>('/images/json')
    const images: DockerImage[] = []
    // One at a time, so as not to flood an engine with hundreds of images.
    for (const image of listed)
      images.push(imageOf(image, await get<Seen<typeof inspectedImage>>(`/images/${image.Id}/json`)))
    return {
      apiVersion: engine.ApiVersion,
      assumesTags: true,
      containers: (await get<Seen<typeof listedContainer>[]>('/containers/json?all=1')).map(containerOf),
      images,
      minApiVersion: engine.MinAPIVersion ?? '1.12',
      networks: (await get<Seen<typeof inspected>[]>('/networks')).map(networkOf),
      mode: engine.Os === 'linux' ? 'linux' : 'windows',
      running: true,
      version: engine.Version,
    }
  } catch (error) {
    if (error instanceof HttpError) return ABSENT
    throw error
  }
}

function imageOf(
  {Created, Id, Labels, RepoDigests, RepoTags, Size}: Seen<typeof listedImage>,
  {Config, OsVersion}: Seen<typeof inspectedImage>,
): DockerImage {
  return {
    ...(Config?.Cmd && {command: Config.Cmd}),
    created: new Date((Created ?? 0) * 1000).toISOString(),
    digests: RepoDigests ?? [],
    id: Id ?? '',
    labels: Config?.Labels ?? Labels ?? {},
    osVersion: OsVersion ?? '',
    size: Size ?? 0,
    tags: (RepoTags ?? []).filter((tag) => tag !== '<none>:<none>'),
    ...(Config?.User && {user: Config.User}),
  }
}

const networkOf = ({Driver, Id, Labels, Name}: Seen<typeof inspected>) => ({
  driver: Driver ?? '',
  id: Id ?? '',
  labels: Labels ?? {},
  name: Name ?? '',
})

function containerOf({Id, ImageID, Labels, Names, State}: Seen<typeof listedContainer>): DockerContainer {
  return {
    exitCode: 0,
    id: Id ?? '',
    image: ImageID ?? '',
    labels: Labels ?? {},
    name: (Names?.[0] ?? Id ?? '').replace(/^\//, ''),
    state: State === 'created' || State === 'running' ? State : 'exited',
  }
}
