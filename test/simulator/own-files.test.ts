// The simulator's own files, where the disk refuses them or a process is killed: real processes on one folder.
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {describe, expect, onTestFinished, test} from 'vitest'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {k8sWin, k8sWinProcess} from '../cli/program.js'
import {setUpHost} from '../reset/set-up-host.js'
import {temporaryFolder} from '../steps/rig.js'
import {sample} from '../sample.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const {copyOnDisk: copy} = setUpHost()
const environment = (dir: string) => ({K8S_WIN_SIMULATE: 'ws2019', K8S_WIN_SIMULATE_DIR: dir})

/** A process of its own that runs this module's text. */
function startScript(text: string) {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', text], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

describe('review R6: a file of the simulator that cannot be written', () => {
  test.runIf(existsSync('/dev/full')).each(
    sample(
      [
        ['machine.json', 'machine.json.tmp', ['setup', '--json', '--node-label', 'a=b']],
        ['machine.json', 'machine.json.tmp', ['reset', '--json', '--yes']],
        ['the transcript', 'transcript.ndjson', ['setup', '--json']],
        ['the transcript', 'transcript.ndjson', ['reset', '--json', '--yes']],
      ],
      2,
    ),
  )('%s on a full disk: exit code 3, and no stack', async (_, name, args) => {
    const {dir} = copy()
    rmSync(join(dir, name), {force: true})
    symlinkSync('/dev/full', join(dir, name))
    const {code, stderr, stdout} = await k8sWinProcess(args, environment(dir))
    const {error} = JSON.parse(stdout) as RunResultDocument
    expect({code, id: error?.id}).toEqual({code: 3, id: 'SIMULATOR_UNUSABLE'})
    expect(error?.cause).toContain('ENOSPC')
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  test.each(sample(['setup', 'reset', 'status', 'doctor', 'logs'], 2))(
    '%s: a folder is not a transcript',
    async (command) => {
      const {dir} = copy()
      mkdirSync(join(dir, 'transcript.ndjson'))
      const {code, stdout} = await k8sWin([command, '--json'], environment(dir))
      expect({code, id: (JSON.parse(stdout) as RunResultDocument).error?.id}).toEqual({
        code: 3,
        id: 'SIMULATOR_UNUSABLE',
      })
    },
  )
})

test('review R6: logs --bundle leaves machine.json as another command wrote it, and writes its file on the drive', async () => {
  const host = copy()
  // The kubelet is due: whoever opens the host to change it would note its sign of life.
  host.edit((world) => void (world.os.time = 0))
  const before = readFileSync(join(host.dir, 'machine.json'), 'utf8')
  expect((await k8sWin(['logs', '--bundle', String.raw`c:\support.zip`], environment(host.dir))).code).toBe(0)
  expect(readFileSync(join(host.dir, 'machine.json'), 'utf8')).toBe(before)
  expect(host.has('support.zip')).toBe(true)
})

test('review R6: a write that is killed leaves its temporary file where the real one does: beside the target', async () => {
  const dir = temporaryFolder()
  mkdirSync(join(dir, 'c', 'k'), {recursive: true})
  const child = startScript(`
    import {openDrive} from './src/simulator/drive.ts'
    async function* chunks() {
      yield Buffer.from('half')
      console.log('written')
      await new Promise(() => setInterval(() => {}, 1000))
    }
    await openDrive(${JSON.stringify(dir)}).writeChunks('C:\\\\k\\\\flanneld.exe', chunks())
  `)
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(readdirSync(dir)).toEqual(['c'])
  expect(readdirSync(join(dir, 'c', 'k'))).toEqual([expect.stringMatching(/^flanneld\.exe\.[\da-f-]{36}\.tmp$/)])
})

test('review R6: of several processes that want the lock at once, never two have it', async () => {
  const dir = temporaryFolder()
  const script = `
    import {rmSync, writeFileSync} from 'node:fs'
    import {join} from 'node:path'
    import {takeHostLock} from './src/simulator/host-lock.ts'
    const dir = ${JSON.stringify(dir)}
    const inside = join(dir, 'inside')
    let [taken, together] = [0, 0]
    for (let nth = 0; nth < 3000; nth++) {
      const release = takeHostLock(dir, 'test')
      if (!release) continue
      taken++
      try {
        writeFileSync(inside, '', {flag: 'wx'})
        rmSync(inside)
      } catch {
        together++
      }
      await release()
    }
    console.log(JSON.stringify({taken, together}))
  `
  const children = Array.from({length: 3}, () => startScript(script))
  const outputs = await Promise.all(
    children.map(async (child) => {
      const [text] = (await once(child.stdout, 'data')) as [Buffer]
      return JSON.parse(text.toString()) as {taken: number; together: number}
    }),
  )
  expect(outputs.reduce((sum, {together}) => sum + together, 0)).toBe(0)
  expect(outputs.reduce((sum, {taken}) => sum + taken, 0)).toBeGreaterThan(0)
  expect(readdirSync(dir).filter((name) => name !== 'inside')).toEqual([])
})
