// Which containerd has opened its root. A newer major changes the root, and the way back is not documented (assumption
// containerd-older-major): so a node keeps its containerd where it gets an older release of Kubernetes.
import {CONTAINERD_ROOT, layoutOf} from '../../../config/layout.js'
import {CONTAINERD} from '../../../config/model.js'
import {isOlder, parseVersion, type Version} from '../../../config/version.js'
import {DATABASE} from '../../../host/containerd/database.js'
import type {Host} from '../../../host/host.js'
import {FileError} from '../../../machine/files.js'
import type {EntryOf} from '../../ledger/entries.js'
import {type Journal, openTrustedJournal} from '../../ledger/journal.js'
import {verifiedProgram} from '../programs/programs.js'
import type {StepContext} from '../../run/step.js'
import {at} from '../../../host/document.js'
import type {Kind} from '../../ledger/kind.js'

const STEP = 'containerd-service'

/**
 * The newest that may have opened it: the recorded one, or the one that was installed before there were such records; and a
 * program that k8s-win did not install. Undefined for an account that may not see it, which a check reports.
 */
export async function rootOpenedBy(host: Host, baseDir: string): Promise<Version | undefined> {
  const {containerd, journal: path} = layoutOf(baseDir)
  try {
    if (!(await host.files.status(CONTAINERD_ROOT))) return undefined
    const {journal} = await openTrustedJournal(host, path)
    const verified = verifiedProgram(journal, 'containerd-binaries', containerd.program)
    const known = parseVersion((await opener(host, journal)) ?? verified?.version ?? '')
    if (!(await host.files.status(containerd.program))) return known
    if ((await host.files.digest(containerd.program, 'sha256')) === verified?.sha256) return known
    const found = parseVersion((await host.containerd.programVersion()) ?? '')
    return known && !(found && isOlder(known, found)) ? known : found
  } catch (error) {
    if (error instanceof FileError && /^(?:EACCES|EPERM)$/.test(error.code)) return undefined
    throw error
  }
}

/** Before containerd starts. */
export async function recordOpening({config, host, journal}: StepContext): Promise<void> {
  const {containerd: version} = config.versions
  const before = (await host.files.status(CONTAINERD_ROOT)) && parseVersion((await opener(host, journal)) ?? '')
  if (before && !isOlder(before, version)) {
    if (newest(journal)?.version !== before.text) {
      await journal.record(STEP, {kind: 'root-opened', version: before.text})
    }
    return
  }

  const {modifiedMs} = (before && (await host.files.status(DATABASE))) ?? {}
  const over = before && modifiedMs !== undefined ? {modifiedMs, version: before.text} : undefined
  await journal.record(STEP, {kind: 'root-opened', ...(over && {over}), version: version.text})
}

/** Where a newer containerd may have failed before it opened the root: once it is stopped, that is known. */
export async function stopUnopened(host: Host, baseDir: string, signal: AbortSignal): Promise<void> {
  const {journal} = await openTrustedJournal(host, layoutOf(baseDir).journal)
  if (!(await isUntouched(host, journal)) || !(await host.services.isOurs(CONTAINERD))) return
  await host.services.rest(CONTAINERD, signal, 'demand')
}

/** The recorded version, unless it has failed before it opened the root. */
async function opener(host: Host, journal: Journal): Promise<string | undefined> {
  const {over, version} = newest(journal) ?? {}
  const isStopped = over && (await host.services.status(CONTAINERD))?.state === 'stopped'
  return isStopped && (await isUntouched(host, journal)) ? over.version : version
}

/**
 * A newer major writes to the database when it opens it (core/metadata/db.go, Init). Windows shows that only when the file is
 * closed (WriteFile, "the last write time is not fully updated until all handles … have been closed").
 */
async function isUntouched({files}: Host, journal: Journal): Promise<boolean> {
  const {over} = newest(journal) ?? {}
  return over !== undefined && (await files.status(DATABASE))?.modifiedMs === over.modifiedMs
}

const newest = (journal: Journal): EntryOf<'root-opened'> | undefined => journal.entries(STEP, 'root-opened')[0]

export const rootOpened: Kind = {
  accepts: ({over, version}) => isVersion(version) && (over === undefined || isVersion(at(over, 'version'))),
  steps: ['containerd-service'],
}

const isVersion = (text: unknown): boolean => typeof text === 'string' && parseVersion(text) !== undefined
