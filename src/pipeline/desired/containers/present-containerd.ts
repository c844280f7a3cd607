// The containerd that was on the host before, as the steps that rely on it find it: it must still be the one that was
// checked. Only --adopt changes something of it: its configuration, and other CNI configurations beside k8s-win's.
import {win32} from 'node:path'
import {containerdChanged} from '../../../errors/host.js'
import {changesOf, misfitsOf, unfit} from '../../../host/containerd/fitness.js'
import {isMisfit} from '../../../host/containerd/present.js'
import {repairedConfiguration} from '../../../host/containerd/repair-config.js'
import {isCniConfigName} from '../../../host/cni-folder.js'
import {waitFor} from '../../../host/wait.js'
import {ASIDE, conflistOf} from '../../../config/layout.js'
import {CONTAINERD, type Decided} from '../../../config/model.js'
import {keyOf} from '../../../host/security/known-paths.js'
import type {StepContext, StepId} from '../../run/step.js'
import type {DesiredFile} from '../files/file.js'
import {callService, stopNamingPods} from '../services/stop-service.js'
import {parseVersion} from '../../../config/version.js'
import type {EntryOf} from '../../ledger/entries.js'
import type {Journal} from '../../ledger/journal.js'
import type {Kind} from '../../ledger/kind.js'

const STARTING = {deadlineMs: 2 * 60_000, everyMs: 1000}

/** Throws where it is gone, is another one, or no longer fits. */
export async function demandSameContainerd({config, host}: Pick<StepContext, 'config' | 'host'>): Promise<void> {
  const {containerd: place} = config
  const found = await host.presentContainerd()
  if (!found) throw containerdChanged({changes: `the service ${place.service} no longer exists`})
  const changes = isMisfit(found) ? [] : changesOf(place, found.place)
  if (changes.length > 0) throw containerdChanged({changes: changes.join('; ')})
  const misfits = await misfitsOf(host, found, {adopts: config.adopt, restarts: false})
  if (misfits.length > 0) throw unfit(misfits)
}

/** Its configuration as --adopt leaves it; undefined where that is how it is. A run that was killed has only put it aside. */
export async function repairedFile({config, host, journal}: StepContext): Promise<DesiredFile | undefined> {
  const {config: path, isOurs} = config.containerd
  const isBegun = journal.entries('containerd-config', 'file').some((entry) => keyOf(entry.path) === keyOf(path))
  if (isOurs || !(config.adopt || isBegun)) return undefined
  const written = (await host.files.read(path)) ?? (await host.files.read(`${path}${ASIDE}`))
  const content = repairedConfiguration(written?.toString('utf8') ?? '')
  return content === undefined ? undefined : {content, path, readBy: CONTAINERD}
}

/** Other CNI configurations, which --adopt puts aside: containerd uses one file only. */
export async function otherCniFiles({config, host}: StepContext): Promise<string[]> {
  const {cniConfigFolder, isOurs} = config.containerd
  if (isOurs || !config.adopt) return []
  const own = keyOf(conflistOf(config.containerd))
  const paths = (await host.files.list(cniConfigFolder))
    .filter(isCniConfigName)
    .map((name) => win32.join(cniConfigFolder, name))
    .filter((path) => keyOf(path) !== own)
  const found = await Promise.all(paths.map((path) => host.files.status(path)))
  return paths.filter((_, index) => found[index]?.kind === 'file')
}

/** Recorded before it is renamed; reset restores it. */
export async function putAside({changed, host, journal}: StepContext, step: StepId, path: string): Promise<void> {
  const previous = `${path}${ASIDE}`
  await journal.record(step, {kind: 'file', path, previous})
  await host.files.rename(path, previous)
  changed(`keep ${path} as ${previous}`)
}

/** Its service is not started with Windows, and --adopt changes that. */
export const startsOnDemand = async ({config: {adopt, containerd}, host}: StepContext): Promise<boolean> =>
  adopt && (await host.services.startType(containerd.service)) === 'demand'

/** Recorded before; reset restores it. */
export async function startWithWindows({changed, config, host, journal}: StepContext, step: StepId): Promise<void> {
  const {service: name} = config.containerd
  await journal.record(step, {kind: 'start-type', name, previous: 'demand'})
  await callService(name, 'changed', () => host.services.setStartType(name, 'automatic'))
  changed(`set the service ${name}, which was not created by k8s-win, to start with Windows`)
}

/** After its configuration was repaired or restored, and at no other time: this ends its pods. */
export async function restartContainerd(context: StepContext): Promise<void> {
  const {changed, config, host, progress, signal} = context
  const {service} = config.containerd
  progress({text: `restarting the service ${service}`})
  await stopNamingPods(context, service, () =>
    callService(service, 'stopped', () => host.services.stop(service, signal)),
  )
  await callService(service, 'started', () => host.services.start(service, signal))
  await waitFor(host.clock, {...STARTING, signal}, async () =>
    (await host.services.status(service))?.state === 'running' ? true : undefined,
  )
  changed(`restart the service ${service}, which was not created by k8s-win`)
}

const PATHS = ['cniBinaries', 'cniConfigFolder', 'config', 'ctr', 'data', 'program'] as const

const PIPE = /^\\\\\.\\pipe\\[^\\/]{1,200}$/

const NAME = /^[\w .-]{1,200}$/

export const presentContainerd: Kind = {
  accepts: ({kind: _, pipe, sandboxImage, service, version, ...paths}) =>
    PATHS.every((name) => isFolder(paths[name])) &&
    typeof pipe === 'string' &&
    PIPE.test(pipe) &&
    typeof service === 'string' &&
    NAME.test(service) &&
    typeof sandboxImage === 'string' &&
    typeof version === 'string' &&
    parseVersion(version) !== undefined,
  steps: ['base-dir'],
}

/** A path on a drive, in its normal spelling, below the root. */
const isFolder = (path: unknown): boolean =>
  typeof path === 'string' && /^[a-z]:\\[^\\]/i.test(path) && path === win32.normalize(path)

export const entryOf = ({containerd, versions}: Decided): EntryOf<'present-containerd'> => {
  const {isOurs: _, ...place} = containerd
  return {...place, kind: 'present-containerd', version: versions.containerd.text}
}

/** The configuration of a node that uses the containerd which the journal names. */
export function withRecordedContainerd(config: Decided, journal: Pick<Journal, 'entries'>): Decided {
  const [entry] = journal.entries('base-dir', 'present-containerd')
  const version = parseVersion(entry?.version ?? '')
  if (!entry || !version || !presentContainerd.accepts?.({...entry}, 'base-dir', config)) return config
  const {kind: _, version: _version, ...place} = entry
  return Object.freeze({
    ...config,
    containerd: {...place, isOurs: false},
    versions: Object.freeze({...config.versions, containerd: version}),
  })
}

export const startType: Kind = {
  accepts: ({name, previous}, _, {containerd}) =>
    !containerd.isOurs && name === containerd.service && previous === 'demand',
  async remove({changed, host, journal}, step) {
    for (const {name, previous} of journal.entries(step, 'start-type')) {
      // Gone, or changed since then.
      if (previous !== 'demand' || (await host.services.startType(name)) !== 'automatic') continue
      await callService(name, 'changed', () => host.services.setStartType(name, previous))
      changed(`set the service ${name} back to start on demand`)
    }
  },
  steps: ['containerd-service'],
}
