// Whether a pod may run under a containerd that does not respond: by the paths of shims, whose name any program can have.
import {expect, test} from 'vitest'
import {type ProcessPath, Win32Error} from '../../../../src/machine/win32.js'
import {hasNoShims} from '../../../../src/pipeline/desired/services/stop-service.js'

const program = String.raw`C:\k\containerd\bin\containerd.exe`
const NAME = 'containerd-shim-runhcs-v1.exe'
const TOOLS = String.raw`c:\tools`

const at = (folder: string): ProcessPath => ({id: 40, path: `${folder}\\${NAME}`})

interface Setting {
  readonly isListed?: boolean
  readonly paths: readonly ProcessPath[] | Win32Error
}

async function judge({isListed = true, paths}: Setting): Promise<boolean> {
  const running = isListed ? [{id: 4, name: 'System', parentId: 0}] : []
  const shims = paths instanceof Win32Error ? [{id: 40}] : paths
  const calls = {
    environment: {isOnPath: async (folder: string) => folder.toLowerCase() === TOOLS},
    services: {
      processes: async () => [...running, ...shims.map(({id}) => ({id, name: NAME.toUpperCase(), parentId: 9}))],
      async processPaths() {
        if (paths instanceof Win32Error) throw paths
        return paths
      },
    },
  }
  return hasNoShims(calls, {program})
}

test.each<[string, Setting]>([
  ['no process has their name', {paths: []}],
  ["one of their name is a user's program", {paths: [at(String.raw`C:\Users\bob`)]}],
])('review W3-3: no shim runs where %s', async (_, setting) => {
  expect(await judge(setting)).toBe(true)
})

test.each<[string, Setting]>([
  ['one is beside containerd', {paths: [at(String.raw`c:\K\containerd\bin`)]}],
  ['one is among others', {paths: [at(String.raw`C:\Users\bob`), at(String.raw`C:\k\containerd\bin`)]}],
  ['one is in Path', {paths: [at(String.raw`C:\Tools`)]}],
  [
    'one is in the folder that containerd puts before Path',
    {paths: [at(String.raw`C:\ProgramData\containerd\root\opt\bin`)]},
  ],
  ['Windows denies the path of one', {paths: [{id: 40}]}],
  ['Windows denies all paths', {paths: new Win32Error('CreateToolhelp32Snapshot', 5, 'processes')}],
  ['the list has no process', {isListed: false, paths: []}],
])('review W3-3: a shim may run where %s', async (_, setting) => {
  expect(await judge(setting)).toBe(false)
})
