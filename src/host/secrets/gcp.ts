// Secret Manager of Google Cloud, with the service account of the virtual machine (cloud.google.com, "Authenticate workloads
// using service accounts"; REST reference of Secret Manager, projects.secrets.versions.access).
import type {SecretSource} from '../../config/model.js'
import {METADATA_SERVICE} from '../cloud.js'
import {at} from '../document.js'
import {
  ask,
  askMetadata,
  type Asking,
  askWithToken,
  decoded,
  demandSecretHost,
  nameIn,
  NoSecret,
  type SecretStore,
} from './ask.js'

const METADATA = {'Metadata-Flavor': 'Google'}
const ROOT = '/computeMetadata/v1'

async function fetch(asking: Asking, source: SecretSource, endpoint: string | undefined): Promise<string> {
  const {name, place} = source
  const url = endpoint ?? `https://secretmanager.${await universeOf(asking)}`
  demandSecretHost(asking, source, url)
  const account = `${ROOT}/instance/service-accounts/default/token`
  const {document: issued} = await askMetadata(asking, account, METADATA)
  const path = `/v1/projects/${place}/secrets/${name}/versions/latest:access`
  const data = at(await askWithToken(asking, issued, `${url}${path}`), 'payload', 'data')
  if (typeof data === 'string') return decoded(data)
  throw new NoSecret('unusable', `${new URL(url).host} returned no payload.`)
}

/** An older metadata service does not know it (google-auth-library-python, compute_engine/_metadata.py). */
async function universeOf(asking: Asking): Promise<string> {
  const url = `${METADATA_SERVICE}${ROOT}/universe/universe-domain`
  const {said, status, text} = await ask(asking, {headers: METADATA, method: 'GET', url})
  if (status === 404 || text.trim() === '') return 'googleapis.com'
  if (status !== 200) throw new NoSecret('unready', said)
  return nameIn(text, 'universe domain')
}

export const gcp: SecretStore = {
  fetch,
  identity: 'Attach a service account to this virtual machine, with the access scope cloud-platform.',
  permission:
    'Give the service account roles/secretmanager.secretAccessor on the secret, and the virtual machine the access scope cloud-platform.',
}
