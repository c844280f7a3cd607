// Files through the product's own door, on Windows' paths: atomic, long, in any letters, held by others, linked.
import assert from 'node:assert/strict'
import {type ChildProcess, execFileSync, spawn} from 'node:child_process'
import {once} from 'node:events'
import {chmod, mkdtemp, open, readdir, rm, symlink, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {after, before, describe, test} from 'node:test'
import type {FileError} from '../../../src/machine/files.js'
import {openFiles} from '../../../src/machine/real/files.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import {openFolderHandles} from '../../../src/machine/real/win32/folder-handles.js'
import {lazyNative} from '../../../src/machine/real/win32/library.js'
import {removalBy} from '../../../src/machine/real/win32/remove-by-handle.js'
import {hurried} from './service-rig.js'
import {IS_WINE} from './windows-host.js'

const machine = openRealMachine()
const {files} = machine
const removal = removalBy(openFolderHandles(lazyNative('win32')))
const impatient = openFiles({clock: hurried(machine.clock, 100), removal})
let folder: string

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'k8s-win files ü中 %x% -'))
})
after(() => rm(folder, {force: true, maxRetries: 10, recursive: true}))

const leftovers = async () => (await readdir(folder)).filter((name) => name.endsWith('.tmp'))
const text = async (file: string) => String(await files.read(file))

describe('a file', () => {
  test('is written in one piece over an old one, by any path that Windows takes', async () => {
    const file = path.join(folder, 'Grün 中.txt')
    for (const [target, content] of [
      [file, 'one'],
      [file.replaceAll('\\', '/'), 'two'],
      [file.toUpperCase(), 'three'],
    ] as const) {
      await files.write(target, content)
      assert.equal(await text(file), content)
    }
    const {kind, modifiedMs, size} = (await files.status(file))!
    assert.deepEqual({kind, size}, {kind: 'file', size: 5})
    assert.ok(Math.abs(modifiedMs - Date.now()) < 60_000)
    assert.deepEqual(await leftovers(), [])
  })

  test('is written by chunks, appended to, read by chunks and digested', async () => {
    const file = path.join(folder, 'chunks')
    async function* chunks() {
      for (let count = 0; count < 64; count++) yield Buffer.alloc(65_536, count)
    }
    assert.equal(await files.writeChunks(file, chunks()), 4_194_304)
    await files.append(file, 'ü')
    let bytes = 0
    for await (const chunk of files.readChunks(file)) bytes += chunk.length
    assert.equal(bytes, 4_194_306)
    await files.write(file, 'abc')
    const digest = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    assert.equal(await files.digest(file, 'sha256'), digest)
  })

  test('is read in pieces while others have it open, and known again under another name', async () => {
    const file = path.join(folder, 'daemon.log')
    const renamed = path.join(folder, 'daemon.1.log')
    const writer = await open(file, 'a')
    try {
      await writer.write('first\n')
      const first = await files.readRange(file, 0, 100)
      await writer.write('second\n')
      const second = await files.readRange(file, 6, 100)
      assert.deepEqual([String(first?.bytes), String(second?.bytes), second?.size], ['first\n', 'second\n', 13])
      assert.equal((await files.status(file))?.size, 13)
      await files.rename(file, renamed)
      await files.append(file, 'another\n')
      assert.equal((await files.readRange(renamed, 0, 1))?.identity, first?.identity)
      assert.notEqual((await files.readRange(file, 0, 1))?.identity, first?.identity)
    } finally {
      await writer.close()
    }
  })

  test('that is not there, or is a folder, is distinguished', async () => {
    const file = path.join(folder, 'plain')
    await files.write(file, 'x')
    assert.equal(await files.read(path.join(folder, 'nobody')), undefined)
    assert.equal(await files.status(path.join(folder, 'nobody', 'x')), undefined)
    assert.deepEqual(await files.list(path.join(folder, 'nobody')), [])
    await assert.rejects(files.read(folder), {code: 'EISDIR'})
    await assert.rejects(files.list(file), {code: 'ENOTDIR'})
    await assert.rejects(files.write(path.join(folder, 'nobody', 'x'), ''), {code: 'ENOENT', name: 'FileError'})
  })

  test('is renamed over another, and folders over folders', async () => {
    const [from, to] = [path.join(folder, 'from ü'), path.join(folder, 'to 中')]
    await files.write(from, 'new')
    await files.write(to, 'old')
    await files.rename(from, to)
    assert.deepEqual([await text(to), await files.status(from)], ['new', undefined])
    await files.makeDirectory(path.join(folder, 'a', 'b'))
    await files.makeDirectory(path.join(folder, 'c', 'd'))
    await files.rename(path.join(folder, 'a'), path.join(folder, 'c'))
    assert.deepEqual(await files.list(path.join(folder, 'c')), ['b'])
  })

  test('in folders of more than 260 letters', async () => {
    const first = path.join(folder, 'long ü'.repeat(10))
    const deep = path.join(first, ...Array.from({length: 8}, () => '中'.repeat(60)))
    assert.ok(deep.length > 500)
    await files.makeDirectory(deep)
    const file = path.join(deep, 'file')
    await files.write(file, 'deep', {sddl: 'O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)'})
    await files.rename(file, `${file} 2`)
    assert.deepEqual([await text(`${file} 2`), await files.list(deep)], ['deep', ['file 2']])
    assert.match(await machine.win32.securityOf(`${file} 2`), /^O:/)
    await files.remove(first)
    assert.equal(await files.status(first), undefined)
  })
})

