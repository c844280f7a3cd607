// Where a secret is fetched from, from text to values: --token-from, --kubeconfig-from and --secret-endpoint.
import {SECRET_SERVICES, type SecretService, type SecretSource} from '../model.js'
import type {OptionParser} from './parse-option.js'

interface Grammar {
  readonly example: string
  readonly form: RegExp
  readonly names: string
  /** What the name is in; none for AWS, whose account is that of the machine. */
  readonly within?: string
}

/** As the references of the services document their names; an ARN names the region of AWS. */
const GRAMMARS: Readonly<Record<SecretService, Grammar>> = {
  'aws-sm': {
    example: 'aws-sm:k8s/join-token',
    form: /^(?<name>arn:[\w-]+:secretsmanager:(?<region>[a-z\d-]+):\d{12}:secret:[\w/+=.@-]{1,519}|[\w/+=.@-]{1,512})$/,
    names: 'It is not a name or ARN of Secrets Manager (letters, digits and /_+=.@-).',
  },
  'aws-ssm': {
    example: 'aws-ssm:/k8s/join-token',
    form: /^(?<name>(?:(?:arn:[\w-]+:ssm:(?<region>[a-z\d-]+):\d{12}:parameter)?\/[\w./-]{1,1010}|[\w.-]{1,1011})(?::[\w.-]{1,100})?)$/,
    names: 'It is not a name or ARN of the Parameter Store (letters, digits and _.-/; one with a / begins with it).',
  },
  'azure-kv': {
    example: 'azure-kv:my-vault/join-token',
    form: /^(?:(?<identity>[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})@)?(?<place>(?![^/]*--)[a-z][\da-z-]{1,22}[\da-z])\/(?<name>[\da-z-]{1,127})$/i,
    names:
      'It is not <vault>/<name> or <client ID>@<vault>/<name> (letters, digits and hyphens; a vault has 3 to 24, and begins with a letter).',
    within: '<vault>/',
  },
  'gcp-sm': {
    example: 'gcp-sm:my-project/join-token',
    form: /^(?<place>(?:[\da-z.-]+:)?[a-z][\da-z-]{4,28}[\da-z]|\d{6,19})\/(?<name>[\w-]{1,255})$/,
    names: 'It is not <project>/<name> (a project ID or number; letters, digits, hyphens and underscores).',
    within: '<project>/',
  },
}

/** What to write for a secret of this service. */
export const secretForm = (service: SecretService): string => `${service}:${GRAMMARS[service].within ?? ''}<name>`

export const secretSource: OptionParser<SecretSource> = (given) => {
  const [, text = '', hash = '', key = ''] = /^([^#]*)(#?)([^]*)$/.exec(given) ?? []
  const [, prefix, rest = ''] = /^([^:]*):([^]*)$/.exec(text) ?? []
  const service = SECRET_SERVICES.find((name) => name === prefix)
  if (!service) {
    const wanted = Object.values(GRAMMARS).map(({example}) => example)
    return {reason: `It does not begin with ${SECRET_SERVICES.join(':, ')}:.`, wanted: wanted.join(', ')}
  }
  const {example, form, names} = GRAMMARS[service]
  const found = form.exec(rest)?.groups
  if (!found) return {reason: names, wanted: example}
  if (hash !== '' && !/^\P{Cc}{1,200}$/u.test(key))
    return {reason: 'After the # belongs the name of a member of the JSON object.', wanted: `${example}#token`}
  const {identity, name = '', place, region} = found
  return {
    value: {
      ...(identity !== undefined && {identity}),
      ...(hash !== '' && {key}),
      name,
      ...(place !== undefined && {place}),
      ...(region !== undefined && {region}),
      service,
      text,
    },
  }
}

/** As URL has it. */
export const secretHost: OptionParser<string> = (text) => {
  const url = URL.canParse(`https://${text}`) ? new URL(`https://${text}`) : undefined
  return url?.hostname === text.toLowerCase()
    ? {value: url.hostname}
    : {reason: 'It is not the name of a host.', wanted: '<host>, such as vault.example.com'}
}

/** A private endpoint, in place of the public address of the service. */
export const secretEndpoint: OptionParser<string> = (text) => {
  const wanted = 'https://<host>, such as https://vpce-0123.ssm.eu-central-1.vpce.amazonaws.com'
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:') return {reason: 'It is not an https address.', wanted}
  const isBare = url.href === `${url.origin}/`
  return isBare ? {value: url.origin} : {reason: 'It has more than a host and a port.', shown: url.origin, wanted}
}
