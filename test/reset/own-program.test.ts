// reset of a node whose setup has copied the program that ran: the copy goes last, also where it runs this very reset.
import {describe, expect, test} from 'vitest'
import {layoutOf} from '../../src/config/layout.js'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {openJournal} from '../../src/pipeline/ledger/journal.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {runFrom} from '../fixtures/assets.js'
import {allowEverything} from '../fakes/administrator.js'
import {CrashError, faultyMachine} from '../fakes/faulty.js'
import {setupOn} from '../setup/in-process.js'
import {turn} from '../sample.js'
import {HostFolder} from '../steps/host-folder.js'
import {resetOn} from './reset-run.js'
import {differences, wholeHost, type WholeHost} from './whole-host.js'

const FROM = String.raw`C:\Windows\Temp\k8s-win.exe`
const COPY = String.raw`C:\k\k8s-win\bin\k8s-win.exe`
const SHAWL = String.raw`C:\k\k8s-win\bin\shawl.exe`
/** Windows always has it. */
const SESSION = String.raw`HKLM\SYSTEM\CurrentControlSet\Control\Session Manager`
const below = (path: string): string => path.slice('C:\\'.length)
const PURGE = {purge: true}

let made: Promise<{before: WholeHost; host: HostFolder}> | undefined

/** A copy of a node that was set up from a temporary folder, and the host before. */
async function setUp(): Promise<{before: WholeHost; host: HostFolder}> {
  made ??= (async () => {
    const host = await HostFolder.fresh(allowEverything)
    host.put(below(FROM), 'MZ k8s-win')
    host.edit(({registry}) => (registry[SESSION] = {GlobalFlag: {data: 0, type: 'REG_DWORD'}}))
    const before = wholeHost(host)
    const {result} = await setupOn(host.dir, {watch: 'false'}, {assets: runFrom(FROM)})
    expect(result.error).toBeUndefined()
    expect(host.read(below(COPY))).toBe('MZ k8s-win')
    return {before, host}
  })()
  const {before, host} = await made
  return {before, host: host.copy()}
}

const movedOn = (host: HostFolder): string[] =>
  host.list('').filter((name) => /^k8s-win-[\da-f]{8}\.deleted$/.test(name))
const runs = (host: HostFolder, program: string): void => host.edit(({os}) => (os.program = program))
/** Its process has ended. */
const ended = (host: HostFolder): void => host.edit(({os}) => delete os.program)

/** Windows knows of every program that was moved. */
function expectMarked(host: HostFolder): void {
  const {data = []} = host.world.registry[SESSION]?.['PendingFileRenameOperations'] ?? {}
  expect(data).toEqual(expect.arrayContaining(movedOn(host).map((name) => `\\??\\C:\\${name}`)))
}

/** What a restart does beside deleting the moved programs is not compared. */
const withoutRestart = (lines: readonly string[]): string[] =>
  lines.filter((line) => /^files >|Session Manager|^world > security/.test(line))

async function restart(host: HostFolder): Promise<void> {
  const profile = 'ws2019'
  await (await openSimulator({dir: host.dir, profile})).win32.restartWindows('test', 0)
  await openSimulator({dir: host.dir, profile})
}

