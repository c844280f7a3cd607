// Checks of processors, memory and disks. The limits are those of Rancher's bootstrap.ps1 (docs/facts.md#ranchers-scripts), except the free space.
import {replacesPrograms} from '../../config/upgrade.js'
import {diskFull, diskTooSmall, driveUnsuitable, memoryTooSmall} from '../../errors/condition.js'
import {driveMissing} from '../../errors/host.js'
import {type K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import type {Drive} from '../../machine/win32.js'
import {check, type Check, pass, type Finding, warn} from '../check.js'
import type {Facts} from '../facts.js'

const GIB = 2 ** 30
const MEMORY = 2.5 * GIB
/** Rancher warns below this, because pods may not be scheduled. */
const MEMORY_FREE = 0.6 * GIB
/** Below 30 and 50 GB, because disks are slightly smaller than their nominal size. */
const DISK = 29.5 * GIB
const ROOMY_DISK = 49.5 * GIB
/** The kubelet's defaults for removing images and pods (imageGCHighThresholdPercent 85, imagefs.available 15%). */
const FREE_SHARE = 0.15
/** The kubelet's default of evictionHard's nodefs.available (apis/config/v1beta1/defaults.go). */
const EVICTING_SHARE = 0.1
const SYSTEM_DRIVE = 'C:'

const processors = check('processors', {on: 'host', title: 'Processors'}, async ({host}) => {
  const count = Number((await host.environment.get('NUMBER_OF_PROCESSORS')) ?? Number.NaN)
  if (count < 2)
    return warn(`${count} logical processor`, 'Give the host at least two processors: Windows itself needs one.')
  return pass(Number.isNaN(count) ? 'not reported by Windows' : `${count} logical processors`)
})

const memory = check('memory', {on: 'host', title: 'Memory'}, async ({host}) => {
  const {availableBytes, totalBytes} = await host.resources.memory()
  if (totalBytes < MEMORY) throw memoryTooSmall({total: gb(totalBytes), wanted: gb(MEMORY)})
  const seen = `${gb(availableBytes)} of ${gb(totalBytes)} are free`
  if (availableBytes >= MEMORY_FREE) return pass(seen)
  return warn(seen, `Stop programs that are not needed: pods do not fit below ${gb(MEMORY_FREE)}.`)
})

/** Kubernetes' own paths have no drive letter, so pods, logs and volumes are on C: wherever the base directory is. */
const disk = check('disk', 'Disk space', async (facts) => {
  const problems: K8sWinError[] = []
  const warnings: Finding[] = []
  const seen: string[] = []
  for (const letter of new Set([SYSTEM_DRIVE, driveOf(facts.config.baseDir)])) {
    const drive = await facts.host.resources.drive(letter)
    // The check "drive" reports these.
    if (!drive || drive.kind === 'network') continue
    const total = gb(drive.totalBytes)
    if (letter === SYSTEM_DRIVE && drive.totalBytes < DISK) {
      problems.push(diskTooSmall({drive: letter, size: total, wanted: '30 GB'}))
    }
    const {problem, warning} = await judgeRoom(facts, letter, drive, 'Programs, images and logs are kept')
    if (problem) problems.push(problem)
    if (warning) warnings.push(warning)
    if (letter === SYSTEM_DRIVE && drive.totalBytes < ROOMY_DISK) {
      warnings.push(warn(`drive ${letter} has ${total} in total`, 'Increase it to 50 GB or more if pods do not fit.'))
    }
    seen.push(`${letter} has ${gb(drive.freeBytes)} free of ${total}`)
  }
  if (problems.length > 0) throw new ProblemsError(problems)
  return warnings[0] ?? pass(seen.join(', '))
})

const baseDrive = check('drive', 'Base directory drive', async ({config, host}) => {
  const letter = driveOf(config.baseDir)
  const drive = await host.resources.drive(letter)
  if (!drive) throw driveMissing({drive: letter})
  return judgeDrive(letter, drive, 'The base directory', ['NTFS', 'ReFS'])
})

/** Throws if programs or images cannot be kept on the drive. */
export function judgeDrive(letter: string, drive: Drive, what: string, fileSystems: readonly string[]): Finding {
  if (drive.kind !== 'fixed') throw driveUnsuitable({drive: letter, what, why: `a ${drive.kind} drive`})
  if (!fileSystems.includes(drive.fileSystem)) {
    throw driveUnsuitable({drive: letter, what, why: drive.fileSystem || 'a drive that cannot be read'})
  }
  return pass(`${letter} is a fixed drive with ${drive.fileSystem}`)
}

interface Room {
  readonly problem?: K8sWinError
  readonly warning?: Finding
}

/** What the run has yet to write there is added to what the finished node must have free. */
export async function judgeRoom(facts: Facts, letter: string, drive: Drive, what: string): Promise<Room> {
  const [free, total] = [gb(drive.freeBytes), gb(drive.totalBytes)]
  const planned = (await facts.plannedWrites()).filter(({folder}) => driveOf(folder || SYSTEM_DRIVE) === letter)
  const bytes = planned.reduce((sum, one) => sum + one.bytes, 0)
  const needed = drive.totalBytes * EVICTING_SHARE + bytes
  const share = drive.freeBytes / drive.totalBytes
  // A size that is not a number is refused, too.
  if (!(drive.freeBytes >= needed)) {
    const parts = planned.map((one) => `${gb(one.bytes)} for ${one.what}`).join(', ')
    const written =
      bytes === 0
        ? ''
        : ` ${replacesPrograms(facts.config) ? 'An upgrade' : 'Setup'} writes about ${gb(bytes)}: ${parts}.`
    const cause = `${what} there.${written} Below 10 percent the kubelet starts no pods (DiskPressure) and evicts those that run.`
    return {problem: diskFull({cause, drive: letter, free, total, wanted: gb(needed)})}
  }
  if (share >= FREE_SHARE) return {}
  const seen = `drive ${letter} has ${free} free, ${Math.floor(share * 100)} percent`
  return {warning: warn(seen, 'Free space: below 15 percent the kubelet removes images, and then evicts pods.')}
}

export const driveOf = (path: string): string => path.slice(0, 2).toUpperCase()

/** Like Windows, which counts 2^30 bytes as 1 GB. */
export const gb = (bytes: number): string => `${Math.round((bytes / GIB) * 10) / 10} GB`

export const HARDWARE_CHECKS: readonly Check[] = [processors, memory, disk, baseDrive]
