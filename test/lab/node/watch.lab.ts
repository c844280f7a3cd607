// The service k8s-win of a lab node: Wine's real service manager starts it under the real shawl, its repairs are real child
// processes, and its mutexes are real. What Wine has no part in is in docs/watch.md.
import {readdir} from 'node:fs/promises'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import type {RunResultDocument} from '../../../src/pipeline/run/events.js'
import type {HealthDocument} from '../../../src/pipeline/run/health-document.js'
import {type Lab, type LabResult, openLab} from '../lab.js'
import {ask} from './ask.js'
import {INSTALLED_CLI, INSTALLED_WORDS, installCli} from './installed-cli.js'
import {type LabNode, startLabNode} from './lab-node.js'

const SERVICE = 'k8s-win'
const IMAGE_PATH = String.raw`"C:\k\k8s-win\bin\shawl.exe" run --name k8s-win --log-dir C:\k\logs\k8s-win --restart-if-not 0,2,11 --stop-timeout 4000 -- ${INSTALLED_WORDS} run-watch --base-dir=C:\k`
/** What looks for them has these words on its own command line. */
const [REPAIR, WATCH] = ['--[r]epair=', 'run[-]watch --base-dir']
const RECORDS = 'C:\\k\\k8s-win'
const SYSTEM = 'C:\\windows\\system32'
/** Wine has no failure actions: the service manager starts nothing again, and watch waits for it as long as on Windows. */
const WITHIN = {interval: 500, timeout: 180_000}
const TEST_MS = 600_000
const LOCKED = 11

let lab: Lab
let node: LabNode

const run = async (command: string, ...args: readonly string[]): Promise<LabResult> =>
  (await node.start(command, ['--base-dir', 'c:\\k', ...args])).ended
const setUp = (): Promise<LabResult> => node.setup(['-BaseDir', 'c:\\k', '--json'])
const resultOf = ({stdout}: LabResult): RunResultDocument => JSON.parse(stdout) as RunResultDocument
const sc = (...args: readonly string[]): Promise<LabResult> => node.machine.run({args, program: `${SYSTEM}\\sc.exe`})
const record = async (name: string): Promise<Partial<HealthDocument & {command: string}>> =>
  JSON.parse(await node.machine.read(`${RECORDS}\\${name}`).catch(() => '{}')) as object
const verdict = async (): Promise<unknown> => (await record('health.json')).verdict
const stateOf = async (name: string): Promise<unknown> => (await node.look()).services[name]?.status?.state
const processOf = async (name: string): Promise<number | undefined> => (await node.world()).services[name]?.processId
const condition = async (): Promise<unknown> =>
  (await node.world()).cluster.nodes
    .find(({name}) => name === 'win-1')
    ?.conditions?.find(({type}) => type === 'K8sWinUnhealthy')

async function kill(name: string): Promise<number | undefined> {
  const processId = await processOf(name)
  const {code} = await node.machine.run({args: ['/F', '/PID', String(processId)], program: `${SYSTEM}\\taskkill.exe`})
  expect(code).toBe(0)
  return processId
}

/** By their numbers in Linux: those whose command line matches. */
async function processes(pattern: string): Promise<number[]> {
  const script = `for one in /proc/[0-9]*; do
    tr '\\0' ' ' <$one/cmdline 2>/dev/null | grep -q -e "$0" && echo "\${one#/proc/}"
  done; true`
  const {stdout} = await node.machine.linux(['sh', '-c', script, pattern])
  return stdout.split('\n').filter(Boolean).map(Number)
}

/** A repair has the lock: the numbers of its processes. */
async function repairing(): Promise<number[]> {
  await expect.poll(async () => (await record('lock.json')).command, WITHIN).toBe('k8s-win watch')
  return processes(REPAIR)
}

const signal = (name: 'CONT' | 'STOP', child: number): Promise<unknown> =>
  node.machine.linux(['sh', '-c', 'kill -"$0" "$1"', name, String(child)])

const repairLogs = async (): Promise<string[]> =>
  (await readdir(node.machine.path('C:\\k\\logs\\k8s-win'))).filter((name) => /^watch-\d.*\.log$/.test(name))

beforeAll(async () => {
  lab = await openLab()
  node = await startLabNode(lab, {cli: INSTALLED_CLI, isDetachable: true})
  await installCli(node.machine)
})

afterAll(async () => {
  await lab.close()
})

describe('setup', () => {
  test('registers the service and starts it', async () => {
    const ended = await setUp()
    expect(ended, ended.stderr).toMatchObject({code: 0})
    expect(resultOf(ended).steps.at(-1)).toMatchObject({id: 'watch-service', state: 'changed'})
    const {config, key, status} = (await node.look()).services[SERVICE]!
    expect(key['ImagePath']?.data).toBe(IMAGE_PATH)
    expect(config).toMatchObject({account: 'LocalSystem', failureFlag: true, startType: 'automatic'})
    expect(status).toMatchObject({state: 'running', win32ExitCode: 0})
  })

  test('leaves a healthy node, as health.json and status say', async () => {
    await expect.poll(verdict, WITHIN).toBe('healthy')
    const {code, stdout} = await ask(node, 'status', '--json')
    expect(code, stdout).toBe(0)
  })

  test('the cluster sees it, by the identity of the kubelet', async () => {
    await expect.poll(condition, WITHIN).toMatchObject({reason: 'Healthy', status: 'False'})
  })

  test('a second watch ends', async () => {
    const {code, stderr} = await (await node.start('run-watch', ['--base-dir=C:\\k'])).ended
    expect({code, stderr}).toMatchObject({code: LOCKED, stderr: expect.stringContaining('WATCH_RUNNING') as string})
  })
})

