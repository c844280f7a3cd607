import {describe, expect, it} from 'vitest'
import {type LockHolder, takeLock} from '../../src/runs/run-lock.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {temporaryFolder} from '../steps/rig.js'

const RECORD = String.raw`C:\k\k8s-win\lock.json`
const HOLDER: LockHolder = {
  command: String.raw`k8s-win setup -BaseDir c:\k`,
  processId: 4242,
  user: String.raw`WIN-1\me`,
}

const machineOf = (dir: string) => openSimulator({dir, profile: 'ws2019'})

describe('the lock', () => {
  it('is had by one only, and says by whom, since when and for what', async () => {
    const dir = temporaryFolder()
    const first = await takeLock(await machineOf(dir), RECORD)
    await first.sign(HOLDER)
    const second = await machineOf(dir)
    await expect(takeLock(second, RECORD)).rejects.toMatchObject({
      exitCode: 11,
      fix: expect.stringContaining('taskkill /T /F /PID 4242"') as string,
      id: 'LOCK_HELD',
      reason: expect.stringMatching(
        /^The lock is held by process 4242 of WIN-1\\me, which began at \d{4}-\d\d-\d\dT[\d:.]+Z: k8s-win setup -BaseDir c:\\k$/,
      ) as string,
    })
    expect(await second.win32.securityOf(RECORD)).toBe('O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)')
    await first.release()
    expect(await second.files.read(RECORD)).toBeUndefined()
    await (await takeLock(second, RECORD)).release()
  })

  it('stands without a word of who has it', async () => {
    const dir = temporaryFolder()
    const machine = await machineOf(dir)
    const {release} = await takeLock(machine, RECORD)
    await expect(takeLock(machine, RECORD)).rejects.toMatchObject({
      reason: expect.stringContaining('left no information') as string,
    })
    await release()
  })

  it.each([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['another content', '{"processId":"many","command":{}}'],
    ['nothing', ''],
  ])('stands beside a record that is %s', async (_, text) => {
    const dir = temporaryFolder()
    const machine = await machineOf(dir)
    await takeLock(machine, RECORD)
    await machine.files.makeDirectory(String.raw`C:\k\k8s-win`)
    await machine.files.write(RECORD, text)
    await expect(takeLock(machine, RECORD)).rejects.toMatchObject({id: 'LOCK_HELD'})
  })

  it('says nothing about a dead holder: the mutex was freed with him, and his record is written over', async () => {
    const dir = temporaryFolder()
    const machine = await machineOf(dir)
    await machine.files.makeDirectory(String.raw`C:\k\k8s-win`)
    await machine.files.write(RECORD, JSON.stringify({...HOLDER, processId: 1}))
    const lock = await takeLock(machine, RECORD)
    await lock.sign(HOLDER)
    expect(JSON.parse(String(await machine.files.read(RECORD)))).toMatchObject({processId: 4242})
    await lock.release()
  })

  it('holds where no record can be written, and frees itself where it cannot be removed', async () => {
    const dir = temporaryFolder()
    const machine = await machineOf(dir)
    const refuse = (): Promise<never> => Promise.reject(new Error('refused'))
    const files = {...machine.files, remove: refuse, write: refuse}
    const lock = await takeLock({...machine, files}, RECORD)
    await lock.sign(HOLDER)
    await expect(takeLock(machine, RECORD)).rejects.toMatchObject({id: 'LOCK_HELD'})
    await lock.release()
    await (await takeLock(machine, RECORD)).release()
  })
})