describe('a file that is', () => {
  test('read-only is removed, and is not replaced', async () => {
    const file = path.join(folder, 'read-only')
    await files.write(file, 'old')
    await chmod(file, 0o444)
    await assert.rejects(impatient.write(file, 'new'), {code: 'EPERM', operation: 'write'})
    assert.equal(await text(file), 'old')
    assert.deepEqual(await leftovers(), [])
    await files.remove(file)
    assert.equal(await files.status(file), undefined)
  })

  test('held by another process is replaced as soon as that lets go', async () => {
    const file = path.join(folder, 'held ü')
    await files.write(file, 'old')
    const holder = await hold(file)
    try {
      const writing = files.write(file, 'new')
      await machine.clock.sleep(300)
      // Node opens files for others to delete: a newer Windows may replace one at once.
      if (IS_WINE) assert.equal(await text(file), 'old')
      holder.kill()
      await writing
      assert.equal(await text(file), 'new')
    } finally {
      holder.kill()
    }
  })
})

describe('review S2-1: by handle', () => {
  test('a whole tree is removed: nested, empty, long, read-only, in any letters, and a folder of many', async () => {
    const tree = path.join(folder, 'tree ü中')
    const deep = path.join(tree, ...Array.from({length: 12}, (_, level) => `${level} ${'ü'.repeat(40)}`))
    await files.makeDirectory(deep)
    await files.makeDirectory(path.join(tree, 'empty', 'empty'))
    for (const name of [path.join(deep, 'read-only'), path.join(tree, 'read-only')]) {
      await files.write(name, 'x')
      await chmod(path.toNamespacedPath(name), 0o444)
    }

    // More than one answer of Windows has room for.
    const many = path.join(tree, 'many')
    await files.makeDirectory(many)
    for (let count = 0; count < 600; count++) await writeFile(path.join(many, `${count} ${'x'.repeat(60)}`), '')
    await removal.remove(tree.toUpperCase().replaceAll('\\', '/'))
    assert.equal(await files.status(tree), undefined)
    await removal.remove(tree)
    await removal.remove(path.join(tree, 'below', 'nothing'))
  })

  test('what another process has open does not keep the rest', async () => {
    const tree = path.join(folder, 'in use')
    await files.makeDirectory(path.join(tree, 'sub'))
    for (const name of ['a', 'sub\\held', 'z']) await files.write(path.join(tree, name), 'x')
    const holder = await hold(path.join(tree, 'sub', 'held'))
    try {
      // Node lets others delete what it has open, and on Windows the name is free at once.
      const outcome = await removal.remove(tree).then(
        () => 'removed',
        (error: unknown) => (error as FileError).code,
      )
      assert.ok(['EBUSY', 'ENOTEMPTY', 'EPERM', 'removed'].includes(outcome), outcome)
      assert.deepEqual(await files.list(tree), outcome === 'removed' ? [] : ['sub'])
    } finally {
      holder.kill()
    }

    await files.remove(tree)
    assert.equal(await files.status(tree), undefined)
  })

  test('review S2-13: a folder is removed only if it is empty', async () => {
    const full = path.join(folder, 'full')
    await files.makeDirectory(path.join(full, 'empty'))
    assert.equal(await removal.removeEmpty(full), false)
    assert.equal(await removal.removeEmpty(path.join(full, 'none')), false)
    assert.equal(await removal.removeEmpty(path.join(full, 'empty')), true)
    await files.write(path.join(full, 'file'), '')
    assert.equal(await removal.removeEmpty(path.join(full, 'file')), false)
    assert.deepEqual(await files.list(full), ['file'])
  })

  test('folders that become junctions meanwhile lead nowhere', {skip: IS_WINE && 'Wine has no junctions'}, async () => {
    const [victim, tree] = [path.join(folder, 'victim'), path.join(folder, 'swapped')]
    await files.makeDirectory(victim)
    await files.write(path.join(victim, 'kept'), '')
    const names = Array.from({length: 200}, (_, count) => path.join(tree, String(count)))
    for (const name of names) {
      await files.makeDirectory(name)
      await writeFile(path.join(name, 'kept'), '')
    }

    const swapper = spawn(process.execPath, ['-e', SWAPPER, victim, ...names], {stdio: ['ignore', 'pipe', 'inherit']})
    await once(swapper.stdout, 'data')
    await removal.remove(tree).catch(() => {})
    swapper.kill()
    assert.deepEqual(await files.list(victim), ['kept'])
    await files.remove(tree)
    assert.deepEqual([await files.list(victim), await files.status(tree)], [['kept'], undefined])
  })
})

