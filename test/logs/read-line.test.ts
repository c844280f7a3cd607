import {readdirSync, readFileSync} from 'node:fs'
import {describe, expect, it} from 'vitest'
import {readLine} from '../../src/logs/read-line.js'
import {UTC_ZONE, type Zone} from '../../src/logs/zone.js'

const at = (text: string): number => Date.parse(text)
const REFERENCE = at('2026-11-15T12:00:00Z')
const read = (line: string, reference = REFERENCE, zone: Zone = UTC_ZONE) => readLine(line, reference, zone)

describe("klog's lines", () => {
  it('report level, process, source and microseconds', () => {
    expect(read('E1115 06:04:02.823958    1116 server.go:59] "Bad" err="x"')).toEqual({
      level: 'error',
      message: '"Bad" err="x"',
      process: 1116,
      source: 'server.go:59',
      time: at('2026-11-15T06:04:02Z') + 823.958,
    })
    expect(['D', 'I', 'W', 'E', 'F'].map((letter) => read(`${letter}1115 06:04:02.8 1 a.go:1] x`))).toMatchObject(
      ['debug', 'info', 'warning', 'error', 'fatal'].map((level) => ({level})),
    )
  })

  it.each([
    ['1231', '2026-01-01T00:10:00Z', '2025'],
    ['0101', '2025-12-31T23:50:00Z', '2026'],
    ['1115', '2026-11-15T00:00:00Z', '2026'],
    ['0229', '2028-03-01T00:00:00Z', '2028'],
  ])('%s seen from %s is of %s', (day, reference, year) => {
    const line = read(`I${day} 06:04:02.000000    1 a.go:1] x`, at(reference))
    expect(new Date('time' in line ? line.time : 0).getUTCFullYear()).toBe(Number(year))
  })

  it('are in the time of the host', () => {
    const inTokyo: Zone = {...UTC_ZONE, at: (...parts) => UTC_ZONE.at(...parts) - 9 * 3_600_000}
    expect(read('I1115 06:04:02.000000    1 a.go:1] x', REFERENCE, inTokyo)).toMatchObject({
      time: at('2026-11-14T21:04:02Z'),
    })
  })

  it.each(['I1315 06:04:02.0 1 a.go:1] x', 'I1115 25:04:02.0 1 a.go:1] x', 'I1115 x', 'Ignored', ''])(
    '%j is none',
    (line) => {
      expect(read(line)).toEqual({continues: line})
    },
  )

  it('of the real kubelet and kube-proxy are all understood, stacks aside', () => {
    const folders = ['kubelet', 'kube-proxy'].map((name) => new URL(`../transcripts/${name}/`, import.meta.url))
    const logs = folders.flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.log'))
        .map((name) => readFileSync(new URL(name, folder), 'utf8')),
    )
    const lines = logs.flatMap((text) => text.replaceAll('\r', '').split('\n'))
    const unread = lines.filter((line) => /^[DEFIW]\d{4} /.test(line) && 'continues' in read(line))
    expect(lines.length).toBeGreaterThan(500)
    expect(unread).toEqual([])
    expect(read('Log file created at: 2026/11/15 06:04:02')).toMatchObject({time: at('2026-11-15T06:04:02Z')})
  })
})

describe("shawl's lines", () => {
  it('report its own level', () => {
    expect(read('2026-11-15 06:08:14 [INFO] Launching command')).toEqual({
      level: 'info',
      message: 'Launching command',
      time: at('2026-11-15T06:08:14Z'),
    })
    expect(read('2026-11-15 06:08:14 [ERROR] Unable to launch')).toMatchObject({level: 'error'})
    expect(read('2026-11-15 06:08:14 [DEBUG] Entering main service loop')).toMatchObject({level: 'debug'})
  })

  it("hold flanneld's: its level, its time, its words", () => {
    const inner = String.raw`E1115 06:08:14.512345    4 main.go:1] Couldn't fetch \"C:\\etc\\x\": \u{fc}\tno`
    expect(read(`2026-11-15 06:08:14 [DEBUG] stderr: "${inner}"`)).toEqual({
      level: 'error',
      message: 'Couldn\'t fetch "C:\\etc\\x": ü\tno',
      process: 4,
      source: 'main.go:1',
      time: at('2026-11-15T06:08:14Z') + 512.345,
    })
  })

  it('hold the time of shawl where that of the program is far off', () => {
    const line = read('2026-11-15 06:08:14 [DEBUG] stderr: "I0101 06:08:14.5 1 a.go:1] x"')
    expect(line).toMatchObject({message: 'x', time: at('2026-11-15T06:08:14Z')})
  })

  it.each(['goroutine 1 [running]:', String.raw`\t/go/src/main.go:12 +0x1d`, 'main.main()', 'created by main.start'])(
    'hold a stack, which belongs to what came before: %s',
    (text) => {
      expect(read(`2026-11-15 06:08:14 [DEBUG] stderr: "${text}"`)).toEqual({
        continues: text.replace(String.raw`\t`, '\t'),
      })
    },
  )

  it('hold last words, and words of no shape', () => {
    expect(read('2026-11-15 06:08:14 [DEBUG] stderr: "panic: oh"')).toMatchObject({
      level: 'fatal',
      message: 'panic: oh',
    })
    expect(read('2026-11-15 06:08:14 [DEBUG] stdout: "hello there"')).toMatchObject({
      level: 'info',
      message: 'hello there',
    })
  })
})