describe('with --purge', () => {
  test('the host is as it was before setup, and the copy goes after all but the journal', async () => {
    const {before, host} = await setUp()
    const removed: string[] = []
    const wrap = (machine: Machine): Machine =>
      interceptMachine(machine, async ({args, what}, perform) => {
        if (what.startsWith('remove')) removed.push(args[0] ?? '')
        return perform()
      })
    const {result, warnings} = await resetOn(host.dir, {assets: runFrom(FROM), given: PURGE, wrap})
    expect(result).toMatchObject({exitCode: 0, outcome: 'done'})
    expect(warnings).toEqual([])
    expect(removed.slice(removed.indexOf(COPY))).toEqual([COPY, String.raw`C:\k\k8s-win\bin`, String.raw`C:\k\k8s-win`])
    expect(differences(before, wholeHost(host))).toEqual([])
  })

  test('run from the copy: it is moved out, named, and deleted at the next restart', async () => {
    const {before, host} = await setUp()
    runs(host, COPY)
    const {result, warnings} = await resetOn(host.dir, {assets: runFrom(COPY), given: PURGE})
    expect(result).toMatchObject({exitCode: 0, outcome: 'done'})
    const [moved = ''] = movedOn(host)
    expect(result.steps.at(-1)?.changes).toContain(`move ${COPY} to C:\\${moved}`)
    expect(warnings).toEqual([expect.stringContaining(`C:\\${moved} stays until the next restart`)])
    const left = differences(before, wholeHost(host)).filter((line) => !line.startsWith('world > os > program'))
    expect(left.filter((line) => !line.includes(moved) && !line.includes('PendingFileRenameOperations'))).toEqual([])

    await restart(host)
    expect(withoutRestart(differences(before, wholeHost(host)))).toEqual([])
  })

  test('what waits for the restart keeps no setup from running', async () => {
    const {host} = await setUp()
    runs(host, COPY)
    await resetOn(host.dir, {assets: runFrom(COPY), given: PURGE})
    const {result} = await setupOn(host.dir)
    expect(result).toMatchObject({exitCode: 0, outcome: 'done'})
    expect(result.checks.find(({id}) => id === 'pending-restart')).toMatchObject({result: 'pass'})
  })

  test('the plan of it changes nothing', async () => {
    const {host} = await setUp()
    runs(host, COPY)
    const before = host.state
    const {result} = await resetOn(host.dir, {assets: runFrom(COPY), given: {...PURGE, 'dry-run': true}})
    expect(result).toMatchObject({exitCode: 0, outcome: 'planned'})
    expect(JSON.stringify(result.steps.at(-1)?.changes)).toContain('.deleted')
    expect(host.state).toEqual(before)
  })

  test('another k8s-win that runs from the copy is moved out too, after a minute', async () => {
    const {host} = await setUp()
    runs(host, COPY)
    const {result} = await resetOn(host.dir, {assets: runFrom(FROM), given: PURGE})
    expect(result).toMatchObject({exitCode: 0, outcome: 'done'})
    expect(movedOn(host)).toHaveLength(1)
    expect(host.has('k')).toBe(true)
    expect(host.has(String.raw`k\k8s-win`)).toBe(false)
  })

  test('shawl, where this run is its service, is moved out as well', async () => {
    const {host} = await setUp()
    host.put(below(SHAWL), 'MZ shawl')
    const {clock, files} = await openSimulator({dir: host.dir, profile: 'ws2019'})
    const journal = await openJournal(files, layoutOf(String.raw`C:\k`).journal, () => clock.now())
    await journal.record('base-dir', {kind: 'file', path: SHAWL})
    host.edit(({os}) => {
      os.program = COPY
      os.startedBy = ['shawl.exe', 'services.exe']
    })
    const {result, warnings} = await resetOn(host.dir, {assets: runFrom(COPY), given: PURGE})
    expect(result).toMatchObject({exitCode: 0, outcome: 'done'})
    expect(
      movedOn(host)
        .map((name) => host.read(name))
        .sort(),
    ).toEqual(['MZ k8s-win', 'MZ shawl'])
    expect(warnings).toHaveLength(2)
  })

  test('downloads that stay do not keep the copy', async () => {
    const {host} = await setUp()
    const {result} = await resetOn(host.dir, {assets: runFrom(FROM), given: {...PURGE, 'keep-downloads': true}})
    expect(result).toMatchObject({exitCode: 0, outcome: 'done'})
    expect(host.has(String.raw`k\k8s-win\bin`)).toBe(false)
    expect(JSON.stringify(host.journal)).not.toContain(String.raw`bin\\k8s-win.exe`)
  })
})

describe('killed at every change around the move', () => {
  /** The changes from the journal's line about the new name on. */
  const POINTS = ['append', 'rename', 'deleteAtRestart', 'write', 'remove', 'removeEmpty']

  async function killed(what: string, when: 'after' | 'before'): Promise<{before: WholeHost; host: HostFolder}> {
    const {before, host} = await setUp()
    runs(host, COPY)
    let isNear = false
    const wrap = (machine: Machine): Machine => {
      const near = interceptMachine(machine, async ({args, kind, what: one}, perform) => {
        const result = await perform()
        isNear ||= kind === 'read' && one === 'status' && /\.deleted$/.test(args[0] ?? '')
        return result
      })
      return faultyMachine(near, [
        {at: (effect) => isNear && effect.kind === 'change' && effect.what === what, does: 'crash', when},
      ])
    }
    await expect(resetOn(host.dir, {assets: runFrom(COPY), given: PURGE, wrap})).rejects.toThrow(CrashError)
    expect(isNear).toBe(true)
    ended(host)
    // Its lock went with the process.
    return {before, host: host.copy()}
  }

  const CASES = POINTS.flatMap((what) => (['before', 'after'] as const).map((when) => [when, what] as const))

  test.each(turn(CASES, 0))('%s %s: the next purge leaves the host of before', async (when, what) => {
    const {before, host} = await killed(what, when)
    const {result} = await resetOn(host.dir, {given: PURGE})
    expect(result).toMatchObject({exitCode: 0, outcome: 'done'})
    expectMarked(host)
    const left = differences(before, wholeHost(host))
    expect(left.filter((line) => !/\.deleted|PendingFileRenameOperations/.test(line))).toEqual([])
    await restart(host)
    expect(withoutRestart(differences(before, wholeHost(host)))).toEqual([])
  })

  test.each(turn(CASES, 5))('%s %s: the next reset leaves nothing outside the base directory', async (when, what) => {
    const {host} = await killed(what, when)
    const {result} = await resetOn(host.dir)
    expect(result).toMatchObject({exitCode: 0, outcome: 'done'})
    expectMarked(host)
    await restart(host)
    expect(movedOn(host)).toEqual([])
    expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0, outcome: 'done'})
  })
})

