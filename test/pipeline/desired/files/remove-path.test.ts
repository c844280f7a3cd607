// Removing files: what is there, and what a write that was cut short left beside it; nothing else.
import {expect, it} from 'vitest'
import type {Host} from '../../../../src/host/host.js'
import {IF_EMPTY, removeIfEmpty, removePath, temporariesOf} from '../../../../src/pipeline/desired/files/remove-path.js'
import {memoryFiles} from '../../../fakes/memory-files.js'
import {only} from '../../../fakes/partial.js'

const PATH = String.raw`C:\k\kubelet.exe`
const ID = '0a1b2c3d-0000-4000-8000-0a1b2c3d4e5f'

it('what is there goes and is reported, what is not there is passed over', async () => {
  const files = memoryFiles({[PATH]: 'x', [`${PATH}.mine`]: 'y'})
  const changes: string[] = []
  const context = {changed: (what: string) => void changes.push(what), host: only<Host>('host', {files})}
  await removePath(context, PATH, ', left by a run')
  await removePath(context, PATH)
  expect(Object.keys(files.contents())).toEqual([`${PATH}.mine`])
  expect(changes).toEqual([`remove ${PATH}, left by a run`])
})

it('of a file only its own temporaries are named, in any letters', async () => {
  const own = [`${PATH}.${ID}.tmp`, `C:\\k\\KUBELET.exe.F${ID.slice(1)}.TMP`]
  const others = [PATH, `${PATH}.tmp`, `${PATH}.${ID}`, `${PATH}.old.${ID}.tmp`, `C:\\k\\kubectl.exe.${ID}.tmp`]
  const files = memoryFiles(Object.fromEntries([...own, ...others].map((path) => [path, 'x'])))
  expect((await temporariesOf(files, String.raw`C:\k\Kubelet.EXE`)).sort()).toEqual([...own].sort())
})

it('review S2-13: a folder goes only if it is empty, also where it is filled after the check', async () => {
  const files = memoryFiles({'C:\\k\\full\\x': 'x', [PATH]: 'x'})
  for (const folder of ['C:\\k\\empty', 'C:\\k\\raced']) await files.makeDirectory(folder)
  const list = async (path: string): Promise<string[]> => {
    const names = await files.list(path)
    if (path.endsWith('raced')) await files.write('C:\\k\\raced\\mine', 'x')
    return names
  }
  const changes: string[] = []
  const host = only<Host>('host', {files: {...files, list}})
  const context = {changed: (what: string) => void changes.push(what), host}
  for (const name of ['empty', 'full', 'kubelet.exe', 'none', 'raced']) await removeIfEmpty(context, `C:\\k\\${name}`)
  expect(changes).toEqual([`remove C:\\k\\empty${IF_EMPTY}`])
  expect(Object.keys(files.contents()).sort()).toEqual(['C:\\k\\full\\x', PATH, 'C:\\k\\raced\\mine'])
})
