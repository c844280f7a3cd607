// What the download hosts of the lab have: archives with the true names of their members, and programs that run in them.
import {createHash} from 'node:crypto'
import {gzipSync} from 'node:zlib'
import {type ArtifactId, ARTIFACT_KINDS, artifactOf} from '../../../src/simulator/mirror/artifact.js'
import {makeStandIn, readStandIn, type StandIn} from '../../../src/simulator/mirror/stand-in.js'
import {writeTar} from '../../../src/simulator/mirror/tar.js'

/** The message of the DOS stub, up to the PE header: Windows never looks at it. */
const STUB = {end: 0x80, start: 0x40}

export interface MirrorFiles {
  /** What they are by name in the mirror's folder. */
  readonly files: Readonly<Record<string, Buffer>>
  /** Flags that make setup accept them. */
  readonly flags: readonly string[]
}

export interface MirrorPrograms {
  readonly daemon: Buffer
  readonly hostLocal: Buffer
}

export const LAB_VERSIONS: Readonly<Record<ArtifactId, string>> = {
  'cni-plugins': '1.9.1',
  'flannel-cni': '1.9.1-flannel3',
  flanneld: '0.28.9',
  kubernetes: '1.21.5',
}

/** The program, marked so that the simulator takes it for what it stands for. */
export function stamped(program: Buffer, standIn: StandIn): Buffer {
  const mark = makeStandIn(standIn).subarray('MZ'.length)
  if (mark.length > STUB.end - STUB.start) throw new Error(`no room for ${standIn.name} ${standIn.version}`)
  const copy = Buffer.from(program)
  copy.fill(0, STUB.start, STUB.end)
  mark.copy(copy, STUB.start)
  if (readStandIn(copy)?.name !== standIn.name) throw new Error(`${standIn.name} was not marked`)
  return copy
}

export function makeMirrorFiles(programs: MirrorPrograms): MirrorFiles {
  const files: Record<string, Buffer> = {}
  const index: Record<string, string> = {}
  const flags: string[] = []
  for (const [id, version] of Object.entries(LAB_VERSIONS) as [ArtifactId, string][]) {
    const bytes = artifact(id, version, programs)
    files[id] = bytes
    index[artifactOf(id, version).url] = id
    flags.push('--digest', `${id}=sha256:${createHash('sha256').update(bytes).digest('hex')}`)
  }
  return {files: {...files, 'index.json': Buffer.from(JSON.stringify(index))}, flags}
}

function artifact(id: ArtifactId, version: string, programs: MirrorPrograms): Buffer {
  const {members} = ARTIFACT_KINDS[id]
  if (!members) return member(id === 'flannel-cni' ? 'flannel.exe' : `${id}.exe`, version, programs)
  const tar = writeTar(members(version).map((name) => ({content: member(name, version, programs), name})))
  return gzipSync(tar, {level: 1})
}

function member(file: string, version: string, {daemon, hostLocal}: MirrorPrograms): Buffer {
  const name = /([\w-]+)\.exe$/.exec(file)?.[1]
  if (name === undefined) return Buffer.from(`${file}: of the lab\n`)
  return name === 'host-local' ? hostLocal : stamped(daemon, {name, version: `v${version}`})
}