describe('what has the name of a moved program that an interrupted run recorded', () => {
  const NAME = 'k8s-win-0123abcd.deleted'
  const TEMPORARY = `${NAME}.01234567-0123-0123-0123-0123456789ab.tmp`

  async function recorded(): Promise<HostFolder> {
    const {host} = await setUp()
    const {clock, files} = await openSimulator({dir: host.dir, profile: 'ws2019'})
    const journal = await openJournal(files, layoutOf(String.raw`C:\k`).journal, () => clock.now())
    await journal.record('base-dir', {kind: 'file', path: `C:\\${NAME}`})
    return host
  }

  const CLOSED = 'O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)'
  const OPEN = `${CLOSED}(A;;FA;;;BU)`
  const secure = (host: HostFolder, sddl: string): void => host.edit(({security}) => (security[`c:\\${NAME}`] = sddl))
  const pending = (host: HostFolder): string =>
    JSON.stringify(host.world.registry[SESSION]?.['PendingFileRenameOperations'] ?? {})

  test.each([PURGE, {}])('a folder stays with all that is in it, is named, and is forgotten: %j', async (given) => {
    const host = await recorded()
    host.put(`${NAME}\\theirs.txt`, 'theirs')
    const {result, warnings} = await resetOn(host.dir, {given})
    expect(result).toMatchObject({exitCode: 0, outcome: 'done'})
    expect(host.read(`${NAME}\\theirs.txt`)).toBe('theirs')
    expect(warnings).toEqual([expect.stringContaining(`C:\\${NAME} stays`)])
    expect(pending(host)).not.toContain(NAME)
    expect((await resetOn(host.dir, {given: {yes: true}})).warnings.join('\n')).not.toContain(NAME)
  })

  test('a file that ordinary users can change stays, and is not marked, also where it is in use', async () => {
    const host = await recorded()
    host.put(NAME, 'theirs')
    secure(host, OPEN)
    runs(host, `C:\\${NAME}`)
    const {result, warnings} = await resetOn(host.dir, {given: PURGE})
    expect(result).toMatchObject({exitCode: 0, outcome: 'done'})
    expect(host.read(NAME)).toBe('theirs')
    expect(warnings).toEqual([expect.stringContaining(`C:\\${NAME} stays`)])
    expect(pending(host)).not.toContain(NAME)
  })

  test('a file of administrators goes, and nothing beside it', async () => {
    const host = await recorded()
    host.put(NAME, 'MZ k8s-win')
    secure(host, CLOSED)
    host.put(`${TEMPORARY}\\theirs.txt`, 'theirs')
    const {result, warnings} = await resetOn(host.dir, {given: PURGE})
    expect(result).toMatchObject({exitCode: 0, outcome: 'done'})
    expect(warnings).toEqual([])
    expect(host.has(NAME)).toBe(false)
    expect(host.read(`${TEMPORARY}\\theirs.txt`)).toBe('theirs')
  })
})

describe('without --purge', () => {
  test('the copy stays, is named, and goes with a purge', async () => {
    const {before, host} = await setUp()
    runs(host, COPY)
    const {events, result} = await resetOn(host.dir, {assets: runFrom(COPY)})
    expect(result).toMatchObject({exitCode: 0, outcome: 'done'})
    expect(host.read(below(COPY))).toBe('MZ k8s-win')
    expect(JSON.stringify(events)).toContain('this stays: images, downloads, the copy of k8s-win, logs (--purge')
    const again = await resetOn(host.dir, {assets: runFrom(COPY)})
    expect(again.result).toMatchObject({exitCode: 0, recap: {changed: 0}})
    ended(host)
    const purged = await resetOn(host.dir, {given: PURGE})
    expect(purged.result).toMatchObject({exitCode: 0, outcome: 'done'})
    expect(differences(before, wholeHost(host))).toEqual([])
  })

  test('what an interrupted copy left goes', async () => {
    const {host} = await setUp()
    host.remove(below(COPY))
    host.put(`${below(COPY)}.01234567-0123-0123-0123-0123456789ab.tmp`, 'MZ half')
    expect((await resetOn(host.dir)).result).toMatchObject({exitCode: 0, outcome: 'done'})
    expect(host.has(String.raw`k\k8s-win\bin`)).toBe(false)
  })

  test('a lost journal does not make the copy a stranger', async () => {
    const {host} = await setUp()
    host.remove(String.raw`k\k8s-win\journal.ndjson`)
    expect((await setupOn(host.dir, {watch: 'false'}, {assets: runFrom(FROM)})).result).toMatchObject({exitCode: 0})
    const {result} = await resetOn(host.dir, {given: {...PURGE, yes: true}})
    // Of other things it is not known whether setup created them.
    expect(result).toMatchObject({error: {id: 'RESET_UNPROVEN'}, exitCode: 7, outcome: 'failed'})
    expect(result.error?.cause).not.toContain(COPY)
    expect(host.has(String.raw`k\k8s-win`)).toBe(false)
    expect(movedOn(host)).toEqual([])
  })
})
