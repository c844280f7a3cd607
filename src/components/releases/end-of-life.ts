// When upstream ended or ends the support of each minor of Kubernetes 1.x (kubernetes/website, data/releases/eol.yaml and
// schedule.yaml; from 1.33 on kubernetes.io/releases) and of each branch of containerd. After that day security problems
// in it are not fixed.
import type {Version} from '../../config/version.js'

const KUBERNETES: Readonly<Record<number, string>> = {
  21: '2022-06-28',
  22: '2022-12-08',
  23: '2023-02-28',
  24: '2023-07-28',
  25: '2023-10-28',
  26: '2024-02-28',
  27: '2024-07-16',
  28: '2024-10-22',
  29: '2025-02-28',
  30: '2025-07-15',
  31: '2025-11-11',
  32: '2026-02-28',
  33: '2026-06-28',
  34: '2026-10-27',
  35: '2027-02-28',
  36: '2027-06-28',
  37: '2027-10-28',
}

/** The file RELEASES of containerd/containerd at 301026e (2026-08-22). Where it names only a month, the last day of it. */
const CONTAINERD: Readonly<Record<string, string>> = {
  '1.6': '2025-08-23',
  '1.7': '2026-09-30',
  '2.0': '2027-03-31',
  '2.1': '2026-07-03',
  '2.2': '2026-11-06',
  '2.3': '2028-04-30',
}

/** The day, where it is over; undefined also for a minor that is not in the table. */
export const endedSupport = (minor: number, now: number): string | undefined => ifOver(KUBERNETES[minor], now)

export const endedContainerd = ({major, minor}: Version, now: number): string | undefined =>
  ifOver(CONTAINERD[`${major}.${minor}`], now)

function ifOver(day: string | undefined, now: number): string | undefined {
  return day !== undefined && new Date(now).toISOString().slice(0, 10) > day ? day : undefined
}
