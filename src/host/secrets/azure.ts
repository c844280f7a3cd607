// Key Vault of Azure, with a managed identity of the virtual machine (learn.microsoft.com, "Use managed identities on a virtual
// machine to acquire an access token", "Azure Instance Metadata Service"; REST reference of Key Vault, "Get Secret").
import type {SecretSource} from '../../config/model.js'
import {textAt, at} from '../document.js'
import {askMetadata, type Asking, askWithToken, demandSecretHost, NoSecret, type SecretStore} from './ask.js'

const METADATA = {Metadata: 'true'}

/**
 * By azEnvironment in lower case: Microsoft's own examples of its answers spell it AzurePublicCloud and AZUREPUBLICCLOUD
 * (learn.microsoft.com, "Azure Key Vault security", DNS suffixes of the clouds).
 */
const VAULTS: Readonly<Record<string, string>> = {
  azurechinacloud: 'vault.azure.cn',
  azurepubliccloud: 'vault.azure.net',
  azureusgovernmentcloud: 'vault.usgovcloudapi.net',
}

async function fetch(asking: Asking, source: SecretSource, endpoint: string | undefined): Promise<string> {
  const {identity, name, place} = source
  const {document: compute} = await askMetadata(asking, '/metadata/instance/compute?api-version=2021-02-01', METADATA)
  const suffix = domainOf(textAt(compute, 'azEnvironment').toLowerCase(), endpoint)
  const vault = endpoint ?? `https://${place}.${suffix}`
  demandSecretHost(asking, source, vault)
  const query = new URLSearchParams({'api-version': '2018-02-01', resource: `https://${suffix}`})
  if (identity !== undefined) query.set('client_id', identity)
  // 400 "Identity not found" until it is assigned.
  const {document: issued} = await askMetadata(asking, `/metadata/identity/oauth2/token?${query.toString()}`, METADATA)
  const value = at(await askWithToken(asking, issued, `${vault}/secrets/${name}?api-version=7.4`), 'value')
  if (typeof value === 'string') return value
  throw new NoSecret('unusable', `${new URL(vault).host} returned no value.`)
}

/**
 * Of the vaults, and the resource that a token is good for. In a cloud that is not in the table the endpoint names it. So a token
 * never reaches a host outside of the domain that accepts it, as in Azure's SDKs (aka.ms/azsdk/blog/vault-uri).
 */
function domainOf(cloud: string, endpoint = ''): string {
  if (Object.hasOwn(VAULTS, cloud)) return VAULTS[cloud]!
  // The last part has a letter: an IP address has no domain.
  const [, domain] = /^https:\/\/[\da-z-]+\.((?:[\da-z-]+\.)+[a-z][\da-z-]*)(?::\d+)?$/.exec(endpoint) ?? []
  if (domain !== undefined) return domain
  const reason = 'The metadata service names a cloud that k8s-win does not know'
  throw new NoSecret('unusable', `${reason}: --secret-endpoint must be https://<vault>.<domain of its vaults>.`)
}

export const azure: SecretStore = {
  fetch,
  identity:
    'Assign a managed identity to this virtual machine; if it has several user-assigned ones, name one: azure-kv:<client ID>@<vault>/<name>.',
  permission:
    'Give the managed identity the role "Key Vault Secrets User" on the secret or its vault (or the access policy Get for secrets), and let the network rules of the vault admit this host.',
}
