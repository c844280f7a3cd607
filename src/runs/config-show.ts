// config show: what setup would use, and who said so. Reads only.
import {entriesOf, type Option, OPTIONS} from '../config/options.js'
import {DEFAULT_DOCKER_PIPE} from '../config/parse-option.js'
import type {ShownOption} from '../output/text/config-table.js'
import {type Configuration, type ConfigurationInput, readConfiguration} from './configuration.js'

export async function showConfiguration(input: ConfigurationInput): Promise<ShownOption[]> {
  const configuration = await readConfiguration(input)
  return OPTIONS.flatMap((option) =>
    option.key === undefined ? [] : [show(option, option.key, configuration, input.dockerHost)],
  )
}

function show(option: Option, key: string, configuration: Configuration, dockerHost: string | undefined): ShownOption {
  const {flag} = option
  const where = configuration.where[flag]
  const source = configuration.sources[flag] ?? 'default'
  if (flag === 'docker-endpoint' && source === 'default' && dockerHost && !isDefaultPipe(configuration)) {
    return {flag, key, source: 'environment', value: dockerHost, where: 'DOCKER_HOST'}
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
  const value = given[flag] ?? initial
  if (kind === 'switch') return String(value).toLowerCase() === 'true'
  if (kind !== 'text') return entriesOf(value)
  return value === undefined ? null : String(value)
}

const isDefaultPipe = ({config}: Configuration): boolean => config.dockerPipe === DEFAULT_DOCKER_PIPE
