// What a killed run has left of the files it was just writing: the next setup removes it, and nothing else.
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {fileURLToPath} from 'node:url'
import {expect, onTestFinished, test} from 'vitest'
import type {Machine} from '../../src/machine/machine.js'
import {withMishap} from '../interruption/mishaps.js'
import {setUpHost} from '../reset/set-up-host.js'
import {setupOn} from './in-process.js'

const {copy} = setUpHost()
const UUID = '01234567-89ab-cdef-0123-456789abcdef'
const OURS = [
  String.raw`k\kubeconfig.${UUID}.tmp`,
  String.raw`k\kubelet-config.yaml.${UUID}.tmp`,
  String.raw`k\flanneld.exe.${UUID}.tmp`,
  String.raw`k\cni\config\cni.conf.${UUID}.tmp`,
  String.raw`k\kubernetes\node\bin\kubelet.exe.${UUID}.tmp`,
  String.raw`k\k8s-win\journal.ndjson.${UUID}.tmp`,
  String.raw`k\k8s-win\node.yaml.${UUID}.tmp`,
  String.raw`k\downloads\flanneld-v0.28.9.exe.partial`,
  String.raw`k\downloads\kubernetes-node-windows-amd64-v1.20.0.tar.gz.${UUID}.tmp`,
  String.raw`etc\kube-flannel\net-conf.json.${UUID}.tmp`,
]
const THEIRS = [
  String.raw`k\notes.txt.${UUID}.tmp`,
  String.raw`k\kubeconfig.tmp`,
  String.raw`k\kubeconfig.${UUID}.bak`,
  String.raw`k\theirs\kubeconfig.${UUID}.tmp`,
  String.raw`k\k8s-win\support.zip.${UUID}.tmp`,
  String.raw`k\downloads\theirs.zip.partial`,
  String.raw`etc\net-conf.json.${UUID}.tmp`,
  String.raw`etc\kube-flannel\theirs.json.${UUID}.tmp`,
]

test('review R5: the next setup removes what a killed run left of its files, and nothing of others', async () => {
  const host = copy()
  for (const path of [...OURS, ...THEIRS]) host.put(path, 'x')
  const planned = await setupOn(host.dir, {}, {dryRun: true})
  expect(planned.result.exitCode).toBe(0)
  expect(OURS.filter((path) => !host.has(path))).toEqual([])
  const {result} = await setupOn(host.dir)
  expect(result.error).toBeUndefined()
  expect(OURS.filter((path) => host.has(path))).toEqual([])
  expect(THEIRS.filter((path) => !host.has(path))).toEqual([])
})

test.each(['error', 'hang'] as const)(
  'review R5: a folder with an %s is a warning, and holds nobody up',
  async (mishap) => {
    const host = copy()
    const over = new AbortController()
    let isStruck = false
    const onStruck = (): void => void (isStruck = true)
    // As it is looked through for them, and by nothing else: in small letters.
    const site = {nth: 1, text: String.raw`files list c:\etc\kube-flannel`}
    const wrap = (machine: Machine): Machine => withMishap(machine, site, mishap, {onStruck, over: over.signal})
    const {events, result} = await setupOn(host.dir, {}, {wrap})
    over.abort()
    expect({exitCode: result.exitCode, isStruck}).toEqual({exitCode: 0, isStruck: true})
    const warned = events.filter((event) => event.type === 'log' && event.level === 'warn')
    expect(warned).toMatchObject([{message: expect.stringContaining('killed run') as string}])
    expect(result.durationMs).toBeLessThan(60_000)
  },
)

test('review R5: a link of such a name stays, and is not followed', async () => {
  const host = copy()
  const link = String.raw`k\kubeconfig.${UUID}.tmp`
  host.put(String.raw`Users\theirs.txt`, 'theirs')
  host.link(link, String.raw`Users\theirs.txt`)
  await setupOn(host.dir)
  expect(host.has(link)).toBe(true)
  expect(host.read(String.raw`Users\theirs.txt`)).toBe('theirs')
})

test('review R5: a process that is killed in the middle of a write leaves nothing to the setup after next', async () => {
  const host = copy().onDisk()
  onTestFinished(() => host.discard())
  const script = `
    import {openDrive} from './src/simulator/drive.ts'
    async function* chunks() {
      yield Buffer.from('half')
      console.log('written')
      await new Promise(() => setInterval(() => {}, 1000))
    }
    await openDrive(${JSON.stringify(host.dir)}).writeChunks('C:\\\\k\\\\kubeconfig', chunks())
  `
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
  const temporaries = (): string[] => Object.keys(host.filesBut((name) => !name.endsWith('.tmp')))
  expect(temporaries()).toHaveLength(1)
  expect((await setupOn(host.dir)).result.error).toBeUndefined()
  expect(temporaries()).toEqual([])
})
