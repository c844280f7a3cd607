// Rehearsals in memory: user data as a command line makes it, its launcher, and a simulated host that tests change between two
// starts of Windows.
import {prepareRehearsal, SIMULATED_CLUSTER} from '../../src/simulator/launchers/rehearsal-host.js'
import {parseSetup} from '../../src/cli/arguments/parse-setup.js'
import {createRedactor} from '../../src/output/text/redact.js'
import {type Rehearsal, rehearse, type RehearsedRun} from '../../src/runs/userdata/rehearse.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {MetadataState, World} from '../../src/simulator/world.js'
import {runFrom} from '../fixtures/assets.js'
import {HostFolder, profileOf} from '../steps/host-folder.js'
import {DIGEST, SERVER, type Texts, URL_OF_PROGRAM, userdataOf} from './rig.js'

export const PROFILE = 'ws2022-containerd'
export const PROGRAM_FILE = String.raw`Program Files\k8s-win\k8s-win.exe`
export {SIMULATED_CLUSTER}

/** A launcher with the form that it gets, and options with which its cloud has the token. */
export interface Form {
  readonly cloud: string
  readonly metadata?: MetadataState['cloud']
  readonly name: string
  readonly options: readonly string[]
  readonly tokenFrom?: string
}

const INLINE = ['--token', 'qwerty.fedcba9876543210', '--inline-secret']

const form = (
  name: string,
  cloud: string,
  options: readonly string[],
  store?: [MetadataState['cloud'], string],
): Form =>
  store === undefined
    ? {cloud, name, options: [...options, ...INLINE]}
    : {cloud, metadata: store[0], name, options: [...options, '--token-from', store[1]], tokenFrom: store[1]}

const AWS: [MetadataState['cloud'], string] = ['aws', 'aws-ssm:/k8s/join']

export const FORMS = {
  'azure-cse': form('azure-cse', 'azure', [], ['azure', 'azure-kv:my-vault/join']),
  'cloud-config': form('cloud-config', 'openstack', ['--format', 'cloud-config']),
  ec2launch: form('ec2launch', 'aws', [], AWS),
  'ec2launch-v1': form('ec2launch-v1', 'aws', ['--launcher', 'ec2launch-v1'], AWS),
  gce: form('gce', 'gce', [], ['gce', 'gcp-sm:my-project/join']),
  guestinfo: form('guestinfo', 'vsphere', []),
  hyperv: form('hyperv', 'hyperv', ['--iso', 'win-1.iso']),
  multipart: form('multipart', 'openstack', ['--format', 'multipart']),
  openstack: form('openstack', 'openstack', []),
} as const

export interface Rehearsing {
  readonly digest?: string
  readonly host?: HostFolder
  /** As Windows is installed, without the feature Containers. */
  readonly isPlain?: boolean
  /** Before what runs at a start of Windows, from 1. */
  readonly onStart?: (nth: number, world: World) => void
  readonly options?: readonly string[]
  readonly signal?: AbortSignal
  /** Files that options name. */
  readonly texts?: Texts
}

export async function rehearseOn(
  {cloud, metadata, options, tokenFrom}: Form,
  {
    digest = DIGEST,
    host = HostFolder.empty(),
    isPlain = false,
    onStart = () => {},
    options: more = [],
    signal = new AbortController().signal,
    texts = {},
  }: Rehearsing = {},
): Promise<Rehearsal> {
  const document = await userdataOf(cloud, [...SERVER, '--base-images', 'none', ...options, ...more], texts, digest)
  const source = tokenFrom === undefined ? {} : {tokenFrom: {text: tokenFrom}}
  const prepare = prepareRehearsal({cloud: metadata, digest, server: SERVER[1], url: URL_OF_PROGRAM, ...source})
  let starts = 0
  return rehearse({
    assets: runFrom(`C:\\${PROGRAM_FILE}`),
    document,
    open: async () => {
      starts++
      const nth = starts
      const profile = host.dir instanceof Object && host.dir.world === undefined ? PROFILE : profileOf(host.dir)
      const machine = await openSimulator({
        dir: host.dir,
        prepare: async (place) => {
          const {hns, vmcompute} = place.world.services
          await prepare(place)
          // Most of these machines are made from an image that has the feature.
          if (place.isNew && !isPlain) {
            delete place.world.os.features
            Object.assign(place.world.services, {hns, vmcompute})
          }
          onStart(nth, place.world)
        },
        profile,
      })
      return {declare() {}, machine}
    },
    parse: parseSetup,
    redactor: createRedactor(),
    replaced: {'ca-cert-hash': [SIMULATED_CLUSTER.caCertHash]},
    signal,
  })
}

export const codesOf = ({starts}: Rehearsal, by: RehearsedRun['by'] = 'launcher'): number[] =>
  starts.flatMap(({runs}) => runs.filter((run) => run.by === by).map(({exitCode}) => exitCode))
