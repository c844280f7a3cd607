// Named pipes and ports, and who serves them. Owner and access list of a service's pipe: what dockerd gives its own (moby,
// daemon/listeners/listeners_windows.go) and containerd its (pkg/sys/socket_windows.go: those of the creator, of whom SYSTEM
// makes Administrators the owner of what it creates).
import type {ConnectionEnds, PipeServer, PortOwner} from '../../machine/win32.js'
import {pipeKey} from '../containerd/lifetime.js'
import {isDockerRunning} from '../docker/engine.js'
import type {Stage} from '../model.js'
import {OTHER_PROGRAM} from './service-process.js'

const OF_SERVICES = 'O:BAD:P(A;;FA;;;SY)(A;;FA;;;BA)'
/** A program that a user started: everybody may speak to it. */
const OTHER: PipeServer = {
  processId: OTHER_PROGRAM.id,
  sddl: 'O:S-1-5-21-1004336348-1177238915-682003330-1001D:(A;;FA;;;WD)',
}
const DOCKER = 'npipe/docker_engine'

export function pipeServer({world}: Stage, path: string): PipeServer | undefined {
  const key = pipeKey(path)
  if (world.os.listening.includes(key)) return OTHER
  const entry =
    key === DOCKER && isDockerRunning(world)
      ? world.services['docker']
      : Object.values(world.services).find(({listening, state}) => state !== 'stopped' && listening?.includes(key))
  return entry && {processId: entry.process?.childProcessId ?? entry.processId, sddl: OF_SERVICES}
}

/** Of a connection of this process to a port of this host: whoever listens there has accepted it. */
export const peerProcess = (stage: Stage, {remote}: ConnectionEnds): number | undefined =>
  portOwners(stage, `tcp/${remote.port}`)[0]?.processId

const EPHEMERAL_PORT = 49_152

/** As this process sees them; undefined where nothing listens. */
export function connectionTo(stage: Stage, address: string, port: number): ConnectionEnds | undefined {
  if (portOwners(stage, `tcp/${port}`).length === 0) return undefined
  return {local: {address, port: EPHEMERAL_PORT}, remote: {address, port}}
}

export function portOwners({world}: Stage, port: string): PortOwner[] {
  const address = '0.0.0.0'
  if (world.os.listening.includes(port)) return [{address, processId: OTHER_PROGRAM.id}]
  const entry = Object.values(world.services).find(
    ({listening, state}) => state !== 'stopped' && listening?.includes(port),
  )
  return entry ? [{address, processId: entry.process?.childProcessId ?? entry.processId}] : []
}
