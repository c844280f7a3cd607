import {describe, expect, it} from 'vitest'
import {DeadlineError} from '../../src/machine/clock.js'
import {CrashError, faultyMachine} from '../fakes/faulty.js'
import {standIn} from './stand-in.js'

const options = {deadlineMs: 7000, effect: 'change'} as const
const refusal = new Error('refused')

describe('a fault', () => {
  it('strikes the n-th effect only', async () => {
    const {calls, machine} = standIn()
    const faulty = faultyMachine(machine, [{at: 2, does: refusal, when: 'before'}])
    await faulty.files.write('a', '')
    await expect(faulty.win32.startService('kubelet')).rejects.toBe(refusal)
    await faulty.run('C:\\x.exe', [], options)
    expect(calls).toEqual(['write', 'run'])
  })

  it('strikes what a predicate chooses, every time', async () => {
    const {calls, machine} = standIn()
    const faulty = faultyMachine(machine, [
      {at: ({args, what}) => what === 'write' && args[0] === 'b', does: refusal, when: 'before'},
    ])
    await faulty.files.write('a', '')
    await expect(faulty.files.write('b', '')).rejects.toBe(refusal)
    await expect(faulty.files.write('b', '')).rejects.toBe(refusal)
    expect(calls).toEqual(['write'])
  })

  it('after an effect lets it happen and loses its answer', async () => {
    const {calls, machine} = standIn()
    const faulty = faultyMachine(machine, [{at: 1, does: refusal, when: 'after'}])
    await expect(faulty.files.remove('a')).rejects.toBe(refusal)
    expect(calls).toEqual(['remove'])
  })

  it('can hang until the effect’s own deadline, on the machine’s clock', async () => {
    const {calls, machine} = standIn()
    const faulty = faultyMachine(machine, [{at: ({kind}) => kind === 'change', does: 'hang', when: 'before'}])
    await expect(faulty.run('C:\\x.exe', [], options)).rejects.toEqual(new DeadlineError(7000))
    const request = {...options, method: 'POST', url: 'https://host/'} as const
    await expect(faulty.http.request(request)).rejects.toMatchObject({code: 'ETIMEDOUT', name: 'HttpError'})
    await expect(faulty.win32.startService('kubelet')).rejects.toBeInstanceOf(DeadlineError)
    expect(machine.clock.slept).toEqual([7000, 7000, 86_400_000])
    expect(calls).toEqual([])
  })

  it('that is a crash ends everything', async () => {
    const {calls, machine} = standIn()
    const faulty = faultyMachine(machine, [{at: 2, does: 'crash', when: 'after'}])
    await faulty.files.write('a', '')
    await expect(faulty.files.write('b', '')).rejects.toBeInstanceOf(CrashError)
    await expect(faulty.files.write('c', '')).rejects.toBeInstanceOf(CrashError)
    await expect(faulty.win32.isAdministrator()).rejects.toThrow('crashed at write b')
    expect(calls).toEqual(['write', 'write'])
  })

  it('that is a crash also ends what is under way', async () => {
    let finish: (value: unknown) => void = () => undefined
    const {machine} = standIn({startService: () => new Promise((resolve) => (finish = resolve))})
    const faulty = faultyMachine(machine, [{at: 2, does: 'crash', when: 'before'}])
    const starting = faulty.win32.startService('kubelet')
    await expect(faulty.files.write('a', '')).rejects.toBeInstanceOf(CrashError)
    finish(undefined)
    await expect(starting).rejects.toBeInstanceOf(CrashError)
  })

  it('that is a crash frees the lock that was just taken', async () => {
    let isFree = false
    const {machine} = standIn({takeMutex: async () => async () => void (isFree = true)})
    const faulty = faultyMachine(machine, [{at: 1, does: 'crash', when: 'after'}])
    await expect(faulty.win32.takeMutex('Global\\x')).rejects.toBeInstanceOf(CrashError)
    expect(isFree).toBe(true)
  })

  it('is none where there is no plan', async () => {
    const {machine} = standIn()
    expect(
      (await faultyMachine(machine, []).http.request({...options, method: 'GET', url: 'https://host/'})).status,
    ).toBe(404)
  })
})
