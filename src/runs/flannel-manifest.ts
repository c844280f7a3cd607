// manifest flannel: from the options to the objects. Looks at no host.
import {flannelObjects, type ClusterObject, OLDEST_FLANNEL} from '../components/flannel-manifest.js'
import {askedLayers, layered} from '../config/options/layers.js'
import {type GivenOptions, optionOf, OPTIONS} from '../config/options/options.js'
import {clusterCIDR as parseClusterCIDR, type OptionParser, version} from '../config/options/parse-option.js'
import {Resolver} from '../config/options/option-resolver.js'
import {isBelow, type Version} from '../config/version.js'
import {ProblemsError} from '../errors/k8s-win-error.js'

/** Throws a ProblemsError with everything that is wrong. */
export function flannelManifest(
  given: GivenOptions,
  environment: Readonly<Record<string, string | undefined>>,
): {clusterCIDR: string; objects: readonly ClusterObject[]} {
  const options = new Resolver(OPTIONS, layered(askedLayers(OPTIONS, given, environment)))
  const clusterCIDR = options.value('cluster-cidr', parseClusterCIDR)
  const flannel = options.value('flannel-version', published)
  const cniPlugin = options.value('flannel-cni-version', version(String(optionOf('flannel-cni-version').default)))
  if (clusterCIDR === undefined || flannel === undefined || cniPlugin === undefined)
    throw new ProblemsError(options.problems)
  return {clusterCIDR, objects: flannelObjects({clusterCIDR, cniPlugin, flannel})}
}

const published: OptionParser<Version> = (text) => {
  const outcome = version(String(optionOf('flannel-version').default))(text)
  const {major, minor} = OLDEST_FLANNEL
  if (!('value' in outcome) || !isBelow(outcome.value, major, minor)) return outcome
  return {
    reason: 'The images of older ones are not where this manifest names them.',
    wanted: `${major}.${minor}.4 or newer`,
  }
}
