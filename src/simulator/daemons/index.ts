// Moves the daemons on whenever simulated time has passed.
import type {Stage} from '../model.js'
import type {ServiceEntry} from '../world.js'
import {startDocker} from '../docker/networks.js'
import {settleAdapters} from '../windows/adapters.js'
import {endProcess, launchProcess, processDied} from '../windows/service-process.js'
import {beginProcess, daemonOf} from './begin.js'
import {serviceDaemon} from './daemon.js'
import {markLostNodes} from './kubelet-node.js'

export {answerLocalPort, listeningPorts} from './healthz.js'

/** A service that has connected is Running this much later. */
const RUNNING_AFTER_MS = 300
/** One thing leads to another; a crash loop in one long jump of time must still come to an end. */
const MAX_ROUNDS = 500

export async function advanceDaemons(stage: Stage): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    let changed = settleAdapters(stage)
    for (const entry of Object.values(stage.world.services)) changed = (await advanceService(stage, entry)) || changed
    changed = markLostNodes(stage) || changed
    if (!changed) return
  }
}

async function advanceService(stage: Stage, entry: ServiceEntry): Promise<boolean> {
  const now = stage.now()
  if (entry.state === 'stop-pending') {
    if (entry.stopAt === undefined || now < entry.stopAt) return false
    if (daemonOf(entry)?.diesOfStop?.(entry)) processDied(stage, entry, entry.stopAt)
    else endProcess(stage, entry, {code: 0, serviceCode: 0})
    return true
  }

  if (entry.state === 'stopped')
    return entry.restartAt !== undefined && now >= entry.restartAt && restart(stage, entry, entry.restartAt)
  if (entry.state === 'start-pending') {
    if (entry.stage !== 'starting' || now < entry.startedAt + RUNNING_AFTER_MS) return false
    entry.state = 'running'
    if (entry.name.toLowerCase() === 'docker') startDocker(stage.world)
    return true
  }

  const daemon = daemonOf(entry)
  return entry.state === 'running' && daemon && entry.process
    ? daemon.advance(serviceDaemon(stage, entry, entry.process))
    : false
}

/** The service manager's failure action. */
async function restart(stage: Stage, entry: ServiceEntry, at: number): Promise<boolean> {
  delete entry.restartAt
  if (entry.config.startType === 'disabled') return true
  entry.restarts++
  if ((await launchProcess(stage, entry, at)) !== 0) return true
  const beginning = await beginProcess(stage, entry)
  // Nobody waits for a start of the service manager's own: a program that does not connect is ended and tried again.
  if (beginning !== 'connected') processDied(stage, entry, at)
  return true
}
