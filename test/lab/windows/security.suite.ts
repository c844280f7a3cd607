// Who may do what: security descriptors of files, administrator or not, the computer's name, and the lock.
import assert from 'node:assert/strict'
import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'
import {writeFileSync} from 'node:fs'
import {mkdtemp, rm, writeFile} from 'node:fs/promises'
import {createServer} from 'node:net'
import {hostname, tmpdir} from 'node:os'
import path from 'node:path'
import {after, before, describe, test, type TestContext} from 'node:test'
import {fileURLToPath} from 'node:url'
import {
  ADMINISTRATORS_ONLY,
  ADMINISTRATORS_ONLY_FILE,
  isAdministratorsOnly,
  openSecurity,
} from '../../../src/host/security/security.js'
import {openOperatingSystem} from '../../../src/host/os.js'
import {waitFor} from '../../../src/host/wait.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import {IS_WINE, PROGRAMS, runProgram} from './windows-host.js'

const machine = openRealMachine()
const {win32} = machine
const MUTEX = 'Global\\k8s-win-lab'

/** This bundle is its own second process: it answers one question and, with the lock, waits to be killed. */
const asked = process.env.LAB_ASKED
if (asked === 'administrator') {
  process.stdout.write(String(await win32.isAdministrator()))
} else if (asked === 'mutex') {
  const release = await win32.takeMutex(MUTEX)
  process.stdout.write(release ? 'taken' : 'refused')
  if (release) setInterval(() => undefined, 1000)
} else {
  suites(await win32.isAdministrator())
}

