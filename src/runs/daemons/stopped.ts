// What a command has stopped until it is started again: a record beside that of a pause. One of "k8s-win stop" lasts until
// "k8s-win start", over restarts of Windows, and watch repairs nothing meanwhile. One of restart or run is over with its
// run: where the run was killed, watch or the next command that changes the node starts the daemons.
import {type DaemonService, DAEMONS} from '../../config/daemons.js'
import {layoutOf} from '../../config/layout.js'
import {CONTAINERD, type Decided} from '../../config/model.js'
import {at, textAt} from '../../host/document.js'
import type {Host} from '../../host/host.js'
import {trustedFiles} from '../../host/security/trust.js'
import type {Files} from '../../machine/files.js'
import {askNode, nodeCluster} from '../../pipeline/desired/cluster/node-cluster.js'
import {readOwnRecord, writeRecord} from '../../pipeline/run/last-run.js'
import type {StepContext} from '../../pipeline/run/step.js'

const COMMANDS = ['restart', 'run', 'stop'] as const
export type StoppedBy = (typeof COMMANDS)[number]
type StoppedDaemons = Readonly<Partial<Record<DaemonService, StoppedBy>>>

export interface Stopped {
  /** By k8s-win; false where the node was cordoned before. */
  readonly cordoned: boolean
  readonly daemons: StoppedDaemons
  readonly since: number
}

/** Undefined where nothing is stopped. `files` are trusted. Rejects where it cannot be read just now. */
export const readStopped = (files: Files, baseDir: string, now: number): Promise<Stopped | undefined> =>
  readOwnRecord(files, layoutOf(baseDir).stopped, (record) => stoppedIn(record, now))

/** One that is damaged: "k8s-win start" ends it. */
export function stoppedIn(record: unknown, now: number): Stopped {
  const since = Date.parse(textAt(record, 'since'))
  const all = DAEMONS.flatMap(({service}) => {
    const by = COMMANDS.find((one) => one === textAt(record, 'daemons', service))
    return by === undefined ? [] : [[service, by] as const]
  })
  const isEmpty = at(record, 'cordoned') === true && Object.keys(at(record, 'daemons') ?? {unknown: ''}).length === 0
  const unknown = DAEMONS.filter(({service}) => service !== CONTAINERD).map(({service}) => [service, 'stop'] as const)
  return {
    cordoned: at(record, 'cordoned') === true,
    // Of a node that was only cordoned.
    daemons: Object.fromEntries(all.length > 0 || isEmpty ? all : unknown),
    since: Number.isNaN(since) ? now : since,
  }
}

/** Those that these commands have stopped, in the order they start. */
export const stoppedBy = (stopped: Stopped | undefined, ...by: readonly StoppedBy[]): DaemonService[] =>
  DAEMONS.flatMap(({service}) => (by.some((one) => one === stopped?.daemons[service]) ? [service] : []))

export const writeStopped = (files: Files, baseDir: string, stopped: Stopped): Promise<void> =>
  writeRecord(files, layoutOf(baseDir).stopped, {
    schemaVersion: 1,
    ...stopped,
    since: new Date(stopped.since).toISOString(),
  })

interface OnNode {
  readonly config: Pick<Decided, 'baseDir'>
  readonly host: Pick<Host, 'clock' | 'files' | 'trust'>
}

export const stoppedOn = ({config: {baseDir}, host}: OnNode): Promise<Stopped | undefined> =>
  readStopped(trustedFiles(host.files, host.trust), baseDir, host.clock.now())

/**
 * What runs again is no longer recorded. With the last one the node takes pods again, if it was k8s-win that cordoned it. True where a
 * pause has ended. `isByWatch`: a drain that failed has stopped nothing, and only a user ends what it has begun.
 */
export async function endStopped(
  context: Pick<StepContext, 'changed' | 'config' | 'host' | 'signal'>,
  {isByWatch = false} = {},
): Promise<boolean> {
  const {changed, config, host} = context
  const {baseDir, nodeName} = config
  const stopped = await stoppedOn(context)
  if (!stopped) return false
  const isDown = async (name: string): Promise<boolean> => (await host.services.status(name))?.state !== 'running'
  const names = stoppedBy(stopped, ...COMMANDS)
  if (isByWatch && names.length === 0) return false
  const down = await Promise.all(names.map(isDown))
  const left = names.filter((_, nth) => down[nth])
  if (left.length > 0) {
    const daemons = Object.fromEntries(left.map((name) => [name, stopped.daemons[name]]))
    if (left.length < names.length) await writeStopped(host.files, baseDir, {...stopped, daemons})
    return false
  }
  // First what can be repeated: without the record nothing would be left to do.
  if (stopped.cordoned && (await askNode(context))?.isUnschedulable) {
    await (await nodeCluster(context)).uncordonNode(nodeName)
    changed(`uncordon the node ${nodeName}`)
  }
  await host.files.remove(layoutOf(baseDir).stopped)
  return stoppedBy(stopped, 'stop').length > 0
}
