// config show: what setup would use, and who said so. Reads only.
import {decide} from '../config/decide.js'
import {withOrigins} from '../config/options/layers.js'
import type {Asked, Decided} from '../config/model.js'
import {ALL_OPTIONS, entriesOf, type Option} from '../config/options/options.js'
import {DEFAULT_DOCKER_PIPE} from '../config/options/parse-option.js'
import {Facts} from '../preflight/facts.js'
import {knownOfHost} from '../preflight/node-config.js'
import type {ShownOption} from '../output/text/config-table.js'
import {type Host, openHost} from '../host/host.js'
import {orAborted, orGivenUp} from '../host/wait.js'
import {ASKING_MS} from './ask-cluster.js'
import {type ConfigurationInput, readAsked} from './configuration.js'
import {decideConfig, type TokenFrom} from './decide-config.js'
import type {Session} from './run.js'

export type ShowInput = ConfigurationInput & Pick<Session, 'assets' | 'machine' | 'redactor'>

/** Off the host the cluster is not asked: there is no kubeconfig of a node. */
export async function showConfiguration(input: ShowInput): Promise<ShownOption[]> {
  const {assets, machine, signal, withStored = true} = input
  const asked = await readAsked(input)
  const {baseDir, dockerPipe} = asked
  const host = openHost(machine, {assets, baseDir, dockerPipe})
  const from = {register: input.redactor.register, warn() {}}
  const config = withStored ? await askAll(asked, host, signal, from) : decide(asked)
  return ALL_OPTIONS.flatMap((option) =>
    option.key === undefined ? [] : [show(option, option.key, config, input.dockerHost)],
  )
}

/** As setup decides it, with what setup asks the host and the cluster for in each run. */
async function askAll(asked: Asked, host: Host, signal: AbortSignal, from: TokenFrom): Promise<Decided> {
  const config = await decideConfig(asked, host, signal, from)
  const facts = new Facts(config, host, {all: () => [], entries: () => []})
  const ask = <T>(_: string, fact: Promise<T>): Promise<T | undefined> =>
    orAborted(
      orGivenUp(
        host.clock,
        ASKING_MS,
        fact.catch(() => undefined),
      ),
      signal,
    )
  const isAsked = config.clusterDNS === undefined && config.unasked === undefined
  const [known, address] = await Promise.all([
    knownOfHost(facts, ask),
    isAsked ? ask('', facts.clusterDNS()) : undefined,
  ])
  const found = [
    ['cluster-dns', 'cluster', address, 'Service in kube-system'],
    ['nanoserver-tag', 'host', known.nanoserverTag, 'build of Windows'],
    ['node-ip', 'host', known.nodeIP, `adapter ${known.adapterName ?? ''}`],
    ['node-name', 'host', known.nodeName, 'computer name'],
    ['servercore-tag', 'host', known.servercoreTag, 'build of Windows'],
  ] as const
  const origins = found.flatMap(([flag, source, value, where]) =>
    value === undefined || config.origin.given[flag] !== undefined ? [] : [[flag, {source, value, where}] as const],
  )
  return {...config, origin: withOrigins(config.origin, Object.fromEntries(origins))}
}

function show(option: Option, key: string, config: Decided, dockerHost: string | undefined): ShownOption {
  const {flag} = option
  const where = config.origin.where[flag]
  const source = config.origin.sources[flag] ?? 'default'
  if (flag === 'docker-endpoint' && source === 'default' && dockerHost && config.dockerPipe !== DEFAULT_DOCKER_PIPE) {
    return {flag, key, source: 'environment', value: dockerHost, where: 'DOCKER_HOST'}
  }
  if (flag === 'runtime' && source === 'default') {
    const {release, runtime} = config
    return {flag, key, source: 'release', value: runtime, where: release.text}
  }
  return {
    flag: option.kind === 'fields' ? null : flag,
    key,
    source,
    ...(option.absent === undefined ? {} : {unset: option.absent}),
    value: valueOf(option, config),
    where: (typeof where === 'object' ? where[0] : where) ?? '',
  }
}

function valueOf({default: initial, flag, kind}: Option, config: Decided): ShownOption['value'] {
  if (flag === 'base-dir') return config.baseDir
  // Of one that is on the host already, its own.
  if (flag === 'containerd-version') return config.versions.containerd.text
  const value = config.origin.given[flag] ?? initial
  if (kind === 'switch') return String(value).toLowerCase() === 'true'
  if (kind === 'fields') return value === undefined ? null : {...config.kubeletConfig}
  if (kind !== 'text') return entriesOf(value, kind)
  return value === undefined ? null : String(value)
}
