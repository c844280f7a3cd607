// What the download hosts of the lab have: archives with the true names of their members, and programs that run in them.
import {createHash} from 'node:crypto'
import {gzipSync} from 'node:zlib'
import type {RuntimeName} from '../../../src/config/model.js'
import {type ArtifactId, ARTIFACT_KINDS, artifactOf} from '../../../src/simulator/mirror/artifact.js'
import {makeStandIn, readStandIn, type StandIn} from '../../../src/simulator/mirror/stand-in.js'
import {writeTar} from '../../../src/machine/tar.js'

/** The message of the DOS stub, up to the PE header: Windows never looks at it. */
const STUB = {end: 0x80, start: 0x40}

export interface MirrorFiles {
  /** What they are by name in the mirror's folder. */
  readonly files: Readonly<Record<string, Buffer>>
  /** Flags that make setup with these arguments accept them. */
  flagsFor(args: readonly string[]): string[]
}

export interface MirrorPrograms {
  readonly daemon: Buffer
  readonly hostLocal: Buffer
}

type Versions = readonly [string, ...string[]]

/** The first is setup's default. */
const EVERYWHERE: Readonly<Record<'cni-plugins' | 'flannel-cni' | 'flanneld', Versions>> = {
  'cni-plugins': ['1.9.1'],
  'flannel-cni': ['1.9.1-flannel3'],
  flanneld: ['0.28.9'],
}
const LAB_VERSIONS: Readonly<Record<RuntimeName, Readonly<Partial<Record<ArtifactId, Versions>>>>> = {
  containerd: {...EVERYWHERE, containerd: ['2.3.4'], crictl: ['1.36.0'], kubernetes: ['1.36.4', '1.36.3']},
  docker: {...EVERYWHERE, kubernetes: ['1.21.5', '1.21.14']},
}

/** Of the true ones a dry run knows the other digest, and that k8s-win's is not it. */
const UNPUBLISHED = {
  'cni-plugins': 'sha512',
  containerd: 'sha512',
  crictl: 'sha512',
  'flannel-cni': 'sha512',
  flanneld: 'sha512',
  kubernetes: 'sha256',
} as const satisfies Record<ArtifactId, string>

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

export function makeMirrorFiles(runtime: RuntimeName, programs: MirrorPrograms): MirrorFiles {
  const files: Record<string, Buffer> = {}
  const index: Record<string, string> = {}
  const artifacts = Object.entries(LAB_VERSIONS[runtime]) as [ArtifactId, Versions][]
  for (const [id, versions] of artifacts) {
    for (const version of versions) {
      const name = `${id}-${version}`
      files[name] = artifact(id, version, programs)
      index[artifactOf(id, version).url] = name
    }
  }

  const digest = (id: ArtifactId, version: string): string => {
    const algorithm = UNPUBLISHED[id]
    return `${algorithm}:${createHash(algorithm).update(files[`${id}-${version}`]!).digest('hex')}`
  }
  return {
    files: {...files, 'index.json': Buffer.from(JSON.stringify(index))},
    flagsFor(args) {
      const release = args[args.indexOf('--release') + 1]
      return artifacts.flatMap(([id, [standard]]) => {
        const version = id === 'kubernetes' && args.includes('--release') ? String(release) : standard
        return ['--digest', `${id}=${digest(id, version)}`]
      })
    },
  }
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
