// What setup and upgrade report of their decision: what they chose themselves, and what becomes of the node.
import {gatesText} from '../../config/decide.js'
import type {Decided} from '../../config/model.js'
import {OPTIONS} from '../../config/options/options.js'
import {isOtherMinor, replacesPrograms, restartsOf} from '../../config/upgrade.js'
import {isOlder} from '../../config/version.js'
import type {EventBus, RunResultDocument} from '../../pipeline/run/events.js'

/** Windows shows the command line of a process to every account that may list processes in detail, and logs it (event 4688). */
const TOKEN_VISIBLE =
  'other processes can read the token of --token from the command line: use --token-file or K8S_WIN_TOKEN instead'

/** The release that setup chose, and what is not as the documentation says, must be shown, not only logged. */
export function reportDecision(config: Decided, bus: EventBus): void {
  const {given, sources, where} = config.origin
  const isAsked = !['host', 'stored', undefined].includes(sources['containerd-version'])
  if (!config.containerd.isOurs && isAsked) {
    const asked = `${String(where['containerd-version'])} ${String(given['containerd-version'])} has no effect`
    bus.warn(`${asked}: containerd ${config.versions.containerd.text} of this host is used`)
  }
  for (const {default: initial, flag} of OPTIONS) {
    const isChosen =
      sources[flag] === 'cluster' || sources[flag] === 'host' || (flag === 'release' && sources[flag] === 'default')
    if (!isChosen || (flag !== 'release' && given[flag] === initial)) continue
    const name = flag === 'release' ? 'Kubernetes' : `using --${flag}`
    bus.info(`${name} ${String(given[flag])}: ${String(where[flag])}`)
  }
  if (sources.token === 'flag') bus.warn(TOKEN_VISIBLE)
}

/** A gate that the release does not know ends its daemons. */
const GATES_AGAIN = 'If the new release has them, pass them to --feature-gate of setup'

/** `reason`: of a release that upgrade chose. */
export function reportRelease(config: Decided, reason: string | undefined, bus: EventBus): void {
  const {text} = config.release
  if (!replacesPrograms(config)) bus.info(`the node is at ${text} already`)
  else if (reason !== undefined) bus.info(`Kubernetes ${text}: ${reason}`)
}

/** Undefined where the release stays. */
export function reportUpgrade(config: Decided, bus: EventBus): RunResultDocument['upgrade'] {
  const {release, upgrade, versions} = config
  const {release: before = release, versions: old = versions} = upgrade?.from ?? {}
  const say = (level: 'info' | 'warn', message: string): void => bus.emit({level, message, type: 'log'})
  const [was, becomes] = [old.containerd, versions.containerd]
  if (config.containerd.isOurs && replacesPrograms(config) && was.text !== becomes.text) {
    const lasting = was.major < becomes.major ? `; afterwards the data of this node cannot go back to ${was.text}` : ''
    say(lasting === '' ? 'info' : 'warn', `containerd goes from ${was.text} to ${becomes.text}${lasting}`)
  }
  const lost = Object.entries(upgrade?.from.featureGates ?? {}).filter(([name]) => !(name in config.featureGates))
  if (lost.length > 0 && isOtherMinor({release: before}, config)) {
    const gates = gatesText(Object.fromEntries(lost))
    say('warn', `feature gates are not kept with another minor version: ${gates}. ${GATES_AGAIN}`)
  }
  for (const {isOfPods, text} of restartsOf(config)) say(isOfPods ? 'warn' : 'info', text)
  if (before.text === release.text) return undefined
  say('info', `${isOlder(release, before) ? 'downgrade' : 'upgrade'} the node from ${before.text} to ${release.text}`)
  return {from: before.text, to: release.text}
}
