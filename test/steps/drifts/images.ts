// What happens to Docker and its images.
import type {World} from '../../../src/simulator/world.js'
import {type Drift, inWorld} from './drift.js'

const NANOSERVER = 'mcr.microsoft.com/windows/nanoserver'
const SERVERCORE = 'mcr.microsoft.com/windows/servercore'
const PAUSE = 'kubeletwin/pause:latest'

const SOMEBODY = `sha256:${'ab'.repeat(32)}`

export const imageOfSomebody = (tag: string, osVersion = '10.0.17763.1'): World['docker']['images'][number] => ({
  created: '2020-01-01T00:00:00.000Z',
  id: SOMEBODY,
  labels: {},
  osVersion,
  size: 1,
  tags: [tag],
})

function untag(world: World, tag: string): void {
  for (const image of world.docker.images) image.tags = image.tags.filter((one) => one !== tag)
  world.docker.images = world.docker.images.filter((image) => image.tags.length > 0)
}

const moved = (tag: string, osVersion?: string): Drift =>
  inWorld(`${tag} is another image${osVersion === undefined ? '' : `, for ${osVersion}`}`, (world) => {
    untag(world, tag)
    const known = world.docker.images.find(({id}) => id === imageOfSomebody(tag).id)
    if (known) known.tags.push(tag)
    else world.docker.images.push(imageOfSomebody(tag, osVersion))
  })

const gone = (...tags: string[]): Drift =>
  inWorld(`${tags.join(' and ')} gone`, (world) => tags.forEach((tag) => untag(world, tag)))

export const baseImagesDrifts: readonly Drift[] = [
  gone(`${NANOSERVER}:1809`, `${NANOSERVER}:latest`),
  gone(`${SERVERCORE}:ltsc2019`),
  gone(`${NANOSERVER}:latest`),
  moved(`${SERVERCORE}:latest`),
  moved(`${NANOSERVER}:1809`, '10.0.20348.1'),
]

export const pauseImageDrifts: readonly Drift[] = [
  inWorld('review W8: the Docker network host is gone', ({docker}) => void (docker.networks = [])),
  gone(PAUSE),
  inWorld('review W4: the pause image is of an older template', (world) => {
    for (const image of world.docker.images)
      if (image.tags.includes(PAUSE)) {
        image.id = `sha256:${'cd'.repeat(32)}`
        image.labels['k8s-win.template'] = '0123456789abcdef'
      }
  }),
  inWorld('the pause image is for another Windows', (world) => {
    for (const image of world.docker.images) {
      if (image.tags.includes(PAUSE)) Object.assign(image, {id: `sha256:${'ef'.repeat(32)}`, osVersion: '10.0.20348.1'})
    }
  }),
]
