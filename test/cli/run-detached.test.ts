// The command that the service starts: it runs what was handed over to it, and nothing that the machine's variables say.
import {once} from 'node:events'
import {describe, expect, onTestFinished, test, vi} from 'vitest'
import {openHost} from '../../src/host/host.js'
import type {StatusDocument} from '../../src/pipeline/run/status-report.js'
import type {RunRequest} from '../../src/runs/detach/request.js'
import {writeRequest} from '../../src/runs/detach/request.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {assets} from '../fixtures/assets.js'
import {sample} from '../sample.js'
import {type DiskHost, HostFolder} from '../steps/host-folder.js'
import {k8sWin, startK8sWin} from './program.js'

const PROFILE = 'ws2022-containerd'
const BASE_DIR = String.raw`C:\k`
const GIVEN = [`--base-dir=${BASE_DIR}`, '--launcher=none']

async function handOver(host: HostFolder, request: Pick<RunRequest, 'argv' | 'command'>): Promise<void> {
  const machine = await openSimulator({dir: host.dir, profile: PROFILE})
  const opened = openHost(machine, {assets, baseDir: BASE_DIR, dockerPipe: ''})
  await writeRequest(opened, BASE_DIR, {...request, environment: {}}, undefined)
}

async function hostOnDisk(): Promise<DiskHost> {
  const host = (await HostFolder.fresh(undefined, PROFILE)).onDisk()
  onTestFinished(() => host.discard())
  return host
}

const on = ({dir}: DiskHost): string[] => ['--simulate', PROFILE, '--simulate-dir', dir]
const service = (host: DiskHost): string[] => ['run-detached', `--base-dir=${BASE_DIR}`, ...on(host)]

describe('k8s-win run-detached', () => {
  test.each(
    sample(
      [
        ['K8S_WIN_DETACH', 'true'],
        ['K8S_WIN_DRY_RUN', 'true'],
        ['K8S_WIN_RESET', 'true'],
        ['K8S_WIN_TOKEN_FILE', String.raw`C:\token.txt`],
      ],
      2,
    ),
  )('does its run also where the machine has the variable %s', async (name, value) => {
    const host = await hostOnDisk()
    await handOver(host, {argv: [...GIVEN, '--base-images=none'], command: 'setup'})
    const {code, stderr} = await k8sWin(service(host), {[name]: value})
    expect(code, stderr).toBe(0)
    expect(JSON.parse(host.read(String.raw`k\k8s-win\result.json`))).toMatchObject({command: 'setup', outcome: 'done'})
    expect(host.has(String.raw`k\k8s-win\run.json`)).toBe(false)
  })

  test('review R2-8: a request with a flag that it does not know is not a bug, and is not tried for ever', async () => {
    const host = await hostOnDisk()
    await handOver(host, {argv: [...GIVEN, '--flag-of-tomorrow=1'], command: 'setup'})
    const {code, stderr} = await k8sWin(service(host))
    expect(code, stderr).toBe(9)
    expect(stderr).toContain('NO_RUN_REQUESTED')
    expect(stderr).toContain('flag-of-tomorrow')
    expect(host.has(String.raw`k\k8s-win\run.json`)).toBe(false)
  })

  test('is known by what was handed over to it: a reset that is killed is a reset', async () => {
    const host = await hostOnDisk()
    expect((await k8sWin(['setup', ...GIVEN, '--base-images=none', ...on(host)])).code).toBe(0)
    await handOver(host, {argv: [...GIVEN, '--purge', '--yes'], command: 'reset'})
    const child = startK8sWin(service(host))
    onTestFinished(() => void child.kill('SIGKILL'))
    child.stdout.resume()
    child.stderr.resume()
    const ended = once(child, 'exit')
    const lock = (): string => host.read(String.raw`k\k8s-win\lock.json`)
    const journal = (): string => host.read(String.raw`k\k8s-win\journal.ndjson`)
    await vi.waitFor(() => expect(journal()).toContain('"began"'), {interval: 2, timeout: 50_000})
    child.kill('SIGKILL')
    await ended
    expect(JSON.parse(lock())).toMatchObject({command: expect.stringMatching(/ reset .*--purge --yes$/) as string})
    const {stdout} = await k8sWin(['status', '--json', ...on(host)])
    const ids = (JSON.parse(stdout) as StatusDocument).problems.map(({id}) => id)
    expect(ids).toContain('RESET_UNFINISHED')
  })
})
