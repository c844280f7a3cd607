// The list of what is inside, as CycloneDX 1.5 JSON. Without a time, and with a serial number of its content: the same
// inputs give the same bytes.
import {createHash} from 'node:crypto'
import type {Dependency} from './dependencies.js'
import type {NpmPackage} from './npm-packages.js'

interface Component {
  readonly 'bom-ref': string
  readonly hashes?: readonly {readonly alg: 'SHA-512'; readonly content: string}[]
  readonly licenses: readonly object[]
  readonly name: string
  readonly purl: string
  readonly type: 'application' | 'library' | 'platform'
  readonly version: string
}

export interface Sbom {
  readonly bomFormat: 'CycloneDX'
  readonly components: readonly Component[]
  readonly dependencies: readonly {readonly dependsOn: readonly string[]; readonly ref: string}[]
  readonly metadata: {readonly component: Component}
  readonly serialNumber: string
  readonly specVersion: '1.5'
  readonly version: 1
}

/** `node` is the Node.js that comes with the executable and the zip. */
export function makeSbom([own, ...others]: readonly Dependency[], node: NpmPackage): Sbom {
  const runtime: Dependency = {...node, dependsOn: [], license: 'MIT', place: ''}
  const all = [...others, runtime]
  const content = {
    components: all.map((one) => component(one, one === runtime ? 'platform' : 'library')),
    dependencies: [{...own!, dependsOn: [...own!.dependsOn, refOf(runtime)].sort()}, ...all].map((one) => ({
      dependsOn: one.dependsOn,
      ref: refOf(one),
    })),
    metadata: {component: component(own!, 'application')},
  }
  return {
    bomFormat: 'CycloneDX',
    ...content,
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`,
    specVersion: '1.5',
    version: 1,
  }
}

function component(dependency: Dependency, type: Component['type']): Component {
  const {integrity, license, name, purl, version} = dependency
  const [algorithm, digest] = integrity.split('-')
  return {
    'bom-ref': refOf(dependency),
    ...(algorithm === 'sha512' && {
      hashes: [{alg: 'SHA-512', content: Buffer.from(digest!, 'base64').toString('hex')}],
    }),
    licenses: /[ (]/.test(license) ? [{expression: license}] : [{license: {id: license}}],
    name,
    purl: purl ?? `pkg:npm/${name.replace('@', '%40')}@${version}`,
    type,
    version,
  }
}

const refOf = ({name, version}: Dependency): string => `${name}@${version}`

/** Version 8 of RFC 9562: bits of one's own choice, here of a digest. */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