describe('a daemon that was killed', () => {
  test(
    'is started again, by a child process',
    async () => {
      const before = await kill('kubelet')
      await repairing()
      await expect
        .poll(() => record('health.json'), WITHIN)
        .toMatchObject({
          repairs: [{outcome: 'repaired', what: 'kubelet'}],
          verdict: 'healthy',
        })
      expect(await stateOf('kubelet')).toBe('running')
      expect(await processOf('kubelet')).not.toBe(before)
      expect(await repairLogs()).toHaveLength(1)
    },
    TEST_MS,
  )

  test(
    'stays as it is while the node is paused; a setup is given the lock of the repair that follows',
    async () => {
      expect(await run('pause', '--json')).toMatchObject({code: 0})
      await expect.poll(verdict, WITHIN).toBe('paused')
      await kill('kubeproxy')
      const ids = async (): Promise<unknown> => (await record('health.json')).problems?.map(({id}) => id)
      await expect.poll(ids, WITHIN).toContain('SERVICE_DOWN')
      expect(await verdict()).toBe('paused')
      expect(await run('resume', '--json')).toMatchObject({code: 0})

      const [child = 0, ...others] = await repairing()
      expect(others).toEqual([])
      await signal('STOP', child)
      let seen = ''
      const setup = node.setup(['-BaseDir', 'c:\\k', '--output', 'ndjson'], {onOutput: (text) => (seen += text)})
      await expect.poll(() => seen, WITHIN).toContain('waiting until the service k8s-win has stopped its repair')
      await signal('CONT', child)
      const {code, stdout} = await setup
      expect(code, stdout).toBe(0)
      await expect.poll(verdict, WITHIN).toBe('healthy')
      expect(await stateOf('kubeproxy')).toBe('running')
      // Neither repaired nor failed.
      expect((await record('health.json')).repairs).toHaveLength(1)
    },
    TEST_MS,
  )
})

describe('the service', () => {
  test(
    'stops in order, with the repair that it has begun',
    async () => {
      await kill('kubelet')
      await repairing()
      expect(await sc('stop', SERVICE)).toMatchObject({code: 0})
      await expect.poll(() => stateOf(SERVICE), WITHIN).toBe('stopped')
      await expect.poll(() => processes(WATCH), WITHIN).toEqual([])
      expect(await record('health.json')).toMatchObject({verdict: 'unknown'})
      await expect.poll(condition, WITHIN).toMatchObject({reason: 'NotWatched', status: 'Unknown'})
      expect((await node.look()).services[SERVICE]).toMatchObject({status: {serviceExitCode: 0, win32ExitCode: 0}})
    },
    TEST_MS,
  )

  test(
    'is removed by reset, before anything else',
    async () => {
      expect(await sc('start', SERVICE)).toMatchObject({code: 0})
      // The repair that was stopped may have started the kubelet already.
      await expect.poll(verdict, WITHIN).toMatch(/^(?:healthy|recovering)$/)
      const ended = await run('reset', '--yes', '--json')
      expect(ended, ended.stderr).toMatchObject({code: 0})
      expect(resultOf(ended).steps[0]).toMatchObject({id: 'watch-service', state: 'changed'})
      expect(Object.keys((await node.look()).services)).toEqual(['docker', 'hns'])
      expect(await processes(WATCH)).toEqual([])
      expect(await record('health.json')).toEqual({})
      expect(await condition()).toBeUndefined()
    },
    TEST_MS,
  )

  test(
    // The last one: at a boot Wine may drop the pipe by which a service is stopped later.
    'starts with Windows, and the node becomes healthy',
    async () => {
      const {code, stderr} = await setUp()
      expect(code, stderr).toBe(0)
      const stopped = new Date().toISOString()
      await node.reboot()
      // Neither is watch's to start, and they may have been started before their world was there.
      for (const name of ['hns', 'docker']) await sc('start', name)
      const found = async (): Promise<unknown> => {
        const {at = '', verdict: now} = await record('health.json')
        const {cluster, services} = await node.world()
        const isUp = ['flanneld', 'kubelet', 'kubeproxy'].map((name) => services[name]?.state === 'running')
        return {isNew: at > stopped, isUp, ready: cluster.nodes.find(({name}) => name === 'win-1')?.ready, verdict: now}
      }
      const healthy = {isNew: true, isUp: [true, true, true], ready: true, verdict: 'healthy'}
      await expect.poll(found, WITHIN).toEqual(healthy)
      expect(await stateOf(SERVICE)).toBe('running')
    },
    TEST_MS,
  )
})
