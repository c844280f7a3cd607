// The command as people run it, on a simulated node.
import {appendFileSync} from 'node:fs'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {klogLine} from '../logs/log-reader.js'
import {setupOn} from '../setup/in-process.js'
import {DiskHost} from '../steps/host-folder.js'
import {type Ended, k8sWin, startK8sWin} from './program.js'

const node = DiskHost.empty()
const nobody = DiskHost.empty()
beforeAll(async () => {
  await setupOn(node.dir)
  node.put(String.raw`k\logs\kube-proxy\of-the-script.log`, klogLine(1, `${'a'.repeat(50)}b`, 'E'))
})
afterAll(() => {
  node.discard()
  nobody.discard()
})

const environment = (host: DiskHost) => ({K8S_WIN_SIMULATE: 'ws2019', K8S_WIN_SIMULATE_DIR: host.dir})
const logs = (...args: readonly string[]): Promise<Ended> => k8sWin(['logs', ...args], environment(node))
const linesOf = (text: string): string[] => text.trimEnd().split('\n')

const BANNER = expect.stringMatching(/^SIMULATED: .*\n$/) as string

describe('k8s-win logs', () => {
  it('review U8: shows the last entries of the daemons, named and in order, and nothing else', async () => {
    const {code, stderr, stdout} = await logs('-Tail', '20')
    expect([code, stderr]).toEqual([0, BANNER])
    const heads = linesOf(stdout).filter((line) => !line.startsWith('    '))
    expect(heads).toHaveLength(20)
    for (const line of heads)
      expect(line).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} (?:flanneld|kubelet|kubeproxy) +[DIWEF] /)
  })

  it('shows lines as they are, or as JSON', async () => {
    const [raw, json] = await Promise.all([
      logs('kubelet', '--tail', '3', '--output', 'raw'),
      logs('kubelet', '--tail', '3', '--json'),
    ])
    const objects = linesOf(json.stdout).map(
      (line) => JSON.parse(line) as {component: string; raw: string; time: string},
    )
    expect(objects.map((one) => one.raw)).toEqual(linesOf(raw.stdout))
    expect(objects.map(({component}) => component)).toEqual(['kubelet', 'kubelet', 'kubelet'])
    expect(objects.every(({time}) => time === new Date(time).toISOString())).toBe(true)
  })

  it('reports everything wrong with what is asked, and stops a pattern that never ends', async () => {
    const [wrong, evil] = await Promise.all([
      logs('kublet', '-Grep', '(', '-Since', 'x'),
      logs('kube-proxy', '--grep', '(a+)+$'),
    ])
    expect([wrong.code, wrong.stdout]).toEqual([2, ''])
    for (const told of ['UNKNOWN_COMPONENT', 'Did you mean kubelet?', 'Unterminated group', '--since "x"']) {
      expect(wrong.stderr).toContain(told)
    }
    expect([evil.code, evil.stdout]).toEqual([2, ''])
    expect(evil.stderr).toContain('SLOW_PATTERN')
  })

  it('review R2: refuses a pattern of 20 KB that V8 cannot compile', async () => {
    const {code, stderr, stdout} = await logs('--grep', '(a|b)'.repeat(4000), '--json')
    expect([code, stderr.length < 1000]).toEqual([2, true])
    expect(JSON.parse(stdout)).toMatchObject({error: {id: 'BAD_VALUE'}, exitCode: 2})
  })

  it('prints the folders', async () => {
    const {code, stdout} = await logs('--path', 'kubeproxy', 'kubelet')
    expect([code, linesOf(stdout)]).toEqual([
      0,
      [String.raw`C:\k\logs\kubelet`, String.raw`C:\k\logs\kubeproxy`, String.raw`C:\k\logs\kube-proxy`],
    ])
  })

  it('ends with 9 where there is no node', async () => {
    const {code, stderr, stdout} = await k8sWin(['logs', '--json'], environment(nobody))
    expect(code).toBe(9)
    expect(JSON.parse(stdout)).toMatchObject({error: {id: 'NO_NODE'}, exitCode: 9})
    expect(stderr).not.toContain('    at ')
  })

  it('ends quietly when its reader does', async () => {
    const child = startK8sWin(['logs', '--follow', '--tail', 'all'], environment(node))
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    const file = node.file(String.raw`k\logs\kubelet\broken-pipe.log`)
    // From here on nothing reads its output: each line is an attempt to write.
    child.stdout.once('data', () => {
      child.stdout.destroy()
      appendFileSync(file, klogLine(70_000, 'one'))
    })
    const code = await new Promise((resolve) => child.on('exit', resolve))
    expect([code, stderr]).toEqual([0, BANNER])
  })

  // On Windows a signal to another process ends it at once.
  it.skipIf(process.platform === 'win32')('follows until Ctrl-C', async () => {
    const file = node.file(String.raw`k\logs\flanneld\new.log`)
    const child = startK8sWin(['logs', 'flanneld', '--follow', '--tail', '1', '--output', 'raw'], environment(node))
    let stdout = ''
    let isWritten = false
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      if (!isWritten) appendFileSync(file, klogLine(80_000, 'written later'))
      isWritten = true
      if (stdout.includes('written later')) child.kill('SIGINT')
    })
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect(code).toBe(130)
    expect(linesOf(stdout)).toHaveLength(2)
  })
})
