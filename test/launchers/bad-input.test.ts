// What goes wrong around a launcher, under each of them: the ID of the error, the exit code that the launcher gets, and a
// host that is unchanged, or a next run that completes.
import {describe, expect, it} from 'vitest'
import {type Launcher, LAUNCHERS} from '../../src/config/launchers.js'
import {writeRecord} from '../../src/host/launcher/record.js'
import {FileError} from '../../src/machine/files.js'
import {HttpError} from '../../src/machine/http.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import type {Fault} from '../fakes/faulty.js'
import {pendRestart, settleRestart} from '../fixtures/restart-due.js'
import {isWhole} from '../sample.js'
import {HostFolder} from '../steps/host-folder.js'
import {DOWNLOADS_FAIL, launch, PROFILE, RECORD_FILE, recordOn} from './launched.js'

const YEARS_MS = 6 * 365 * 24 * 3_600_000
/** Under these, setup prepares its base directory for a service that continues after the restart. */
const STARTS_ONCE: readonly Launcher[] = ['azure-cse', 'ec2launch-v1']
const AGAIN = 1002

/** A transient failure: cloudbase-init is asked to run the command again. */
const transient = (launcher: Launcher, code: number): number => (launcher === 'cloudbase-init' ? AGAIN : code)

const fresh = (sicken?: (world: World) => void): Promise<HostFolder> => HostFolder.fresh(sicken, PROFILE)

/** Without the record of the launcher, which says how the run ended. */
function stateOf(host: HostFolder): HostFolder['state'] {
  const copy = host.copy()
  copy.remove(String.raw`ProgramData\k8s-win`)
  copy.edit(({security}) => {
    for (const path of Object.keys(security)) if (/^c:\\programdata\\k8s-win/i.test(path)) delete security[path]
  })
  return copy.state
}

async function expectCompletes(host: HostFolder, launcher: Launcher): Promise<void> {
  const {code, result} = await launch(host, {launcher})
  expect({code, error: result.error, node: result.node?.ready}).toEqual({code: 0, node: true})
  expect(host.has(RECORD_FILE)).toBe(false)
}

describe('an unknown launcher', () => {
  it.each([
    ['on the command line', {given: {launcher: 'cloudbase'}}],
    ['in the environment', {environment: {K8S_WIN_LAUNCHER: 'cloudbase'}}],
  ])('%s is exit code 2 under every launcher, and changes nothing', async (_, asked) => {
    for (const program of ['cloudbase-init.exe', 'EC2Launch.exe', 'amazon-ssm-agent.exe', 'CustomScriptHandler.exe']) {
      const host = await fresh(({os}) => (os.startedBy = ['powershell.exe', program]))
      const before = host.state
      const {code, result} = await launch(host, asked)
      expect({code, error: result.error}).toMatchObject({code: 2, error: {id: 'BAD_VALUE'}})
      expect(host.state).toEqual(before)
      expect(host.has(RECORD_FILE)).toBe(false)
    }
  })
})

/** What differs between the others is in the tables of src/config/launchers.ts. */
const SOME: readonly Launcher[] = ['none', 'cloudbase-init']

