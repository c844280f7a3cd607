// The Node's condition for a state of watch. True is a problem, as of all conditions of a Node but Ready.
import {timeOf, type NodeCondition} from '../../host/cluster/node-condition.js'
import type {Trouble, WatchState, WatchVerdict} from './model.js'

export interface WantedCondition extends Pick<NodeCondition, 'reason' | 'status'> {
  /** Another one is a change: not every other word is. */
  readonly key: string
  /** With the time at which it is written: the cluster does not show that it is out of date. */
  message(now: number): string
}

/** At an orderly stop. */
export const NOT_WATCHED: WantedCondition = wanted('Unknown', 'NotWatched', 'The service k8s-win was stopped')

const UNKNOWN: Partial<Record<WatchVerdict, string>> = {paused: 'Paused', unknown: NOT_WATCHED.reason}

export function conditionIn({components, detail, since, troubles, verdict}: WatchState): WantedCondition {
  const aside = detail === undefined ? '' : `; ${detail}`
  const unknown = UNKNOWN[verdict]
  const from = `since ${timeOf(since)}`
  if (unknown !== undefined)
    return wanted('Unknown', unknown, `${detail ?? 'The state of the node is not known'} (${from})`)
  const [root] = troubles
  if (!root) {
    const isGood = verdict === 'healthy'
    const said = isGood ? `Healthy: ${components.join(', ')}` : 'A repair is in progress'
    return wanted(isGood ? 'False' : 'True', isGood ? 'Healthy' : 'Recovering', `${said} (${from}${aside})`)
  }

  const doing = {'gave-up': ', k8s-win gave up', recovering: ', being repaired'}[verdict as string] ?? ''
  const said = troubles.map(({component, error}) => `${component}: ${error.message}`).join('; ')
  return wanted('True', root.reason, `${said} (${from}${doing}${aside})`, troubles)
}

function wanted(
  status: NodeCondition['status'],
  reason: string,
  text: string,
  troubles: readonly Trouble[] = [],
): WantedCondition {
  const others = troubles.map((one) => `${one.component}/${one.reason}`).sort()
  const message = (now: number): string => `${text}. Written at ${timeOf(now)}.`
  return {key: [status, reason, ...others].join(' '), message, reason, status}
}
