// What of the stored options is kept where a run asks for other versions.
import type {ArtifactId} from '../artifact-ids.js'
import {isOlder, parseVersion, type Version} from '../version.js'
import type {Layer} from './layers.js'
import {entriesOf, type GivenOptions, type OptionFlag, optionOf, splitPair} from './options.js'

/** The option that has the version of an artifact; shawl comes with k8s-win. */
const VERSION_OF: Readonly<Partial<Record<string, OptionFlag>>> = {
  'cni-plugins': 'cni-version',
  containerd: 'containerd-version',
  crictl: 'crictl-version',
  'flannel-cni': 'flannel-cni-version',
  flanneld: 'flannel-version',
  kubernetes: 'release',
} satisfies Partial<Record<ArtifactId, OptionFlag>>

/**
 * Another minor has its own containerd, crictl and feature gates, and a digest is that of one version: those that were
 * stored with the old ones are not kept.
 */
export function keptOptions(stored: Layer, asked: GivenOptions): Layer {
  const versionIn = (flag: OptionFlag, ...given: readonly GivenOptions[]): Version | undefined =>
    parseVersion(String(given.map((one) => one[flag]).find((text) => text !== undefined) ?? optionOf(flag).default))
  const isSameMinor = versionIn('release', stored.given)?.minor === versionIn('release', asked, stored.given)?.minor
  const {'containerd-version': _containerd, 'crictl-version': _crictl, 'feature-gate': _gates, ...rest} = stored.given
  const {digest, ...given} = isSameMinor ? stored.given : rest
  if (digest === undefined) return {...stored, given}

  const isKept = (entry: string): boolean => {
    const flag = VERSION_OF[splitPair(entry)[0].toLowerCase()]
    if (flag === undefined) return true
    const [before, now] = [versionIn(flag, stored.given), versionIn(flag, asked, given)]
    // A containerd that is newer than the default stays with another minor (config/decide.ts).
    const stays = flag === 'containerd-version' && asked[flag] === undefined
    return before?.text === now?.text || (stays && before !== undefined && now !== undefined && isOlder(now, before))
  }
  const {digest: places = [], ...where} = stored.where
  const kept = entriesOf(digest, 'pairs').flatMap((entry, index) => {
    const place = typeof places === 'object' ? (places[index] ?? '--digest') : places
    return isKept(entry) ? [{entry, place}] : []
  })
  if (kept.length === 0) return {...stored, given, where}
  const [entries, left] = [kept.map(({entry}) => entry), kept.map(({place}) => place)]
  return {...stored, given: {...given, digest: entries}, where: {...where, digest: left}}
}
