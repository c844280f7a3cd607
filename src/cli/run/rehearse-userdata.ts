// userdata --rehearse: the simulated Windows for it, and what is printed.
import {programDigest, programUrl, type UserdataCloud} from '../../config/options/userdata-options.js'
import {rehearsalLines} from '../../runs/userdata/rehearsal-text.js'
import {rehearse, type RehearsalDocument} from '../../runs/userdata/rehearse.js'
import type {UserdataDocument, UserdataRequest} from '../../runs/userdata/userdata.js'
import {readAsked} from '../../runs/configuration.js'
import type {Session} from '../../runs/run.js'
import {chooseRehearsal} from '../choose-machine.js'
import type {GlobalFlags} from '../arguments/flag-table.js'
import {parseSetup} from '../arguments/parse-setup.js'
import {print} from '../print.js'
import {watchIfSimulated} from './run-with-view.js'

/** vSphere and Hyper-V have neither a metadata service nor a secret store. */
const METADATA = {
  aws: 'aws',
  azure: 'azure',
  gce: 'gce',
  hyperv: undefined,
  openstack: 'openstack',
  vsphere: undefined,
} as const

/** `request`: what the user data was made of, with everything in it valid. Returns the exit code. */
export async function rehearseUserdata(
  flags: GlobalFlags,
  request: Pick<Session, 'assets'> & UserdataRequest,
  document: UserdataDocument,
): Promise<number> {
  const {assets, given, machine, own, redactor, signal} = request
  const asked = await readAsked({environment: {}, flags: given, machine, signal, withStored: false})
  const [url, digest] = [programUrl(String(own['program-url'])), programDigest(String(own['program-digest']))]
  if (!('value' in url) || !('value' in digest)) throw new Error('the user data was made of something else')
  const {prepareRehearsal, SIMULATED_CLUSTER} = await import('../../simulator/index.js')
  const prepare = prepareRehearsal({
    cloud: METADATA[document.cloud satisfies UserdataCloud],
    digest: digest.value,
    kubeconfigFrom: asked.kubeconfigFrom,
    server: asked.join?.server,
    tokenFrom: asked.join?.tokenFrom,
    url: url.value,
  })
  const open = await chooseRehearsal(flags, prepare)
  const {machine: host, program = assets.program} = await open()
  await watchIfSimulated({assets: {...assets, program}, machine: host})
  const rehearsal = await rehearse({
    assets: {...assets, program},
    document,
    open,
    parse: parseSetup,
    redactor,
    replaced: {
      ...(asked.join?.caCertHashes.length && {'ca-cert-hash': [SIMULATED_CLUSTER.caCertHash]}),
      // A private endpoint is in a network that the simulated host has not.
      'secret-endpoint': undefined,
    },
    signal,
  })
  const shown: RehearsalDocument = {...rehearsal, schemaVersion: 1, simulated: true}
  print(flags, rehearsalLines(rehearsal), shown)
  return rehearsal.exitCode
}
