// What a daemon of a release would not accept, or not know, on its command line.
import {badValue} from '../../errors/input.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import data from './daemon-flags.json' with {type: 'json'}
import {FLAG_KINDS, isPlain} from './go-values.js'
import {absentName, entryOf, MOST_PROBLEMS, type ReleaseTable, type Span} from './release-data.js'
import type {Version} from '../version.js'

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
  const problems: K8sWinError[] = []
  for (const [name, value] of Object.entries(args)) {
    if (problems.length === MOST_PROBLEMS) break
    const where = whereOf(name)
    const flag = isKnown ? entryOf(table, name, release.minor) : {type: 'string'}
    const kind = FLAG_KINDS[flag?.type ?? '']
    if (!flag) problems.push(absentName(table, name, release.minor, {kind: 'flag', owner, where}))
    else if (!isPlain(name) || !isPlain(value) || !kind?.is(value)) {
      const wanted = kind?.wanted ?? 'text'
      const reason = `The flag ${name} takes ${wanted}.`
      const texts = {flag: `${program}-arg`, reason, where}
      problems.push(badValue({...texts, value: `${name}=${value}`, wanted: `${name}=<${wanted}>`}))
    }
  }
  return problems
}
