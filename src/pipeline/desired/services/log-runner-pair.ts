// kube-log-runner and its daemon: two processes of one service. If one was ended and the other was not, the service still
// appears to run: without a daemon, or without a log. Which of the two the service manager shows is not documented
// (assumption log-runner-process), so either is accepted.
import type {Node} from '../../../config/model.js'
import {hasLogRunner} from '../../../components/log-runner.js'
import type {Daemon} from '../../../config/daemons.js'
import type {Services} from '../../../host/services/services.js'

interface LoneHalf {
  readonly alone: string
  readonly missing: string
}

const RUNNER = 'kube-log-runner.exe'

/** Undefined where both run, or where the process is neither. */
export async function loneHalf(
  {
    config,
    host: {services},
  }: {readonly config: Pick<Node, 'release'>; readonly host: {readonly services: Pick<Services, 'processes'>}},
  {program, wrapper}: Daemon,
  processId: number,
): Promise<LoneHalf | undefined> {
  if (wrapper !== 'kube-log-runner' || !hasLogRunner(config) || processId === 0) return undefined
  const all = (await services.processes()).map(({id, name, parentId}) => ({id, name: name.toLowerCase(), parentId}))
  const own = all.find(({id}) => id === processId)
  const daemon = `${program}.exe`
  if (own?.name === RUNNER) {
    const hasDaemon = all.some(({name, parentId}) => name === daemon && parentId === own.id)
    return hasDaemon ? undefined : {alone: RUNNER, missing: daemon}
  }
  if (own?.name !== daemon) return undefined
  const hasRunner = all.some(({id, name}) => name === RUNNER && id === own.parentId)
  return hasRunner ? undefined : {alone: daemon, missing: RUNNER}
}
