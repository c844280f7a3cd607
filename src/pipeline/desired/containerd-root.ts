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
 * The newest that may have opened it: the recorded one, or the one that was installed before there were such records; and a
 * program that k8s-win did not install. Undefined for an account that may not see it, which a check reports.
 */
export async function rootOpenedBy(host: Host, baseDir: string): Promise<Version | undefined> {
  const {containerd, journal: path} = layoutOf(baseDir)
  try {
    if (!(await host.files.status(CONTAINERD_ROOT))) return undefined
    const {journal} = await openTrustedJournal(host, path)
    const verified = verifiedProgram(journal, 'containerd-binaries', containerd.program)
    const known = parseVersion(recorded(journal) ?? verified?.version ?? '')
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
  const before = (await host.files.status(CONTAINERD_ROOT)) && parseVersion(recorded(journal) ?? '')
  if (!before || isOlder(before, version)) await journal.record(STEP, {kind: 'root-opened', version: version.text})
}

const recorded = (journal: Journal): string | undefined => journal.entries(STEP, 'root-opened')[0]?.version
