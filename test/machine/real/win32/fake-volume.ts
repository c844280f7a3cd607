// Drive C as Windows' own calls by handle see it, for tests of what goes by handles: with junctions, sharing, and somebody
// who changes it between any two calls. Rules: MS-FSA 2.1.5.1 (open, sharing), 2.1.5.14.3 (disposition), ntifs.h.
import koffi from 'koffi'
import {fakeNative} from './fake-native.js'

const [DELETE, LIST, SHARE_DELETE] = [0x1_00_00, 0x1, 4]
const [DIRECTORY_FILE, NON_DIRECTORY_FILE, OPEN_REPARSE_POINT, DONT_REPARSE] = [0x1, 0x40, 0x20_00_00, 0x10_00]
const [NOT_FOUND, IS_FOLDER, NOT_A_FOLDER, SHARED, REPARSED] = [
  0xc000_0034, 0xc000_00ba, 0xc000_0103, 0xc000_0043, 0xc000_050b,
]
const WIN32: Readonly<Record<number, number>> = {[SHARED]: 32, [REPARSED]: 4395}

export interface VolumeNode {
  /** Undefined for a file. */
  readonly children?: Map<string, {readonly name: string; readonly node: VolumeNode}>
  isReadOnly?: boolean
  /** Of a junction: what it leads to. */
  target?: VolumeNode
}

interface Handle {
  readonly access: number
  cursor: number
  isDeleting: boolean
  readonly name: string
  readonly node: VolumeNode
  readonly parent: VolumeNode | undefined
  readonly share: number
}

export const folder = (entries: Readonly<Record<string, VolumeNode>> = {}): VolumeNode => ({
  children: new Map(Object.entries(entries).map(([name, node]) => [name.toLowerCase(), {name, node}])),
})
export const file = (isReadOnly = false): VolumeNode => ({isReadOnly})
export const junction = (target: VolumeNode): VolumeNode => ({...folder(), target})

/** All paths below, without following a junction. */
export function pathsIn(node: VolumeNode, above = ''): string[] {
  return [...(node.children?.values() ?? [])]
    .flatMap(({name, node: child}) => [`${above}${name}`, ...pathsIn(child, `${above}${name}\\`)])
    .sort()
}

export interface VolumeOptions {
  /** What SetFileInformationByHandle says to FILE_DISPOSITION_INFO_EX on an older file system. */
  readonly oldFileSystem?: number
}

export class FakeVolume {
  /** Before each call, with its number. */
  between: (call: number) => void = () => {}
  calls = 0
  readonly handles = new Map<bigint, Handle>()
  /** Opened by another program, which shares nothing. */
  readonly held = new Set<VolumeNode>()
  #next = 0x40n

  constructor(
    readonly root: VolumeNode,
    private readonly options: VolumeOptions = {},
  ) {
    use(this)
  }

