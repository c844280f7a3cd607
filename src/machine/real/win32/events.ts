// Windows' event logs. They are read with wevtapi.dll, as XML, which no language changes; an event is added with advapi32.dll.
import type {EventFilter, EventLevel, Win32} from '../../win32.js'
import {EVENT_SOURCE, Win32Error} from '../../win32.js'
import {ERROR_INSUFFICIENT_BUFFER, ERROR_NO_MORE_ITEMS, RPC_S_INVALID_BOUND} from './codes.js'
import {demand, functionsOf, lazily, type LazyNative, type Native, type Pointer, refusalOf} from './library.js'
import {readWideString, wideString} from './text.js'

/** EvtQueryChannelPath, and EvtQueryReverseDirection: the newest first. */
const NEWEST_OF_CHANNEL = 0x1 | 0x2_00
/** EvtRenderEventXml. */
const AS_XML = 1
const HANDLE_BYTES = 8
/** Events have up to 64 KB each, and before Windows 11 EvtNext refuses a batch of more than 2 MB (microsoft/EventLogExpert#419). */
const AT_ONCE = 30
/** For the next ones to be ready: they are on this machine's disk. */
const NEXT_MS = 5000
const USUAL_BYTES = 16 * 1024

const library = (native: Native) =>
  functionsOf(native, 'wevtapi.dll', {
    close: 'int32_t EvtClose(void *)',
    next: 'int32_t EvtNext(void *, uint32_t, void *, uint32_t, uint32_t, void *)',
    query: 'void *EvtQuery(void *, str16, str16, uint32_t)',
    render: 'int32_t EvtRender(void *, void *, uint32_t, uint32_t, void *, void *, void *)',
  })

type Library = ReturnType<typeof library>

/** EVENTLOG_ERROR_TYPE and so on (winnt.h). */
const EVENT_TYPES: Readonly<Record<EventLevel, number>> = {error: 1, information: 4, warning: 2}
/** ReportEventW refuses more than 31,839 characters in one string (learn.microsoft.com, ReportEventW). */
const LONGEST_TEXT = 30_000

const sourceLibrary = (native: Native) =>
  functionsOf(native, 'advapi32.dll', {
    deregister: 'int32_t DeregisterEventSource(void *)',
    register: 'void *RegisterEventSourceW(str16, str16)',
    report: 'int32_t ReportEventW(void *, uint16_t, uint16_t, uint32_t, void *, uint16_t, uint32_t, void *, void *)',
  })

export function openEvents(native: LazyNative): Pick<Win32, 'events' | 'reportEvent'> {
  const open = lazily(native, library)
  const openSource = lazily(native, sourceLibrary)

  return {
    async events(channel, most, only) {
      for (let atOnce = AT_ONCE; ; atOnce = Math.floor(atOnce / 2)) {
        try {
          return await newest(await open(), {atOnce, channel, most, path: only ? xpathOf(only) : '*'})
        } catch (error) {
          // Read again from the start: the refused batch counts as read (elastic/beats#3076).
          const isTooLarge = error instanceof Win32Error && error.code === RPC_S_INVALID_BOUND
          if (!isTooLarge || atOnce === 1) throw error
        }
      }
    },
    async reportEvent(level, id, text) {
      const {deregister, register, report} = await openSource()
      const {koffi} = await native()
      const source = await demand(EVENT_SOURCE, register(null, EVENT_SOURCE))
      // A list of one pointer to the text. Both buffers must outlive the call.
      const [message, list] = [wideString(text.slice(0, LONGEST_TEXT)), Buffer.alloc(HANDLE_BYTES)]
      list.writeBigUInt64LE(koffi.address(message))
      try {
        const reporting = report(source, EVENT_TYPES[level], 0, id, null, 1, 0, list, null)
        await demand(`${id}, ${message.length} bytes`, reporting)
      } finally {
        await deregister(source)
      }
    },
  }
}

/** XPath, as far as event logs know it (learn.microsoft.com/windows/win32/wes/consuming-events). */
function xpathOf({ids, levels}: EventFilter): string {
  const terms = [...levels.map((level) => `Level=${level}`), ...ids.map((id) => `EventID=${id}`)]
  return `*[System[${terms.join(' or ')}]]`
}

interface EventQuery {
  readonly atOnce: number
  readonly channel: string
  readonly most: number
  /** XPath. */
  readonly path: string
}

async function newest(calls: Library, {atOnce, channel, most, path}: EventQuery): Promise<string[]> {
  const found = await demand(channel, calls.query(null, channel, path, NEWEST_OF_CHANNEL))
  const events: string[] = []
  try {
    while (events.length < most) {
      const handles = await nextOf(calls, found, channel, Math.min(atOnce, most - events.length))
      if (handles.length === 0) break
      events.push(...(await rendered(calls, handles, channel)))
    }
  } finally {
    await calls.close(found)
  }

  return events
}

async function nextOf({next}: Library, found: Pointer, channel: string, most: number): Promise<bigint[]> {
  const handles = Buffer.alloc(HANDLE_BYTES * most)
  const returned = Buffer.alloc(4)
  if (!(await demand(channel, next(found, most, handles, NEXT_MS, 0, returned), ERROR_NO_MORE_ITEMS))) return []
  return Array.from({length: returned.readUInt32LE()}, (_, index) => handles.readBigUInt64LE(index * HANDLE_BYTES))
}

/** Each handle is closed, whatever becomes of the others. */
async function rendered(calls: Library, handles: readonly bigint[], channel: string): Promise<string[]> {
  const texts: string[] = []
  try {
    for (const handle of handles) texts.push(await render(calls, handle, channel, USUAL_BYTES))
  } finally {
    for (const handle of handles) await calls.close(handle)
  }

  return texts
}

async function render(calls: Library, event: bigint, channel: string, bytes: number): Promise<string> {
  const text = Buffer.alloc(bytes)
  const [used, properties] = [Buffer.alloc(4), Buffer.alloc(4)]
  const reply = await calls.render(null, event, AS_XML, bytes, text, used, properties)
  if (reply.result !== 0) return readWideString(text)
  const wanted = used.readUInt32LE()
  if (reply.lastError !== ERROR_INSUFFICIENT_BUFFER || wanted <= bytes) throw refusalOf(reply, channel)
  return render(calls, event, channel, wanted)
}
