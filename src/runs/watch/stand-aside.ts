// Why watch repairs nothing now: a user has asked for that, Windows is about to restart, or another run is at work. Only
// files, the registry and the service manager are asked.
import {refusedCopy} from '../../components/node-machine.js'
import {layoutOf} from '../../config/layout.js'
import {openCondition} from '../../host/condition.js'
import {isWin32} from '../../host/services/stop.js'
import {trustedFilesOf} from '../../host/security/trust.js'
import type {Machine} from '../../machine/machine.js'
import {pauseEnd} from '../../output/text/pause-text.js'
import {ERROR_SHUTDOWN_IN_PROGRESS, RUN_SERVICE} from '../detach/run-service.js'
import type {KnownNode} from '../known-node.js'
import {isRunActive} from '../run-lock.js'
import {unfinishedError, unfinishedRun} from '../status/unfinished-run.js'
import {pauseStatus, readPause} from './pause.js'

export interface Aside {
  /** `unknown`: what it could not find out. */
  readonly kind: 'copy' | 'lock' | 'paused' | 'restart' | 'run' | 'unfinished' | 'unknown'
  /** Part of a sentence: "paused until …". */
  readonly words: string
}

export interface AsideInput extends Pick<KnownNode, 'config' | 'journal' | 'state'> {
  readonly machine: Machine
}

/** Rejects where the records cannot be read, or are not to be trusted: then nothing is to be repaired either. */
export async function whyAside(input: AsideInput): Promise<Aside | undefined> {
  try {
    for (const ask of [pause, copy, restart, otherRun]) {
      const found = await ask(input)
      if (found) return found
    }
    return undefined
  } catch (error) {
    if (isWin32(error, ERROR_SHUTDOWN_IN_PROGRESS)) return {kind: 'restart', words: 'Windows is shutting down'}
    throw error
  }
}

type Ask = (input: AsideInput) => Promise<Aside | undefined>

const pause: Ask = async ({config: {baseDir}, machine}) => {
  const found = await readPause(machine, baseDir)
  return found && {kind: 'paused', words: `paused until ${pauseEnd(pauseStatus(found))}`}
}

const copy: Ask = async ({config, machine}) => {
  const original = refusedCopy(config, await machine.win32.systemUuid())
  return original === undefined ? undefined : {kind: 'copy', words: `this host is a copy of ${original}`}
}

const restart: Ask = async ({machine}) => {
  const pending = (await openCondition(machine.win32).pendingRestarts()).find(({demanded}) => demanded)
  return pending && {kind: 'restart', words: `a restart of Windows is pending: ${pending.reason}`}
}

const otherRun: Ask = async ({config, journal, machine, state}) => {
  const layout = layoutOf(config.baseDir)
  const files = trustedFilesOf(machine)
  const isRequested = (await files.status(layout.request)) !== undefined
  if (isRequested || (await machine.win32.queryServiceConfig(RUN_SERVICE)))
    return {kind: 'run', words: `a run continues as the service ${RUN_SERVICE}`}
  if (await isRunActive(machine)) return {kind: 'lock', words: 'another run of k8s-win is at work'}
  const unfinished = unfinishedRun({journal, state})
  return unfinished && {kind: 'unfinished', words: unfinishedError(unfinished, {config, journal}).message}
}