test('a junction is reported as a link, and removed without what it leads to', async () => {
  const [target, link] = [path.join(folder, 'target'), path.join(folder, 'link')]
  await files.makeDirectory(target)
  await writeFile(path.join(target, 'kept'), '')
  const made = symlink(target, link, 'junction')
  // Wine 10 has no reparse points on its drives.
  if (IS_WINE) return assert.rejects(made, {code: 'ENOTSUP'})
  await made
  assert.equal((await files.status(link))?.kind, 'link')
  await files.remove(link)
  assert.deepEqual([await files.status(link), await files.list(target)], [undefined, ['kept']])
})

test('a junction that denies DELETE is not followed when its folder is removed', async () => {
  const [target, removed] = [path.join(folder, 'outside'), path.join(folder, 'removed')]
  const link = path.join(removed, 'link')
  await files.makeDirectory(target)
  await files.makeDirectory(removed)
  await writeFile(path.join(target, 'kept'), '')
  const made = symlink(target, link, 'junction')
  if (IS_WINE) return assert.rejects(made, {code: 'ENOTSUP'})
  await made
  // Either DELETE of the link or DELETE_CHILD of its folder is enough to remove the link. /L changes the link itself.
  icacls(link, '/deny', '*S-1-1-0:(DE)', '/L')
  icacls(removed, '/deny', '*S-1-1-0:(DC)')
  // A process with SeRestorePrivilege may remove the link all the same.
  const outcome = await impatient.remove(removed).then(
    () => 'removed',
    (error: unknown) => (error as FileError).code,
  )
  assert.deepEqual(await readdir(target), ['kept'])
  if (outcome === 'removed') return
  assert.equal(outcome, 'EPERM')
  icacls(removed, '/remove:d', '*S-1-1-0')
  icacls(link, '/remove:d', '*S-1-1-0', '/L')
  await files.remove(removed)
  assert.deepEqual([await files.status(removed), await files.list(target)], [undefined, ['kept']])
})

/** By its whole path, as k8s-win runs the programs of Windows. */
const ICACLS = String.raw`C:\Windows\System32\icacls.exe`

function icacls(...args: string[]): void {
  execFileSync(ICACLS, args, {stdio: 'pipe'})
}

/** Another process that has the file open until it is killed. */
async function hold(file: string): Promise<ChildProcess> {
  const script = "require('node:fs').openSync(process.argv[1], 'r+'); console.log(1); setInterval(() => {}, 1000)"
  const holder = spawn(process.execPath, ['-e', script, file], {stdio: ['ignore', 'pipe', 'inherit']})
  await once(holder.stdout, 'data')
  return holder
}

/** Puts a junction in the place of each folder, from the last to the first. */
const SWAPPER = `
  const {renameSync, symlinkSync} = require('node:fs')
  const [victim, ...names] = process.argv.slice(1)
  console.log(1)
  for (const name of names.reverse()) {
    try {
      renameSync(name, name + ' moved')
      symlinkSync(victim, name, 'junction')
    } catch {}
  }
  setInterval(() => {}, 1000)
`
