// Networks of the simulated Docker Engine (moby, api/server/router/network).
import {isAtLeast} from '../versions.js'
import {guidOf} from '../windows/names.js'
import type {World} from '../world.js'
import {json, type ModelRequest, type ModelResponse} from '../model.js'
import {DockerRefusal} from './answer.js'

type Network = NonNullable<World['docker']['networks']>[number]

const networksOf = ({docker}: World): readonly Network[] => docker.networks ?? []
export const inspected = ({driver, id, labels, name}: Network) => ({
  Name: name,
  Id: id,
  Scope: 'local',
  Driver: driver,
  Containers: {},
  Options: {},
  Labels: labels,
})

export const listNetworks = (world: World): ModelResponse => json(200, networksOf(world).map(inspected))

export const inspectNetwork = (world: World, name: string): ModelResponse => json(200, inspected(find(world, name)))

export function createNetwork(world: World, {body}: ModelRequest): ModelResponse {
  const asked = JSON.parse(body.toString('utf8')) as {Driver?: string; Labels?: Record<string, string>; Name?: string}
  const {Driver: driver = 'nat', Labels: labels = {}, Name: name = ''} = asked
  if (networksOf(world).some((one) => one.name === name)) {
    throw new DockerRefusal(409, `network with name ${name} already exists`)
  }

  const id = guidOf(`docker network ${name}`).replaceAll('-', '').toLowerCase().repeat(2)
  world.docker.networks = [...networksOf(world), {driver, id, labels, name}]
  return json(201, {Id: id, Warning: ''})
}

/** moby daemon/daemon_windows.go, initNetworkController: it recreates the networks of HNS, up to 27.4 without labels. */
export function startDocker({docker}: World): void {
  docker.running = true
  if (isAtLeast(docker.version, '27.5')) return
  docker.networks &&= docker.networks.map((network) => ({...network, labels: {}}))
}

export function removeNetwork(world: World, name: string): ModelResponse {
  const found = find(world, name)
  world.docker.networks = networksOf(world).filter((one) => one !== found)
  return {body: '', status: 204}
}

function find(world: World, name: string): Network {
  const found = networksOf(world).find((one) => one.name === name || one.id === name)
  if (!found) throw new DockerRefusal(404, `network ${name} not found`)
  return found
}
