import {describe, expect, it} from 'vitest'
import {errorCode} from '../../../../src/machine/real/file-retry.js'
import {openFolderHandles} from '../../../../src/machine/real/win32/folder-handles.js'
import {removalBy} from '../../../../src/machine/real/win32/remove-by-handle.js'
import {
  FakeVolume,
  file,
  folder,
  junction,
  native,
  pathsIn,
  type VolumeNode,
  type VolumeOptions,
} from './fake-volume.js'

const removal = removalBy(openFolderHandles(native))

/** C:\var\lib\kubelet, which is removed, and C:\victim, of which nothing may be. */
function host(options: VolumeOptions = {}) {
  const victim = folder({
    // The same names as in the tree.
    a: folder({b: folder({deep: file()}), f: file()}),
    f: file(),
    g: file(true),
    kubelet: folder({a: folder({b: folder({deep: file()}), f: file()}), f: file(), g: file(true)}),
    lib: folder({kubelet: folder({f: file()})}),
    z: folder(),
  })
  const tree = folder({
    a: folder({b: folder({deep: file()}), f: file()}),
    f: file(),
    g: file(true),
    z: folder(),
  })
  const lib = folder({kubelet: tree})
  const root = folder({users: folder(), var: folder({lib}), victim})
  const volume = new FakeVolume(root, options)
  const at = (...names: readonly string[]): VolumeNode | undefined => {
    let node: VolumeNode | undefined = root
    for (const name of names) node = node?.children?.get(name)?.node
    return node
  }
  return {at, lib, root, tree, victim, volume}
}

const TREE = String.raw`C:\var\lib\kubelet`
const kept = async (work: Promise<unknown>): Promise<string> => work.then(() => 'done', errorCode)

describe('removing by handle', () => {
  it('removes a nested tree with read-only files, and names that are not valid Unicode, through folders only', async () => {
    const {lib, tree, victim, volume} = host()
    tree.children?.set('\ud800', {name: '\ud800', node: folder({'x\udfff': file()})})
    await removal.remove('c:/VAR/lib\\.\\Kubelet')
    expect(pathsIn(lib)).toEqual([])
    expect(pathsIn(victim)).toHaveLength(17)
    expect(volume.handles.size).toBe(0)
  })

  it('removes junctions at any depth, and the target of none', async () => {
    const {at, lib, victim} = host()
    const before = pathsIn(victim)
    at('var', 'lib', 'kubelet', 'a', 'b')?.children?.set('j', {name: 'j', node: junction(victim)})
    at('var', 'lib', 'kubelet')?.children?.set('j', {name: 'j', node: junction(victim)})
    await removal.remove(TREE)
    lib.children?.set('j', {name: 'j', node: junction(victim)})
    await removal.remove(String.raw`C:\var\lib\j`)
    expect([pathsIn(lib), pathsIn(victim)]).toEqual([[], before])
  })

  it('removes a single file', async () => {
    const {tree} = host()
    await removal.remove(String.raw`C:\var\lib\kubelet\g`)
    expect(pathsIn(tree)).not.toContain('g')
  })

  it.each(['none', 'none\\deeper', 'f\\below'])('does nothing where there is nothing: %s', async (name) => {
    const {tree, volume} = host()
    const before = pathsIn(tree)
    await removal.remove(`${TREE}\\${name}`)
    expect(await removal.removeEmpty(`${TREE}\\${name}`)).toBe(false)
    expect([pathsIn(tree), volume.handles.size]).toEqual([before, 0])
  })

  it('refuses a path that leads through a junction', async () => {
    const {lib, victim, volume} = host()
    const before = pathsIn(victim)
    lib.children?.set('kubelet', {name: 'kubelet', node: junction(victim)})
    await expect(removal.remove(`${TREE}\\a`)).rejects.toMatchObject({code: 'ELOOP'})
    await expect(removal.removeEmpty(`${TREE}\\z`)).rejects.toMatchObject({code: 'ELOOP'})
    expect([pathsIn(victim), volume.handles.size]).toEqual([before, 0])
  })

  it('refuses the root of a drive', async () => {
    const {root} = host()
    const before = pathsIn(root)
    await expect(removal.remove('C:\\')).rejects.toMatchObject({code: 'EPERM'})
    expect(pathsIn(root)).toEqual(before)
  })

  it('removes what it can beside a file that is in use, and reports that', async () => {
    const {at, tree, volume} = host()
    const used = at('var', 'lib', 'kubelet', 'a', 'f')
    if (used) volume.held.add(used)
    await expect(removal.remove(TREE)).rejects.toMatchObject({code: 'EBUSY', syscall: 'NtOpenFile'})
    expect([pathsIn(tree), volume.handles.size]).toEqual([['a', 'a\\f'], 0])
  })

  it.each([1, 50, 87])('asks an older file system in the older way: %i', async (oldFileSystem) => {
    const {tree} = host({oldFileSystem})
    // Clearing the attribute would change the file under its other names, too.
    await expect(removal.remove(TREE)).rejects.toMatchObject({code: 'EPERM'})
    expect(pathsIn(tree)).toEqual(['g'])
  })

  it('names another refusal as Node does', async () => {
    const {tree} = host({oldFileSystem: 5})
    const before = pathsIn(tree)
    await expect(removal.remove(TREE)).rejects.toMatchObject({code: 'EPERM', syscall: 'SetFileInformationByHandle'})
    expect(pathsIn(tree)).toEqual(before)
  })
})

