// The daemons that a command line names, by the names that `logs` accepts, and which of them k8s-win may stop and start.
import {
  COMMON_DAEMONS,
  DAEMON,
  type DaemonService,
  DAEMONS,
  hasOwnContainerd,
  runtimeService,
} from '../../config/daemons.js'
import {CONTAINERD, type Decided} from '../../config/model.js'
import {nearest} from '../../config/nearest.js'
import {runtimeNotManaged, unknownDaemon} from '../../errors/daemons.js'
import {RUNTIME_TITLES} from '../../host/runtime.js'
import {COMPONENT_WORDS, componentNamed} from '../../logs/components.js'

/** The kubelet, flanneld and kube-proxy: stopping containerd ends the pods, so it is stopped by its name only. */
export const ALL = 'all'

export const DAEMON_WORDS: readonly string[] = [ALL, ...DAEMONS.map(({service}) => service).sort()]

/** By their programs, as "k8s-win run" names them. */
export const DAEMON_PROGRAMS: readonly string[] = DAEMONS.map(({program}) => program)

/** In the order they start. */
export const daemonsNamed = (word: string): readonly DaemonService[] =>
  word.toLowerCase() === ALL ? COMMON_DAEMONS.map(({service}) => service) : [daemonNamed(word, [ALL])]

export function daemonNamed(word: string, others: readonly string[] = []): DaemonService {
  const known = daemonIn(word)
  if (known) return known
  const meant = nearest(word, [...COMPONENT_WORDS, ...others])
  const suggestion = others.find((one) => one === meant) ?? daemonIn(meant ?? '') ?? ''
  throw unknownDaemon({
    known: DAEMON_WORDS.filter((one) => one !== ALL || others.includes(ALL)).join(', '),
    one: word,
    suggestion,
  })
}

/** k8s-win has logs, too, and is none of them. */
export function daemonIn(word: string): DaemonService | undefined {
  const named = componentNamed(word)
  return named !== undefined && named !== 'k8s-win' ? DAEMON[named].service : undefined
}

/** A runtime that was there before setup, or Docker, is the user's. */
export function demandManaged(config: Decided, daemons: readonly DaemonService[]): void {
  if (!daemons.includes(CONTAINERD) || hasOwnContainerd(config)) return
  throw runtimeNotManaged({runtime: RUNTIME_TITLES[config.runtime], service: runtimeService(config).service})
}