function suites(isAdministrator: boolean): void {
  const self = fileURLToPath(import.meta.url)
  let folder: string
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'k8s-win security ü中-'))
  })
  after(() => rm(folder, {force: true, maxRetries: 10, recursive: true}))

  const skip = (IS_WINE && 'Wine gives a pipe no owner') || (!isAdministrator && "this pipe would be a user's")
  test("review S2-7: an administrator's pipe is owned by Administrators or SYSTEM", {skip}, async () => {
    const pipe = String.raw`\\.\pipe\k8s-win-lab-owner`
    const server = createServer().listen(pipe)
    await once(server, 'listening')
    const seen = await win32.pipeServer(pipe)
    server.close()
    assert.equal(seen?.processId, process.pid)
    assert.match(seen.sddl, /^O:(?:BA|SY)/)
    assert.equal(await win32.pipeServer(pipe), undefined)
  })

  describe(
    'a security descriptor',
    {skip: !isAdministrator && 'only an administrator may give files to that group'},
    () => {
      const security = openSecurity(win32)

      for (const [kind, wanted] of [
        ['folder', ADMINISTRATORS_ONLY],
        ['file', ADMINISTRATORS_ONLY_FILE],
      ] as const) {
        test(`of a ${kind} is restricted to administrators`, async () => {
          const target = path.join(folder, kind)
          await (kind === 'folder' ? machine.files.makeDirectory(target) : writeFile(target, ''))
          await security.restrict(target, kind)
          checkRestricted(await security.of(target), wanted)
        })
      }

      test('is there before the first byte of a file', async () => {
        const target = path.join(folder, 'secret')
        await machine.files.write(target, 'x', {sddl: ADMINISTRATORS_ONLY_FILE})
        checkRestricted(await security.of(target), ADMINISTRATORS_ONLY_FILE)
      })

      test('is there from the first of a folder, and of those that are made with it', async () => {
        const outer = path.join(folder, 'born ü')
        const inner = path.join(outer, 'x'.repeat(200), 'y'.repeat(200))
        for (let times = 0; times < 2; times++)
          await machine.files.makeDirectory(inner, {security: ADMINISTRATORS_ONLY})
        for (const made of [outer, inner]) checkRestricted(await security.of(made), ADMINISTRATORS_ONLY)
        await machine.files.write(path.join(outer, 'file'), '')
        const [first, ...inside] = await security.survey([
          {inside: true, path: outer},
          {inside: true, path: path.join(folder, 'nobody')},
        ])
        assert.deepEqual([first?.path, first?.kind], [outer, 'directory'])
        assert.deepEqual(inside.map(({kind}) => kind).sort(), ['directory', 'file'])
        await assert.rejects(machine.files.makeDirectory(path.join(outer, 'file'), {security: ADMINISTRATORS_ONLY}), {
          code: 'EEXIST',
        })
        await assert.rejects(machine.files.makeDirectory(path.join(folder, 'z'), {security: 'nonsense'}))
        assert.equal(await machine.files.status(path.join(folder, 'z')), undefined)
      })

      for (const many of [300, 3000]) {
        // koffi refuses a 257th call at the same time by default.
        test(`review N1: of each of ${many} files is read in one survey`, async () => {
          const full = path.join(folder, `klog ${many}`)
          await machine.files.makeDirectory(full)
          for (let number = 0; number < many; number++) writeFileSync(path.join(full, `kubelet.exe.${number}.log`), '')
          const surveyed = await security.survey([{inside: true, path: full}])
          assert.equal(surveyed.length, many + 1)
          assert.deepEqual([...new Set(surveyed.map(({kind, sddl}) => `${kind} ${sddl?.slice(0, 2)}`))].sort(), [
            'directory O:',
            'file O:',
          ])
        })
      }

      test('is set back to what it was', async () => {
        const target = path.join(folder, 'back')
        await writeFile(target, '')
        const before = await security.of(target)
        assert.match(before, /^O:\S+D:\S*\(A;/)
        await security.restrict(target, 'file')
        await security.set(target, before)
        assert.equal(await security.of(target), before)
      })

      test('of nothing, and one that is none, are refused', async () => {
        await assert.rejects(security.of(path.join(folder, 'nobody')), {code: 2})
        await assert.rejects(security.restrict(path.join(folder, 'nobody'), 'file'), {code: 2})
        const call = 'ConvertStringSecurityDescriptorToSecurityDescriptorW'
        await assert.rejects(security.set(folder, 'nonsense'), {call})
      })
    },
  )

  describe('we are', () => {
    test('on a computer of this name', async () => {
      assert.equal(await openOperatingSystem(win32).computerName(), hostname())
    })

    test('administrator here', {skip: !IS_WINE && 'whoever runs this'}, () => {
      assert.equal(isAdministrator, true)
    })

    const skip = PROGRAMS === undefined && 'needs without-admin.exe, compiled in the lab'
    test('no special user without that group', {skip}, async () => {
      const args = [process.execPath, self]
      const env = {LAB_ASKED: 'administrator'}
      const ended = await runProgram(path.join(PROGRAMS!, 'without-admin.exe'), args, {env})
      assert.deepEqual(ended, {code: 0, stderr: '', stdout: 'false'})
    })
  })

  describe('the lock', () => {
    test('is refused while we have it, and free when we let go', async (context) => {
      const release = await win32.takeMutex(MUTEX)
      assert.ok(release)
      assert.equal(await win32.takeMutex(MUTEX), undefined)
      assert.equal(await win32.isMutexHeld(MUTEX), true)
      // Windows lets a process open its namespace once only.
      assert.equal(await openRealMachine().win32.takeMutex(MUTEX), undefined)
      const {answer, child} = await ask(context)
      assert.equal(answer, 'refused')
      await once(child, 'exit')
      await release()
      await release()
      assert.equal(await win32.isMutexHeld(MUTEX), false)
      const again = await win32.takeMutex(MUTEX)
      assert.ok(again)
      await again()
    })

    test('is freed by the death of who has it', async (context) => {
      const {answer, child} = await ask(context)
      assert.equal(answer, 'taken')
      assert.equal(await win32.takeMutex(MUTEX), undefined)
      child.kill('SIGKILL')
      await once(child, 'exit')
      const release = await waitFor(machine.clock, {deadlineMs: 30_000, everyMs: 20}, () => win32.takeMutex(MUTEX))
      assert.ok(release)
      await release()
    })

    async function ask(context: TestContext): Promise<{answer: string; child: ChildProcess}> {
      const env = {...process.env, LAB_ASKED: 'mutex'}
      const child = spawn(process.execPath, [self], {env, stdio: ['ignore', 'pipe', 'inherit']})
      context.after(() => void child.kill('SIGKILL'))
      const [answer] = (await once(child.stdout, 'data')) as [Buffer]
      return {answer: String(answer), child}
    }
  })
}

/** Wine 10 keeps Unix permissions in place of the list: it names the owner by another id, cuts no inheritance and lets all read. */
function checkRestricted(sddl: string, wanted: string): void {
  assert.equal(isAdministratorsOnly(sddl), !IS_WINE, sddl)
  if (IS_WINE)
    assert.match(sddl, /^O:S-1-5-21-0-0-0-1000D:\(A;(?:OICI)?;FA;;;SY\)\(A;(?:OICI)?;FA;;;S-1-5-21-0-0-0-1000\)/)
  else assert.equal(sddl, wanted)
}
