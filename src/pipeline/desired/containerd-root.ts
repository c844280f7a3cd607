// Which containerd has opened its root. A newer major changes the root, and the way back is not documented (assumption
// containerd-older-major): so a node keeps its containerd where it gets an older release of Kubernetes.
import {CONTAINERD_ROOT, layoutOf} from '../../config/layout.js'
import {isOlder, parseVersion, type Version} from '../../config/version.js'
import type {Host} from '../../host/host.js'
import {FileError} from '../../machine/files.js'
import {type Journal, openTrustedJournal} from '../ledger/journal.js'
import {verifiedProgram} from '../ledger/memo.js'
import type {StepContext} from '../run/step.js'

const STEP = 'containerd-service'

/**
 * The newest that may have opened it. Where its record is lost, or the node is older than such records, the program that is
 * installed. Undefined for an account that may not see it, which a check reports.
 */
export async function rootOpenedBy(host: Host, baseDir: string): Promise<Version | undefined> {
  const {containerd, journal: path} = layoutOf(baseDir)
  try {
    if (!(await host.files.status(CONTAINERD_ROOT))) return undefined
    const {journal} = await openTrustedJournal(host, path)
    const version = recorded(journal) ?? verifiedProgram(journal, 'containerd-binaries', containerd.program)?.version
    return parseVersion(version ?? (await host.containerd.programVersion()) ?? '')
  } catch (error) {
    if (error instanceof FileError && /^(?:EACCES|EPERM)$/.test(error.code)) return undefined
    throw error
  }
}

/** Before containerd starts. */
export async function recordOpening({config, host, journal}: StepContext): Promise<void> {
  const {containerd: version} = config.versions
  const before = (await host.files.status(CONTAINERD_ROOT)) && parseVersion(recorded(journal) ?? '')
  if (!before || isOlder(before, version)) await journal.record(STEP, {kind: 'root-opened', version: version.text})
}

const recorded = (journal: Journal): string | undefined => journal.entries(STEP, 'root-opened')[0]?.version