describe('our own lines', () => {
  const event = (fields: object): string => `event ${JSON.stringify(fields)}`
  const error = {cause: 'Because.', fix: 'Mend it.', id: 'NO_GOOD', message: 'It failed', url: ''}
  const step = {changes: ['make a', 'make b'], durationMs: 1500, id: 'net-conf', state: 'changed', title: 'Write'}
  it.each([
    ['win32 read queryService ["kubelet"] -> ok (2 ms)', 'info', ''],
    ['files change write ["C:\\\\k"] -> error EBUSY (2 ms)', 'warning', ''],
    [event({level: 'warn', message: 'Take care', type: 'log'}), 'warning', 'Take care'],
    [event({command: 'setup', steps: [], type: 'run-started'}), 'info', 'setup begins'],
    [event({id: 'net-conf', title: 'Write', type: 'step-started'}), 'info', 'step net-conf: Write'],
    [event({step, type: 'step-finished'}), 'info', 'step net-conf: changed after 1.5 s: make a; make b'],
    [
      event({step: {...step, changes: [], error, state: 'failed'}, type: 'step-finished'}),
      'error',
      'step net-conf: failed after 1.5 s\nNO_GOOD: It failed\nCause: Because.\nFix: Mend it.',
    ],
    [
      event({check: {id: 'docker', message: 'not there', result: 'fail'}, type: 'check'}),
      'error',
      'check docker [fail] not there',
    ],
    [
      event({result: {command: 'setup', exitCode: 6, outcome: 'failed', recap: {ok: 1}}, type: 'run-finished'}),
      'error',
      'setup ends: failed, exit 6 (ok=1)',
    ],
    ['INFO  step net-conf: Write', 'info', 'step net-conf: Write'],
    ['ERROR it failed', 'error', 'it failed'],
    [event({type: 'of a later version'}), 'info', ''],
    [event({check: 'no object', type: 'check'}), 'info', ''],
    ['event {"cut', 'info', ''],
  ])('%s is %s: %s', (text, level, told) => {
    const message = told === '' ? text : told
    expect(read(`2026-11-15T06:08:14.250Z ${text}`)).toEqual({level, message, time: at('2026-11-15T06:08:14.250Z')})
  })

  it('of any program that reports a date, a time and perhaps a zone', () => {
    expect(read('2026/11/15 06:08:14 hello')).toMatchObject({message: 'hello', time: at('2026-11-15T06:08:14Z')})
    expect(read('2026-11-15T06:08:14,5+05:30 x')).toMatchObject({time: at('2026-11-15T00:38:14.500Z')})
    expect(read('2026-11-15 is a day')).toEqual({continues: '2026-11-15 is a day'})
  })
})

describe("containerd's lines in shawl's log", () => {
  const said = String.raw`time="2026-11-15T02:41:07.5Z" level=warning msg="failed to load \"cri\"" error="invalid" id=io.containerd`
  const read = readLine(`2026-11-15 02:41:08 [DEBUG] stderr: ${JSON.stringify(said)}`, 0, UTC_ZONE)

  it('have their own level, time and message', () => {
    expect(read).toEqual({
      level: 'warning',
      message: 'failed to load "cri" error="invalid" id=io.containerd',
      time: Date.UTC(2026, 10, 15, 2, 41, 7, 500),
    })
  })

  it('are lines of shawl where the time is none', () => {
    const broken = readLine('2026-11-15 02:41:08 [DEBUG] stderr: "time=\\"now\\" level=info msg=x"', 0, UTC_ZONE)
    expect(broken).toMatchObject({level: 'info', message: 'time="now" level=info msg=x'})
  })
})
