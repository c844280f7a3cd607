// config show: what setup would use, and who said so. Reads only.
import {entriesOf, type Option, OPTIONS} from '../config/options.js'
import {DEFAULT_DOCKER_PIPE} from '../config/parse-option.js'
import {HostFacts} from '../preflight/facts.js'
import type {ShownOption} from '../output/text/config-table.js'
import type {Redactor} from '../output/text/redact.js'
import {type Host, openHost} from '../host/host.js'
import {orAborted, orGivenUp} from '../host/wait.js'
import type {Assets, Machine} from '../machine/machine.js'
import {ASKING_MS} from './ask-cluster.js'
import {
  type AskedConfiguration,
  type Configuration,
  type ConfigurationInput,
  decided,
  readAsked,
} from './configuration.js'
import {decideConfig, type TokenFrom} from './decide-config.js'

export interface ShowInput extends ConfigurationInput {
  readonly assets: Assets
  readonly machine: Machine
  readonly redactor: Redactor
}

/** Off the host the cluster is not asked: there is no kubeconfig of a node. */
export async function showConfiguration(input: ShowInput): Promise<ShownOption[]> {
  const {assets, machine, signal, withStored = true} = input
  const asked = await readAsked(input)
  const {baseDir, dockerPipe} = asked.asked
  const host = openHost(machine, {assets, baseDir, dockerPipe})
  const from = {register: (secret: string) => input.redactor.register(secret), warn() {}}
  const configuration = withStored ? await askAll(asked, host, signal, from) : decided(asked)
  return OPTIONS.flatMap((option) =>
    option.key === undefined ? [] : [show(option, option.key, configuration, input.dockerHost)],
  )
}

/** As setup decides it, with the address of DNS, which setup asks for in each run. */
async function askAll(
  asked: AskedConfiguration,
  host: Host,
  signal: AbortSignal,
  from: TokenFrom,
): Promise<Configuration> {
  const configuration = await decideConfig(asked, host, signal, from)
  const {config, given, sources, unlearned, where} = configuration
  if (config.clusterDNS !== undefined || unlearned !== undefined) return configuration
  const facts = new HostFacts(config, host, {all: () => [], entries: () => []})
  const address = await orAborted(orGivenUp(host.clock, ASKING_MS, facts.clusterDNS()), signal)
  if (address === undefined) return configuration
  return {
    config,
    given: {...given, 'cluster-dns': address},
    sources: {...sources, 'cluster-dns': 'cluster'},
    where: {...where, 'cluster-dns': 'Service in kube-system'},
  }
}

function show(option: Option, key: string, configuration: Configuration, dockerHost: string | undefined): ShownOption {
  const {flag} = option
  const where = configuration.where[flag]
  const source = configuration.sources[flag] ?? 'default'
  if (flag === 'docker-endpoint' && source === 'default' && dockerHost && !isDefaultPipe(configuration)) {
    return {flag, key, source: 'environment', value: dockerHost, where: 'DOCKER_HOST'}
  }
  if (flag === 'runtime' && source === 'default') {
    const {release, runtime} = configuration.config
    return {flag, key, source: 'release', value: runtime, where: release.text}
  }
  return {
    flag,
    key,
    source,
    ...(option.absent === undefined ? {} : {unset: option.absent}),
    value: valueOf(option, configuration),
    where: (typeof where === 'object' ? where[0] : where) ?? '',
  }
}

function valueOf({default: initial, flag, kind}: Option, {config, given}: Configuration): ShownOption['value'] {
  if (flag === 'base-dir') return config.baseDir
  // Of one that is on the host already, its own.
  if (flag === 'containerd-version') return config.versions.containerd.text
  const value = given[flag] ?? initial
  if (kind === 'switch') return String(value).toLowerCase() === 'true'
  if (kind !== 'text') return entriesOf(value)
  return value === undefined ? null : String(value)
}

const isDefaultPipe = ({config}: Configuration): boolean => config.dockerPipe === DEFAULT_DOCKER_PIPE
