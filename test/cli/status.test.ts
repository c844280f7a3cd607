// status as people and programs call it: exit codes, and what goes where.
import {once} from 'node:events'
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest'
import type {StatusDocument} from '../../src/pipeline/run/status-report.js'
import {healthyNode} from '../status/status-on.js'
import {DiskHost} from '../steps/host-folder.js'
import {temporaryFolder} from '../steps/rig.js'
import {type Ended, k8sWin, startK8sWin} from './program.js'

let node = DiskHost.empty()
beforeAll(async () => {
  node.discard()
  node = (await healthyNode()).onDisk()
})
afterAll(() => node.discard())

const simulated = (dir = node.dir): NodeJS.ProcessEnv => ({K8S_WIN_SIMULATE: 'ws2019', K8S_WIN_SIMULATE_DIR: dir})
const status = (args: readonly string[], dir = node.dir): Promise<Ended> => k8sWin(['status', ...args], simulated(dir))

function sick(): DiskHost {
  const host = node.copy()
  onTestFinished(() => host.discard())
  host.remove(String.raw`run\flannel\subnet.env`)
  return host
}

describe('k8s-win status', () => {
  test('ends with 0 for a healthy node, and says so on standard output alone', async () => {
    const {code, stderr, stdout} = await status([])
    expect({code, stderr}).toEqual({code: 0, stderr: ''})
    expect(stdout).toMatch(/^SIMULATED: .*\n\+ node {7}win-1 is Ready/)
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^Healthy; /)
    expect(stdout).toMatch(/^[\n\x20-\x7E]*$/)
  })

  test('review U2-29: ends with 8 where something is wrong, and says what to type', async () => {
    const host = sick()
    const {code, stderr, stdout} = await status(['-Output', 'wide'], host.dir)
    expect({code, stderr}).toEqual({code: 8, stderr: ''})
    const words = stdout.replaceAll(/\s+/g, ' ')
    expect(words).toContain(`Fix: Run "node bin/run.js recover --simulate ws2019 --simulate-dir ${host.dir}"`)
    expect(stdout).toContain('step overlay-network: drifted')
    // The name of a rule is not a command to type.
    expect(words).toContain('"k8s-win kubelet TCP 10250" exists')
  })

  test('ends with 9 where there is no node', async () => {
    const {code, stderr, stdout} = await status(['-BaseDir', String.raw`c:\elsewhere`], temporaryFolder())
    expect({code, stderr}).toEqual({code: 9, stderr: ''})
    expect(stdout).toMatch(/Not set up \(exit code 9\)\n$/)
    expect(stdout).toContain(String.raw`--base-dir "C:\elsewhere"`)
  })

  test.each([['--json'], ['--output', 'json'], ['-Output:ndjson']])(
    'is nothing but JSON with %s %s',
    async (...args) => {
      const {code, stderr, stdout} = await status(args)
      expect({code, stderr}).toEqual({code: 0, stderr: ''})
      expect(JSON.parse(stdout)).toMatchObject({command: 'status', exitCode: 0, verdict: 'healthy'})
    },
  )

  test.each([
    [['--base-dir', 'relative'], 'BAD_VALUE'],
    [['--interval', 'soon', '--watch'], 'BAD_VALUE'],
    [['--output', 'raw'], 'BAD_CHOICE'],
    [['--release', '1.22.17'], 'UNKNOWN_FLAG'],
  ])('ends with 2 for %j', async (args, id) => {
    const {code, stderr, stdout} = await status(args)
    expect({code, stdout}).toEqual({code: 2, stdout: ''})
    expect(stderr).toContain(id)
  })

  test('a contradiction is reported in the format that was asked for', async () => {
    const {code, stderr, stdout} = await status(['--json', '--output', 'wide'])
    expect(code).toBe(2)
    expect(stderr).toContain('CONTRADICTING_FLAGS')
    expect(JSON.parse(stdout)).toMatchObject({command: 'status', exitCode: 2})
  })

  test.skipIf(process.platform === 'win32')('needs a Windows, or a simulated one', async () => {
    const {code, stderr} = await k8sWin(['status'])
    expect(code).toBe(3)
    expect(stderr).toContain('NOT_WINDOWS')
  })

  // Windows knows no signal that a process could send to another for this.
  test.skipIf(process.platform === 'win32')('--watch prints a line per check, and ends with its verdict', async () => {
    const host = sick()
    const child = startK8sWin(['status', '--watch', '--interval', '1s'], simulated(host.dir))
    const lines: StatusDocument[] = []
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n')) {
        lines.push(JSON.parse(text.slice(0, end)) as StatusDocument)
        text = text.slice(end + 1)
      }
      if (lines.length === 2) child.kill('SIGINT')
    })
    const [code] = (await once(child, 'close')) as [number]
    expect(code).toBe(8)
    expect(lines.map(({exitCode}) => exitCode)).toEqual([8, 8])
  })

  test('--watch ends when nothing reads any more', async () => {
    const child = startK8sWin(['status', '--watch', '--interval', '1s'], simulated())
    child.stdout.once('data', () => child.stdout.destroy())
    const [code] = (await once(child, 'close')) as [number]
    expect(code).toBe(0)
  })
})
