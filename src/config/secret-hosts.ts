// Which hosts are those of a secret store: only they get the credentials of this virtual machine, whatever --secret-endpoint,
// a variable or the metadata service names.
import type {SecretService} from './model.js'

/** dnsSuffix and dualStackDnsSuffix of all partitions (aws-sdk-js-v3, @aws-sdk/util-endpoints, partitions.json). */
const AWS = [
  'amazonaws.com',
  'api.aws',
  'amazonaws.com.cn',
  'api.amazonwebservices.com.cn',
  'amazonaws.eu',
  'api.amazonwebservices.eu',
  'c2s.ic.gov',
  'api.aws.ic.gov',
  'sc2s.sgov.gov',
  'api.aws.scloud',
  'cloud.adc-e.uk',
  'api.cloud-aws.adc-e.uk',
  'csp.hci.ic.gov',
  'api.aws.hci.ic.gov',
]

/**
 * DNS suffixes of the clouds (learn.microsoft.com, "Azure Key Vault security"), and of the sovereign clouds in France and
 * Germany (dotnet/SqlClient, Constants.cs, AzureKeyVaultPublicDomainNames).
 */
const AZURE = [
  'vault.azure.net',
  'vault.azure.cn',
  'vault.usgovcloudapi.net',
  'vault.sovcloud-api.fr',
  'vault.sovcloud-api.de',
]

/** Universe domains: Google Cloud, Cloud de Confiance by S3NS (documentation.s3ns.fr), Google Cloud Dedicated in Germany. */
const GOOGLE = ['googleapis.com', 's3nsapis.fr', 'apis-berlin-build0.goog']

/** Below the domains of AWS and Google there are also hosts of customers, so the name of the service must be where it belongs. */
const host = (name: string, domains: readonly string[]): RegExp =>
  new RegExp(`^${name}\\.(?:${domains.map((domain) => domain.replaceAll('.', '\\.')).join('|')})$`)

/** Regional, FIPS, and an interface endpoint of a VPC (AWS PrivateLink, "Access a service using an interface endpoint"). */
const awsHost = (service: string): RegExp => {
  const regional = `${service}(?:-fips)?\\.[a-z]+(?:-[a-z]+)+-\\d{1,2}`
  return host(`(?:${regional}|vpce-[a-z\\d-]+\\.${regional}\\.vpce)`, AWS)
}

const HOSTS: Readonly<Record<SecretService, RegExp>> = {
  'aws-sm': awsHost('secretsmanager'),
  'aws-ssm': awsHost('ssm'),
  'azure-kv': host('[a-z\\d-]+', AZURE),
  // Global, regional (rep), and an endpoint of Private Service Connect (p).
  'gcp-sm': host('secretmanager(?:-[a-z\\d-]+\\.p|\\.[a-z\\d-]+\\.rep)?', GOOGLE),
}

/** `trusted`: of --trust-secret-endpoint. */
export function isSecretHost(service: SecretService, url: string, trusted: readonly string[]): boolean {
  const {hostname} = new URL(url)
  return HOSTS[service].test(hostname) || trusted.includes(hostname)
}
