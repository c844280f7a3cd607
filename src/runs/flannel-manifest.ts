// manifest flannel: from the options to the objects. Looks at no host.
import {flannelObjects, type ManifestObject, OLDEST_FLANNEL} from '../components/flannel-manifest.js'
import {environmentLayer, flagLayer, layered} from '../config/layers.js'
import {type GivenOptions, type OptionFlag, optionOf} from '../config/options.js'
import {clusterCIDR as parseClusterCIDR, type OptionParser, version} from '../config/parse-option.js'
import {isBelow, type Version} from '../config/version.js'
import {badValue} from '../errors/input.js'
import {type K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'

/** Throws a ProblemsError with everything that is wrong. */
export function flannelManifest(
  given: GivenOptions,
  environment: Readonly<Record<string, string | undefined>>,
): {clusterCIDR: string; objects: readonly ManifestObject[]} {
  const all = layered([flagLayer(given), environmentLayer(environment)])
  const problems: K8sWinError[] = []
  const value = <T>(flag: OptionFlag, parse: OptionParser<T>): T | undefined => {
    const text = String(all.given[flag] ?? optionOf(flag).default)
    const outcome = parse(text)
    if ('value' in outcome) return outcome.value
    problems.push(badValue({flag, ...outcome, value: text, where: String(all.where[flag] ?? `--${flag}`)}))
    return undefined
  }

  const [clusterCIDR, flannel, cniPlugin] = [
    value('cluster-cidr', parseClusterCIDR),
    value('flannel-version', published),
    value('flannel-cni-version', version(String(optionOf('flannel-cni-version').default))),
  ]
  if (clusterCIDR === undefined || flannel === undefined || cniPlugin === undefined) throw new ProblemsError(problems)
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