describe('review S2-13: a folder that is removed only if it is empty', () => {
  it('is removed, and one with something in it is not, whenever that came', async () => {
    const {tree, volume} = host()
    expect(await removal.removeEmpty(`${TREE}\\z`)).toBe(true)
    expect(await removal.removeEmpty(`${TREE}\\a`)).toBe(false)
    expect(await removal.removeEmpty(`${TREE}\\f`)).toBe(false)
    expect(pathsIn(tree)).toEqual(['a', 'a\\b', 'a\\b\\deep', 'a\\f', 'f', 'g'])
    expect(volume.handles.size).toBe(0)
  })

  it('is not a junction', async () => {
    const {tree, victim} = host()
    tree.children?.set('z', {name: 'z', node: junction(victim)})
    expect(await removal.removeEmpty(`${TREE}\\z`)).toBe(false)
    expect(pathsIn(tree)).toContain('z')
  })
})

/** What another account does between two calls. Nothing where Windows would not let it. */
type Swap = (on: ReturnType<typeof host>, parent: VolumeNode, name: string) => void

const free = ({volume}: ReturnType<typeof host>, node: VolumeNode | undefined): boolean =>
  node !== undefined && volume.isFree(node)

const moveAway = (on: ReturnType<typeof host>, parent: VolumeNode, name: string): boolean => {
  const node = parent.children?.get(name)?.node
  if (!node || !free(on, node)) return false
  parent.children?.delete(name)
  on.at('users')?.children?.set(`moved ${name}`, {name: `moved ${name}`, node})
  return true
}

const SWAPS: Readonly<Record<string, Swap>> = {
  'a folder or file renamed away': moveAway,
  'one replaced by a file': (on, parent, name) => {
    if (moveAway(on, parent, name)) parent.children?.set(name, {name, node: file()})
  },
  'one replaced by a full folder': (on, parent, name) => {
    if (moveAway(on, parent, name)) parent.children?.set(name, {name, node: folder({mine: file()})})
  },
  'one replaced by a junction': (on, parent, name) => {
    if (moveAway(on, parent, name)) parent.children?.set(name, {name, node: junction(on.victim)})
  },
  'one replaced by a junction, and back': (on, parent, name) => {
    const node = parent.children?.get(name)?.node
    if (!moveAway(on, parent, name)) return
    parent.children?.set(name, {name, node: junction(on.victim)})
    const seen = on.volume.calls
    on.volume.between = (call) => {
      if (call > seen && node) parent.children?.set(name, {name, node})
    }
  },
  // FSCTL_SET_REPARSE_POINT, which takes no handle that sharing forbids (FILE_WRITE_ATTRIBUTES), and an empty folder.
  'a folder emptied and turned into a junction': (on, parent, name) => {
    const node = parent.children?.get(name)?.node
    if (!node?.children) return
    for (const child of node.children.keys()) moveAway(on, node, child)
    if (node.children.size === 0) node.target = on.victim
  },
  'a folder emptied, turned into a junction, and back': (on, parent, name) => {
    SWAPS['a folder emptied and turned into a junction']?.(on, parent, name)
    const node = parent.children?.get(name)?.node
    const seen = on.volume.calls
    on.volume.between = (call) => {
      if (call > seen && node) delete node.target
    }
  },
}

const PLACES = ['a', 'a\\b', 'a\\b\\deep', 'a\\f', 'f', 'g', 'z', '']

describe.each(Object.keys(SWAPS))('review S2-1: nothing outside of the tree is removed: %s', (swap) => {
  it.each(PLACES)('at kubelet\\%s, before any of the calls', async (place) => {
    const undisturbed = host()
    await removal.remove(TREE)
    const outcomes = new Set<string>()
    for (let moment = 0; moment <= undisturbed.volume.calls; moment++) {
      const on = host()
      const before = pathsIn(on.victim)
      const names = ['var', 'lib', 'kubelet', ...place.split('\\').filter(Boolean)]
      on.volume.between = (call) => {
        const parent = on.at(...names.slice(0, -1))
        if (call === moment && parent) SWAPS[swap]?.(on, parent, names.at(-1) ?? '')
      }
      outcomes.add(await kept(removal.remove(TREE)))
      on.volume.between = () => {}
      outcomes.add(await kept(removal.removeEmpty(TREE)))
      expect(pathsIn(on.victim), `before call ${moment}`).toEqual(before)
      expect(on.volume.handles.size).toBe(0)
      // Tried again, as the caller does.
      await kept(removal.remove(TREE))
      expect(pathsIn(on.victim), `before call ${moment}, again`).toEqual(before)
      expect(on.at('var', 'lib', 'kubelet')).toBeUndefined()
    }

    expect([...outcomes].filter((code) => !['done', 'EBUSY', 'ENOTEMPTY', 'UNKNOWN', 'ELOOP'].includes(code))).toEqual(
      [],
    )
  })

  it('in the folders above it, before any of the calls', async () => {
    for (const names of [['var'], ['var', 'lib']]) {
      for (let moment = 0; moment < 12; moment++) {
        const on = host()
        const before = pathsIn(on.victim)
        on.volume.between = (call) => {
          const parent = on.at(...names.slice(0, -1))
          if (call === moment && parent) SWAPS[swap]?.(on, parent, names.at(-1) ?? '')
        }
        await kept(removal.remove(TREE))
        expect(pathsIn(on.victim), `${names.at(-1)}, before call ${moment}`).toEqual(before)
        expect(on.volume.handles.size).toBe(0)
      }
    }
  })
})