describe.each(isWhole ? LAUNCHERS : SOME)('under %s', (launcher) => {
  it('a record that cannot be written: the exit code itself, and nothing is lost', async () => {
    const host = await fresh()
    const faults: Fault[] = [
      {
        at: ({args, via}) => via === 'files' && /ProgramData\\k8s-win/i.test(args[0] ?? ''),
        does: new FileError('write', String.raw`C:\ProgramData\k8s-win`, 'EACCES'),
        when: 'before',
      },
      DOWNLOADS_FAIL,
    ]
    const {code, output, result} = await launch(host, {faults, launcher})
    expect({code, error: result.error}).toMatchObject({code: 4, error: {id: 'DOWNLOAD_FAILED'}})
    expect(/could not be recorded/.test(output.replaceAll(/\n\S+\s+/g, ' '))).toBe(launcher === 'cloudbase-init')
    await expectCompletes(host, launcher)
  })

  it('a base directory that cannot be written', async () => {
    const host = await fresh()
    const path = String.raw`C:\k\k8s-win\journal.ndjson`
    const isState = ({args, kind, via}: {args: readonly string[]; kind: string; via: string}): boolean =>
      via === 'files' && kind === 'change' && /^C:\\k\\k8s-win(?:\\|$)/i.test(args[0] ?? '')
    const faults: Fault[] = [{at: isState, does: new FileError('append', path, 'EACCES'), when: 'before'}]
    const before = stateOf(host)
    const {code, result} = await launch(host, {faults, launcher})
    expect({code, error: result.error}).toMatchObject({code: transient(launcher, 5), error: {id: 'FILE_REFUSED'}})
    expect(stateOf(host)).toEqual(before)
    await expectCompletes(host, launcher)
  })

  it('a clock that is years behind, where the API server can still be asked', async () => {
    const host = await fresh(({cluster}) => (cluster.clockAheadMs = YEARS_MS))
    const before = stateOf(host)
    const {code, result} = await launch(host, {launcher})
    expect(code).toBe(transient(launcher, 3))
    expect((result.errors ?? [result.error]).map((error) => error?.id)).toContain('CLOCK_WRONG')
    expect(stateOf(host)).toEqual(before)
    host.edit(({cluster}) => delete cluster.clockAheadMs)
    await expectCompletes(host, launcher)
  })

  it.each([
    ['behind', 'CERT_NOT_YET_VALID'],
    ['ahead', 'CERT_HAS_EXPIRED'],
  ])('a clock that is so many years %s that no TLS connection is made', async (_, verdict) => {
    const host = await fresh()
    const before = stateOf(host)
    const faults: Fault[] = [
      {
        at: ({args, via}) => via === 'http' && args[0]?.startsWith('https:') === true,
        does: new HttpError('https://10.0.0.10:6443', verdict, 'certificate verify failed'),
        when: 'before',
      },
    ]
    const {code, result} = await launch(host, {faults, launcher})
    expect({code, error: result.error}).toMatchObject({
      code: transient(launcher, 3),
      error: {
        cause: expect.stringContaining("This host's clock says") as string,
        fix: expect.stringContaining('w32tm') as string,
        id: 'API_SERVER_CERTIFICATE_LAPSED',
      },
    })
    expect(stateOf(host)).toEqual(before)
    await expectCompletes(host, launcher)
  })

  it('a restart that never comes is requested again, and never taken for done', async () => {
    const host = await fresh(pendRestart)
    const before = stateOf(host)
    const runs = []
    for (let run = 0; run < 5; run++) {
      const {code, result} = await launch(host, {launcher})
      runs.push(`${code} ${result.error?.id}`)
      if (!STARTS_ONCE.includes(launcher)) expect(stateOf(host)).toEqual(before)
      expect(Object.keys(host.world.services)).not.toContain('kubelet')
    }
    const requested = {'azure-cse': 0, 'cloudbase-init': 1003, 'ec2launch-v1': 10, ec2launch: 3010, none: 10, ssm: 3010}
    const isCounted = ['cloudbase-init', 'ec2launch', 'ssm'].includes(launcher)
    const last = isCounted ? '5 RESTART_LOOP' : `${requested[launcher]} RESTART_REQUIRED`
    expect(runs).toEqual([...Array.from({length: 3}, () => `${requested[launcher]} RESTART_REQUIRED`), last, last])
    if (launcher !== 'none') expect(await recordOn(host)).toMatchObject({restarts: isCounted ? 3 : 0})
    host.edit(settleRestart)
    await expectCompletes(host, launcher)
  })

  it('a second copy changes neither the host nor the record of the first', async () => {
    const host = await fresh()
    const machine = await openSimulator({dir: host.dir, profile: PROFILE})
    const counts = {attempts: 1, exitCode: 130, restarts: 0, schemaVersion: 1} as const
    const first = {
      baseDir: String.raw`C:\k`,
      command: 'setup',
      error: 'SETUP_UNFINISHED',
      outcome: 'unfinished',
    } as const
    expect(await writeRecord(machine, {...counts, ...first, at: '2026-11-17T00:00:00.000Z', launcher})).toBe(true)
    const free = host.lock(String.raw`Global\k8s-win`)
    const before = host.state
    const {code, result} = await launch(host, {launcher})
    expect(code).toBe(11)
    expect(result).toMatchObject({error: {id: 'LOCK_HELD'}, exitCode: 11})
    expect(host.state).toEqual(before)
    await free?.()
    await expectCompletes(host, launcher)
  })
})
