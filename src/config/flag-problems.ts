// What a daemon of a release would not accept, or not know, on its command line.
import {badValue} from '../errors/input.js'
import type {K8sWinError} from '../errors/k8s-win-error.js'
import data from './daemon-flags.json' with {type: 'json'}
import {FLAG_KINDS, isPlain} from './go-values.js'
import {absentName, entryOf, type ReleaseTable, type Span} from './release-data.js'
import type {Version} from './version.js'

export type FlaggedProgram = 'flanneld' | 'kube-proxy' | 'kubelet'

interface Flag extends Span {
  readonly type: string
}

const FLAGS: Readonly<Record<FlaggedProgram, ReleaseTable<Flag>>> = data

/** Whether the data has the flags of this version: that of flanneld is of one version, which is set up by default. */
export const areFlagsKnown = (program: FlaggedProgram, release: Version): boolean =>
  program !== 'flanneld' || release.text === data.flannel

/**
 * `args` by name, without hyphens before it. `release` is that of Kubernetes, or of flannel for flanneld. Where the flags of
 * a version are not known, only the form of names and values is judged.
 */
export function flagProblems(
  program: FlaggedProgram,
  args: Readonly<Record<string, string>>,
  release: Version,
  whereOf: (name: string) => string = () => `--${program}-arg`,
): K8sWinError[] {
  const table = FLAGS[program]
  const isKnown = areFlagsKnown(program, release)
  const owner =
    program === 'flanneld'
      ? `flanneld ${release.text}`
      : `${program === 'kubelet' ? 'the kubelet' : program} of Kubernetes 1.${release.minor}`
  // All versions of flannel are of one minor here: the data has one.
  const minor = program === 'flanneld' ? 0 : release.minor
  return Object.entries(args)
    .slice(0, MOST_ARGUMENTS)
    .flatMap(([name, value]) => {
      const where = whereOf(name)
      const flag = isKnown ? entryOf(table, name, minor) : {type: 'string'}
      if (!flag) return [absentName(table, name, minor, {kind: 'flag', owner, where})]
      const kind = FLAG_KINDS[flag.type]
      if (isPlain(name) && isPlain(value) && kind?.is(value)) return []
      const wanted = kind?.wanted ?? flag.type
      const reason = `The flag ${name} takes ${wanted}.`
      return [
        badValue({flag: `${program}-arg`, reason, value: `${name}=${value}`, wanted: `${name}=<${wanted}>`, where}),
      ]
    })
}

/** Far more than a daemon has. */
const MOST_ARGUMENTS = 1000