  open(out: Buffer, access: number, object: Buffer, _status: Buffer, share: number, options: number): number {
    const start = koffi.address(object)
    if (object.readUInt32LE() !== 48 || object.readBigUInt64LE(16) !== start + 48n) throw new Error('OBJECT_ATTRIBUTES')
    if (object.readBigUInt64LE(56) !== start + 64n) throw new Error('UNICODE_STRING')
    const name = object.toString('utf16le', 64, 64 + object.readUInt16LE(48))
    const isFollowed = (object.readUInt32LE(24) & DONT_REPARSE) === 0
    const root = object.readBigUInt64LE(8)
    if (root === 0n) {
      if (!/^\\\?\?\\C:\\$/i.test(name)) throw new Error(`opened by a path: ${name}`)
      return this.#opened(out, {
        access,
        cursor: 0,
        isDeleting: false,
        name: '',
        node: this.root,
        parent: undefined,
        share,
      })
    }

    if (name === '' || name.includes('\\')) throw new Error(`not a name: ${name}`)
    const given = this.#of(root).node
    if (given.target && !isFollowed) return REPARSED
    const parent = given.target ?? given
    const entry = parent.children?.get(name.toLowerCase())
    if (!entry) return NOT_FOUND
    const isLink = entry.node.target !== undefined && (options & OPEN_REPARSE_POINT) === 0
    if (isLink && !isFollowed) return REPARSED
    const node = isLink ? (entry.node.target as VolumeNode) : entry.node
    if (node.children && (options & NON_DIRECTORY_FILE) !== 0) return IS_FOLDER
    if (!node.children && (options & DIRECTORY_FILE) !== 0) return NOT_A_FOLDER
    return this.#opened(out, {access, cursor: 0, isDeleting: false, name: entry.name, node, parent, share})
  }

  /** Whether somebody else may rename, replace or delete it now. */
  isFree(node: VolumeNode): boolean {
    return ![...this.handles.values()].some((handle) => handle.node === node && (handle.share & SHARE_DELETE) === 0)
  }

  #opened(out: Buffer, handle: Handle): number {
    const wantsDelete = (one: Handle): boolean => (one.access & DELETE) !== 0
    const isRefused = [...this.handles.values()].some(
      (other) =>
        other.node === handle.node &&
        ((wantsDelete(handle) && (other.share & SHARE_DELETE) === 0) ||
          (wantsDelete(other) && (handle.share & SHARE_DELETE) === 0)),
    )
    if (isRefused || (this.held.has(handle.node) && wantsDelete(handle))) return SHARED
    this.handles.set(++this.#next, handle)
    out.writeBigUInt64LE(this.#next)
    return 0
  }

  #of(handle: bigint): Handle {
    const found = this.handles.get(handle)
    if (!found) throw new Error(`no such handle: ${handle}`)
    return found
  }

  close(handle: bigint) {
    const {isDeleting, name, node, parent} = this.#of(handle)
    this.handles.delete(handle)
    const key = name.toLowerCase()
    // Renamed meanwhile: the file is deleted under its new name, which no test has.
    if (isDeleting && parent?.children?.get(key)?.node === node) parent.children.delete(key)
    return {result: 1}
  }

  attributes(handle: bigint, bytes: Buffer) {
    const {node} = this.#of(handle)
    bytes.writeUInt32LE((node.children ? 0x10 : 0x20) | (node.target ? 0x400 : 0))
    return {result: 1}
  }

  /** FILE_ID_BOTH_DIR_INFO, two at a time. */
  list(handle: bigint, kind: number, bytes: Buffer) {
    const opened = this.#of(handle)
    if ((opened.access & LIST) === 0) return {lastError: 5, result: 0}
    if (kind === 11) opened.cursor = 0
    const all = [
      ...['.', '..'].map((name) => ({name, node: opened.node})),
      // The worst that a handle to a junction could show.
      ...((opened.node.target ?? opened.node).children?.values() ?? []),
    ].slice(opened.cursor, opened.cursor + 2)
    if (all.length === 0) return {lastError: 18, result: 0}
    opened.cursor += all.length
    let at = 0
    for (const [index, {name, node}] of all.entries()) {
      const letters = Buffer.from(name, 'utf16le')
      const next = Math.ceil((104 + letters.length) / 8) * 8
      bytes.writeUInt32LE(index === all.length - 1 ? 0 : next, at)
      bytes.writeUInt32LE((node.children ? 0x10 : 0x20) | (node.target ? 0x400 : 0), at + 56)
      bytes.writeUInt32LE(letters.length, at + 60)
      letters.copy(bytes, at + 104)
      at += next
    }

    return {result: 1}
  }

  dispose(handle: bigint, kind: number, bytes: Buffer) {
    const opened = this.#of(handle)
    const {children, isReadOnly, target} = opened.node
    if (kind === 21 && this.options.oldFileSystem !== undefined)
      return {lastError: this.options.oldFileSystem, result: 0}
    if (kind === 21 && bytes.readUInt32LE() !== 0x13) throw new Error('flags')
    if (kind === 4 && bytes.readUInt8() !== 1) throw new Error('DeleteFile')
    if ((opened.access & DELETE) === 0 || (kind === 4 && isReadOnly)) return {lastError: 5, result: 0}
    if (children && !target && children.size > 0) return {lastError: 145, result: 0}
    opened.isDeleting = true
    return {result: 1}
  }
}

let current: FakeVolume
const use = (volume: FakeVolume): void => void (current = volume)

function play<A extends unknown[]>(work: (...args: A) => {lastError?: number; result: unknown}) {
  return (...args: A) => {
    current.between(current.calls++)
    return work(...args)
  }
}

/** Of the volume that was made last: declaring the functions takes longer than calling them. */
export const {native} = fakeNative({
  CloseHandle: play((handle: bigint) => current.close(handle)),
  GetFileInformationByHandleEx: play((handle: bigint, kind: number, bytes: Buffer) =>
    kind === 9 ? current.attributes(handle, bytes) : current.list(handle, kind, bytes),
  ),
  NtOpenFile: play((...args: Parameters<FakeVolume['open']>) => ({result: current.open(...args) | 0})),
  RtlNtStatusToDosError: (status: number) => ({result: WIN32[status >>> 0] ?? 5}),
  SetFileInformationByHandle: play((handle: bigint, kind: number, bytes: Buffer) =>
    current.dispose(handle, kind, bytes),
  ),
})
