// What the simulated Docker tells about containers: the list, and one of them.
import type {ModelResponse} from '../model.js'
import type {DockerContainer, World} from '../world.js'
import {json} from './answer.js'
import {demandContainer, isTrue} from './containers.js'

export function listContainers({docker}: World, query: URLSearchParams): ModelResponse {
  const isAll = isTrue(query.get('all'))
  const wanted = labelFilters(query.get('filters'))
  const fits = ({labels}: DockerContainer): boolean =>
    wanted.every((filter) => {
      const [key = '', value] = filter.split(/=(.*)/s)
      return key in labels && (value === undefined || labels[key] === value)
    })
  const shown = docker.containers.filter((one) => (isAll || one.state === 'running') && fits(one))
  return json(
    200,
    shown.map(({id, image, labels, name, state}) => ({
      Id: id,
      Image: docker.images.find((one) => one.id === image)?.tags[0] ?? image,
      ImageID: image,
      Labels: labels,
      Names: [`/${name}`],
      State: state,
      Status: state,
    })),
  )
}

export function inspectContainer(world: World, reference: string): ModelResponse {
  const {exitCode, id, image, isolation, labels, name, state} = demandContainer(world, reference)
  return json(200, {
    Config: {Image: image, Labels: labels},
    HostConfig: {Isolation: isolation ?? 'default'},
    Id: id,
    Image: image,
    Name: `/${name}`,
    State: {Error: '', ExitCode: exitCode, Running: state === 'running', Status: state},
  })
}

/** {"label": ["a=b"]}, and the older {"label": {"a=b": true}}. */
function labelFilters(filters: string | null): string[] {
  const {label = []} = JSON.parse(filters || '{}') as {label?: Record<string, boolean> | string[]}
  return Array.isArray(label) ? label : Object.keys(label)
}
