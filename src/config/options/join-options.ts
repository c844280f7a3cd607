// How the options of joining go with each other and with those of a kubeconfig.
import {joinHashMissing, joinServerMissing} from '../../errors/join.js'
import {contradictingFlags} from '../../errors/usage.js'
import type {Layer} from './layers.js'
import type {JoinOptions} from '../model.js'
import {entriesOf, type GivenOptions, type OptionFlag} from './options.js'
import {caCertHash, server as parseServer, token as parseToken} from './parse-join.js'
import {file, truth} from './parse-option.js'
import type {Resolver} from './option-resolver.js'
import {secretSource} from './secret-source.js'

const TOKENS: readonly OptionFlag[] = ['token', 'token-file', 'token-from']
const JOIN: readonly OptionFlag[] = ['server', ...TOKENS, 'ca-cert-hash', 'unsafe-skip-ca-verification']
const SHARED: readonly OptionFlag[] = ['kubeconfig', 'kubeconfig-from']
/** With these the kubelet has an identity already. kube-proxy and flanneld may have one of their own. */
const KUBECONFIGS: readonly OptionFlag[] = [...SHARED, 'kubelet-kubeconfig']

/** Undefined where the node does not join with a token, or where something is wrong, which the resolver then lists. */
export function resolveJoin(options: Resolver<OptionFlag>, given: GivenOptions): JoinOptions | undefined {
  const {problems} = options
  const isGiven = (flag: OptionFlag): boolean => isSaid(given, flag)
  const where = (flag: OptionFlag): string => options.whereOf(flag)
  const asked = JOIN.filter(isGiven)
  const before = problems.length
  const server = options.value('server', parseServer)
  const token = options.value('token', parseToken)
  const tokenFile = options.value('token-file', file)
  const tokenFrom = options.value('token-from', secretSource)
  const caCertHashes = [...new Set(options.entries('ca-cert-hash', caCertHash))]
  const isVerificationSkipped = options.value('unsafe-skip-ca-verification', truth) ?? false
  const [first] = asked

  const excluded: readonly (readonly [OptionFlag, OptionFlag])[] = [
    ...(first === undefined ? [] : KUBECONFIGS.map((flag) => [first, flag] as const)),
    ['kubeconfig', 'kubeconfig-from'],
    ['token', 'token-file'],
    ['token', 'token-from'],
    ['token-file', 'token-from'],
    ['ca-cert-hash', 'unsafe-skip-ca-verification'],
  ]
  for (const [one, other] of excluded) {
    if (isGiven(one) && isGiven(other)) problems.push(contradictingFlags({one: where(one), other: where(other)}))
  }
  // Which other options are missing is clear only where it is clear that the node is to join.
  if (first === undefined || KUBECONFIGS.some(isGiven)) return undefined
  if (!isGiven('server')) problems.push(joinServerMissing({options: asked.map(where).join(', ')}))
  // A node that has joined needs neither a token nor a hash.
  const isJoining = TOKENS.some(isGiven)
  if (isGiven('server') && isJoining && !isGiven('ca-cert-hash') && !isVerificationSkipped)
    problems.push(joinHashMissing({server: server ?? where('server')}))
  if (server === undefined || problems.length > before) return undefined
  return {
    caCertHashes,
    isVerificationSkipped,
    server,
    ...(token !== undefined && {token}),
    ...(tokenFile !== undefined && {tokenFile}),
    ...(tokenFrom && {tokenFrom}),
  }
}

/**
 * The layers, the strongest first, without what a stronger one replaces in another form: a token on the command line
 * replaces a token file of the environment, and what was stored never contradicts what is asked for now.
 */
export function withoutReplacedJoin(layers: readonly Layer[]): Layer[] {
  const stronger: Layer[] = []
  for (const layer of layers) {
    const gone = new Set<OptionFlag>()
    const above = (flag: OptionFlag): boolean => stronger.some(({given}) => isSaid(given, flag))
    for (const forms of [TOKENS, SHARED]) if (forms.some(above)) for (const flag of forms) gone.add(flag)
    if (layer.source === 'stored') {
      if (KUBECONFIGS.some(above)) for (const flag of JOIN) gone.add(flag)
      if (above('server')) gone.add('kubelet-kubeconfig')
      // Hashes of another cluster prove nothing.
      if (above('unsafe-skip-ca-verification') || isElsewhere(stronger, layer)) gone.add('ca-cert-hash')
    }
    const given = Object.entries(layer.given).filter(([flag]) => !gone.has(flag as OptionFlag))
    stronger.push(gone.size === 0 ? layer : {...layer, given: Object.fromEntries(given)})
  }

  return stronger
}

function isElsewhere(now: readonly Layer[], stored: Layer): boolean {
  const asked = now.find(({given}) => isSaid(given, 'server'))?.given.server
  return asked !== undefined && normal(asked) !== normal(stored.given.server)
}

function normal(text: GivenOptions['server']): string {
  const parsed = parseServer(String(text ?? ''))
  return 'value' in parsed ? parsed.value : String(text ?? '')
}

/** A switch that is off, and a list without entries, say nothing. */
function isSaid(given: GivenOptions, flag: OptionFlag): boolean {
  const value = given[flag]
  if (flag === 'unsafe-skip-ca-verification') return String(value).toLowerCase() === 'true'
  return flag === 'ca-cert-hash' ? entriesOf(value).length > 0 : value !== undefined
}
