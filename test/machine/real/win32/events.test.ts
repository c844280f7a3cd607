import koffi from 'koffi'
import {describe, expect, it} from 'vitest'
import {openEvents} from '../../../../src/machine/real/win32/events.js'
import {fakeNative, type Played} from './fake-native.js'

const FOUND = 7n

/** A log with these events, played as wevtapi.dll documents it. */
function play(events: readonly string[], functions: Record<string, Played> = {}) {
  let next = 0
  const closed: unknown[] = []
  const asked: unknown[] = []
  const {calls, native} = fakeNative({
    EvtClose: (handle) => {
      closed.push(handle)
      return {result: 1}
    },
    EvtNext: (_found, most: number, handles: Buffer, _ms, _flags, returned: Buffer) => {
      const given = Math.min(most, events.length - next)
      if (given === 0) return {lastError: 259, result: 0}
      for (let index = 0; index < given; index++) handles.writeBigUInt64LE(BigInt(100 + next++), index * 8)
      returned.writeUInt32LE(given)
      return {result: 1}
    },
    EvtQuery: (...args) => {
      asked.push(...args)
      return {result: FOUND}
    },
    EvtRender: (_context, event: bigint, _flags, bytes: number, text: Buffer, used: Buffer) => {
      const wide = Buffer.from(`${events[Number(event) - 100]}\0`, 'utf16le')
      used.writeUInt32LE(wide.length)
      if (wide.length > bytes) return {lastError: 122, result: 0}
      wide.copy(text)
      return {result: 1}
    },
    ...functions,
  })
  return {asked, calls, closed, events: openEvents(native).events}
}

describe('the event logs of Windows', () => {
  it('are read from the newest on, and every handle is closed', async () => {
    const log = Array.from({length: 70}, (_, index) => `<Event>${index} \u00FC</Event>`)
    const {asked, closed, events} = play(log)
    expect(await events('System', 65)).toEqual(log.slice(0, 65))
    expect(asked).toEqual([null, 'System', '*', 0x201])
    expect(closed.at(-1)).toBe(FOUND)
    expect(closed).toHaveLength(66)
  })

  it('are asked for some only by level and number', async () => {
    const {asked, events} = play([])
    await events('System', 5, {ids: [1074, 6008], levels: [1, 2]})
    expect(asked[2]).toBe('*[System[Level=1 or Level=2 or EventID=1074 or EventID=6008]]')
  })

  it('end where there are no more', async () => {
    expect(await play(['<Event/>']).events('System', 300)).toEqual(['<Event/>'])
    expect(await play([]).events('System', 300)).toEqual([])
  })

  it('may have an entry that needs more room than most', async () => {
    const long = `<Event>${'x'.repeat(100_000)}</Event>`
    expect(await play([long]).events('System', 1)).toEqual([long])
  })

  it('review V9: are asked for at most 30 at once, and for fewer where a batch has too many bytes', async () => {
    const log = Array.from({length: 70}, (_, index) => `<Event>${index}</Event>`)
    const asked: number[] = []
    let next = 0
    const {closed, events} = play(log, {
      EvtNext: (_found, most: number, handles: Buffer, _ms, _flags, returned: Buffer) => {
        asked.push(most)
        const first = next
        next = Math.min(next + most, log.length)
        // RPC_S_INVALID_BOUND, for what begins in the events 30 to 39; the position moves nevertheless (elastic/beats#3076).
        if (first >= 30 && first < 40 && most > 10) return {lastError: 1734, result: 0}
        for (let at = first; at < next; at++) handles.writeBigUInt64LE(BigInt(100 + at), (at - first) * 8)
        returned.writeUInt32LE(next - first)
        return {result: 1}
      },
      EvtQuery: () => ((next = 0), {result: FOUND}),
    })
    expect(await events('System', 65)).toEqual(log.slice(0, 65))
    expect(asked).toEqual([30, 30, 15, 15, 15, ...Array.from({length: 9}, () => 7), 2])
    expect(closed.filter((handle) => handle === FOUND)).toHaveLength(3)
  })

  it('review V9: fail where a single event is refused', async () => {
    const {events} = play(['<Event/>'], {EvtNext: () => ({lastError: 1734, result: 0})})
    await expect(events('System', 5)).rejects.toMatchObject({call: 'EvtNext', code: 1734})
  })

  it('report by its code that there is no such channel', async () => {
    const {events} = play([], {EvtQuery: () => ({lastError: 15_007, result: null})})
    await expect(events('Nonsense', 1)).rejects.toMatchObject({call: 'EvtQuery', code: 15_007, subject: 'Nonsense'})
  })

  it.each([
    ['EvtNext', {EvtNext: () => ({lastError: 6, result: 0})}],
    ['EvtRender', {EvtRender: () => ({lastError: 13, result: 0})}],
  ] as const)('that fail in %s leave no handle open', async (call, functions) => {
    const {closed, events} = play(['<Event/>'], functions)
    await expect(events('System', 1)).rejects.toMatchObject({call})
    expect(closed.at(-1)).toBe(FOUND)
  })
})

describe('an event of k8s-win', () => {
  const SOURCE = 9n

  function playSource(reported: number) {
    const asked: {level: number; id: number; strings: number; text: string}[] = []
    const {calls, native} = fakeNative({
      DeregisterEventSource: () => ({result: 1}),
      RegisterEventSourceW: (server: unknown, source: string) => {
        expect([server, source]).toEqual([null, 'k8s-win'])
        return {result: SOURCE}
      },
      ReportEventW: (
        _source: bigint,
        level: number,
        _category: number,
        id: number,
        _sid: null,
        strings: number,
        _bytes: number,
        list: Buffer,
      ) => {
        asked.push({id, level, strings, text: koffi.decode.string16(list.readBigUInt64LE())})
        return {lastError: 1502, result: reported}
      },
    })
    return {asked, calls, reportEvent: openEvents(native).reportEvent}
  }

  it.each([
    ['error', 1],
    ['warning', 2],
    ['information', 4],
  ] as const)('is added as an %s, and its source is closed', async (level, number) => {
    const {asked, calls, reportEvent} = playSource(1)
    await reportEvent(level, 3, 'setup failed: \u00FC')
    expect(asked).toEqual([{id: 3, level: number, strings: 1, text: 'setup failed: \u00FC'}])
    expect(calls).toEqual(['RegisterEventSourceW', 'ReportEventW', 'DeregisterEventSource'])
  })

  it('is cut to what Windows takes', async () => {
    const {asked, reportEvent} = playSource(1)
    await reportEvent('error', 3, 'x'.repeat(50_000))
    expect(asked[0]?.text.length).toBe(30_000)
  })

  it('that Windows refuses is an error, and its source is closed', async () => {
    const {calls, reportEvent} = playSource(0)
    await expect(reportEvent('error', 3, 'x')).rejects.toMatchObject({call: 'ReportEventW', code: 1502})
    expect(calls.at(-1)).toBe('DeregisterEventSource')
  })
})
