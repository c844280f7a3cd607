import {describe, expect, it} from 'vitest'
import {bindings, functionsOf, lazyNative, loadKoffi} from '../../../../src/machine/real/win32/library.js'
import {wideList} from '../../../../src/machine/real/win32/text.js'
import {openRealMachine} from '../../../../src/machine/real/index.js'

const koffi = await loadKoffi()

describe('Windows’ libraries', () => {
  it('are not there elsewhere', async () => {
    await expect(lazyNative('linux')()).rejects.toThrow('on Windows only')
    await expect(openRealMachine({platform: 'linux'}).win32.isAdministrator()).rejects.toThrow('on Windows only')
  })

  it('that cannot be loaded are named', async () => {
    const refused = {call: 'LoadLibrary', code: 126, subject: 'kernel32.dll'}
    await expect(lazyNative('win32')()).rejects.toMatchObject(refused)
  })
})

describe.runIf(process.platform === 'linux')('a bound function', () => {
  const native = bindings(
    koffi,
    () => koffi.load('libc.so.6'),
    () => koffi.errno(),
  )

  it('runs on another thread, with bytes in and out', async () => {
    const copy = native.bind<bigint>('libc', 'memcpy', 'void *', ['void *', 'void *', 'size_t'])
    const source = wideList(['docker', 'vmcompute'])
    const target = Buffer.alloc(source.length)
    await copy(target, source, source.length)
    expect(target.equals(source)).toBe(true)
  })

  it('fills what it is given to fill', async () => {
    const fill = native.bind<bigint>('libc', 'memset', 'void *', [koffi.out(koffi.pointer('void *')), 'int', 'size_t'])
    const [full, empty] = [[null], [1n]]
    await fill(full, 1, 8)
    await fill(empty, 0, 8)
    expect([full, empty]).toEqual([[0x01_01_01_01_01_01_01_01n], [null]])
  })

  it('is bound by its prototype', async () => {
    const {compare, fill, processId} = functionsOf(native, 'libc', {
      compare: 'int memcmp(void *, void *, size_t)',
      fill: 'void *memset(out void *, int, size_t)',
      processId: 'int getpid()',
    })
    const filled = [null]
    await fill(filled, 1, 8)
    expect(filled).toEqual([0x01_01_01_01_01_01_01_01n])
    expect((await compare(Buffer.from('a'), Buffer.from('a'), 1)).result).toBe(0)
    expect((await processId()).result).toBe(process.pid)
  })

  it('reports the error of its own thread', async () => {
    const close = native.bind<number>('libc', 'close', 'int', ['int'])
    const replies = await Promise.all(Array.from({length: 20}, () => close(-1)))
    expect(new Set(replies.map(({lastError, result}) => `${result} ${lastError}`))).toEqual(
      new Set([`-1 ${koffi.os.errno['EBADF']}`]),
    )
  })

  it('is counted until it comes back', async () => {
    const close = native.bind<number>('libc', 'close', 'int', ['int'])
    const calls = [close(-1), close(-1)]
    expect(native.running()).toBe(2)
    await Promise.all(calls)
    expect(native.running()).toBe(0)
    await expect(close('text')).rejects.toThrow()
    expect(native.running()).toBe(0)
  })

  it.each([300, 3000, 10_000])('review N1: %i calls at once all return, a few at a time', async (many) => {
    const close = native.bind<number>('libc', 'close', 'int', ['int'])
    const calls = Array.from({length: many}, () => close(-1))
    expect(native.running()).toBe(32)
    expect(new Set((await Promise.all(calls)).map(({result}) => result))).toEqual(new Set([-1]))
    expect(native.running()).toBe(0)
  })

  it('review N1: calls that koffi refuses keep no place in the queue', async () => {
    const close = native.bind<number>('libc', 'close', 'int', ['int'])
    const refused = await Promise.allSettled(
      Array.from({length: 300}, (_, index) => (index % 2 ? close('text') : close())),
    )
    expect(new Set(refused.map(({status}) => status))).toEqual(new Set(['rejected']))
    expect(native.running()).toBe(0)
    expect((await close(-1)).result).toBe(-1)
  })

  it('review N1: koffi has the stack of a Windows thread, and room for the whole queue', () => {
    expect(koffi.config()).toMatchObject({async_stack_size: 1_048_576, max_async_calls: 64})
  })

  it('rejects wrong arguments', async () => {
    const close = native.bind<number>('libc', 'close', 'int', ['int'])
    await expect(close('text')).rejects.toThrow(/expected/iu)
  })

  it('that is not there has the code Windows has for it', () => {
    expect(() => native.bind('libc', 'HNSCall', 'int', [])).toThrow(
      expect.objectContaining({call: 'GetProcAddress', code: 127, subject: 'HNSCall'}),
    )
  })
})
