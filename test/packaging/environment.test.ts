// The variables that k8s-win.exe ignores, on small programs that are made up; on the real node.exe: test/lab/packaging.
import {runInNewContext} from 'node:vm'
import {describe, expect, it} from 'vitest'
import {ignoreVariables, KEPT, PASSED_ON, READ_DIRECTLY} from '../../packaging/environment.js'
import {importFromSystemOnly, SEARCH_SYSTEM32} from '../../packaging/pe-load-flags.js'
import {type MadeUpCall, madeUpProgram, RDX} from './made-up-program.js'

/** What every node.exe has: a name for each function that reads variables, and those that no call shows. */
const NODE: readonly MadeUpCall[] = [
  ...READ_DIRECTLY.map((name, nth) => ({
    callee: nth,
    isImported: nth > 3,
    isWide: name === 'OPENSSL_WIN32_UTF8',
    name,
  })),
  ...PASSED_ON.map((name) => ({load: RDX, name})),
]
const SCRIPT = 'if (process.env.NODE_DEBUG) load()'

/** As V8 writes a text into its snapshot and its code cache: length and letters, one byte each. */
const compiled = (text: string): string => `${String.fromCodePoint(text.length)}\0\0\0${text}`

describe('review V2: a variable of the environment', () => {
  it('is not read where its name is passed to any function that reads variables', () => {
    for (const [callee, reader] of READ_DIRECTLY.entries()) {
      const call = {callee, isImported: callee > 3, isWide: reader === 'OPENSSL_WIN32_UTF8', name: 'OF_A_NEW_NODE'}
      const {bytes, text} = madeUpProgram([...NODE, call], SCRIPT)
      expect(ignoreVariables(bytes), reader).toContain('OF_A_NEW_NODE')
      expect(text()).not.toMatch(/O\0?F\0?_\0?A/)
    }
  })

  it('is still read where it is in the list of those that stay', () => {
    const kept = [...KEPT].map((name) => ({callee: 0, name}))
    const {bytes, text} = madeUpProgram([...NODE, ...kept], SCRIPT)
    expect(ignoreVariables(bytes).filter((name) => KEPT.has(name))).toEqual([])
    for (const name of KEPT) expect(text()).toContain(`\0${name}\0`)
  })

  it('keeps its name where that is passed to another function, or is part of another name', () => {
    const others = [
      {callee: 99, name: 'OF_ANOTHER_USE'},
      {callee: 99, name: 'MY_NODE_DEBUG_NATIVE_FLAG'},
    ]
    const {bytes, text} = madeUpProgram([...NODE, ...others], SCRIPT)
    expect(ignoreVariables(bytes)).not.toContain('OF_ANOTHER_USE')
    for (const {name} of others) expect(text()).toContain(`\0${name}\0`)
    expect(text()).not.toContain('\0NODE_DEBUG_NATIVE\0')
  })

  it('is not read by the JavaScript of Node.js, whose length stays, and which stays JavaScript', () => {
    const script = [
      "exports.tls = process.env.NODE_TLS_REJECT_UNAUTHORIZED === '0'",
      'delete process.env.NODE_CHANNEL_FD; process.env.NODE_V8_COVERAGE = 1',
      "exports.path = safeGetenv('NODE_PATH'); exports.id = has(process.env, 'NODE_UNIQUE_ID')",
      'exports.term = process.env.TERM; exports.other = process.env.NODE_PATHS',
    ].join(';')
    const {bytes, text} = madeUpProgram(NODE, script)
    const before = text().indexOf(script)
    ignoreVariables(bytes)
    const changed = text().slice(before, before + script.length)
    const read: string[] = []
    const env = new Proxy(
      {},
      {
        deleteProperty: (_, name) => read.push(String(name)) > 0,
        get: (_, name) => (read.push(String(name)), '0'),
        set: (_, name) => read.push(String(name)) > 0,
      },
    )
    const safeGetenv = (name: string): void => void read.push(name)
    const has = (_: object, name: string): void => safeGetenv(name)
    runInNewContext(changed, {exports: {}, has, process: {env}, safeGetenv})
    // libuv takes a name up to its first NUL.
    expect(read.map((name) => name.split('\0')[0])).toEqual(['', '', '', '', '', 'TERM', ''])
  })

  it('is not read by what V8 has compiled of it', () => {
    const {bytes, text} = madeUpProgram(NODE, `${SCRIPT}\0${compiled('NODE_DEBUG')}\0${compiled('NODE_DEBUGGER')}`)
    ignoreVariables(bytes)
    expect(text()).not.toContain(compiled('NODE_DEBUG'))
    expect(text()).toContain(compiled('NODE_DEBUGGER'))
  })

  it.each<[string, readonly MadeUpCall[], string]>([
    ['passes a known variable to no function', NODE.filter(({name}) => name !== 'OPENSSL_MODULES'), SCRIPT],
    ['does not name a known variable', NODE.filter(({name}) => name !== 'NODE_V8_COVERAGE'), SCRIPT],
    ['has no JavaScript', NODE, ''],
  ])('stops the build where node.exe %s: another release may read it otherwise', (_what, calls, script) => {
    expect(() => ignoreVariables(madeUpProgram(calls, script).bytes)).toThrow(/^node\.exe /)
  })
})

it('review V3: OPENSSL_CONF is ignored by the same mechanism', () => {
  const {bytes, text} = madeUpProgram([...NODE, {callee: 0, name: 'OPENSSL_CONF'}], SCRIPT)
  expect(ignoreVariables(bytes)).toContain('OPENSSL_CONF')
  expect(text()).not.toContain('OPENSSL_CONF')
})

describe('review V4: the DLLs that a program imports', () => {
  it('come from the folder of Windows only', () => {
    const {bytes, text} = madeUpProgram([], '', 0x1_40)
    importFromSystemOnly(bytes)
    const configuration = text().length - 0x2_00
    expect(Buffer.from(text(), 'latin1').readUInt16LE(configuration + 0x4e)).toBe(SEARCH_SYSTEM32)
    expect(SEARCH_SYSTEM32).toBe(0x8_00)
  })

  it.each([0, 0x40])('stop the build where the load configuration has no such field (size %i)', (size) => {
    expect(() => importFromSystemOnly(madeUpProgram([], '', size).bytes)).toThrow(/no load configuration/)
  })
})
