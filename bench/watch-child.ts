// The process of bench/watch.ts that is measured: the loop of watch on a machine whose calls its parent answers.
import {openRealClock} from '../src/machine/real/clock.js'
import {limitMemory} from '../src/machine/real/memory.js'
import type {Machine} from '../src/machine/machine.js'
import {runWatch} from '../src/runs/watch/watch.js'

type Part = Exclude<keyof Machine, 'clock' | 'simulated'>

export interface Called {
  readonly args: readonly unknown[]
  /** By the simulated clock. */
  readonly at: number
  readonly id: number
  readonly name: string
  readonly part: Part
}

export interface Returned {
  readonly error?: object
  readonly id: number
  readonly value?: unknown
}

export interface Measured {
  readonly cpuMs: number
  readonly megabytes: number
  readonly calls: number
  readonly seconds: number
  readonly verdict: string
}

const WARM_UP_MS = 20_000
const [mode, seconds, simulatedNow] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])]
const real = openRealClock()
const ahead = simulatedNow - real.now()
const clock = {...real, now: () => real.now() + ahead}
const waiting = new Map<number, {reject(error: unknown): void; resolve(value: unknown): void}>()
let calls = 0

process.on('message', ({error, id, value}: Returned) => {
  const {reject, resolve} = waiting.get(id)!
  waiting.delete(id)
  if (error) reject(Object.assign(new Error('of the simulated machine'), error))
  else resolve(value)
})

const call = (part: Part, name: string, args: readonly unknown[]): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const id = ++calls
    waiting.set(id, {reject, resolve})
    process.send?.({args: args.map(sendable), at: clock.now(), id, name, part} satisfies Called)
  })

/** Signals and functions stay here. */
function sendable(value: unknown): unknown {
  if (typeof value === 'function' || value instanceof AbortSignal) return undefined
  if (Array.isArray(value)) return value.map(sendable)
  const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  if (!isPlain) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, sendable(one)]))
}

const partOf = (part: Part): Record<string, unknown> =>
  new Proxy<Record<string, unknown>>(
    {},
    {get: (own, name) => own[String(name)] ?? ((...args: unknown[]) => call(part, String(name), args))},
  )

const takeMutex = async (name: string): Promise<unknown> =>
  (await call('win32', 'takeMutex', [name])) ? async () => {} : undefined

async function* readChunks(path: string): AsyncGenerator<Uint8Array> {
  yield* (await call('files', 'readChunks', [path])) as Uint8Array[]
}

const machine = {
  clock,
  files: Object.assign(partOf('files'), {readChunks}),
  http: partOf('http'),
  net: partOf('net'),
  run: (...args: unknown[]) => call('run', 'run', args),
  simulated: true,
  win32: Object.assign(partOf('win32'), {takeMutex}),
} as unknown as Machine

limitMemory()
const stop = new AbortController()
let verdict = ''
const none = async (): Promise<never> => {
  throw new Error('nothing is to be repaired')
}
const assets = {program: {command: ['k8s-win']}} as never
if (mode === 'watch')
  void runWatch({
    assets,
    baseDir: String.raw`C:\k`,
    inspect: none,
    machine,
    repair: none,
    reporters: () => [{report: async (state) => void (verdict = state.verdict)}],
    signal: stop.signal,
  })
await real.sleep(WARM_UP_MS)
const before = process.cpuUsage()
await real.sleep(seconds * 1000)
const {system, user} = process.cpuUsage(before)
const {rss} = process.memoryUsage()
process.send?.({cpuMs: (system + user) / 1000, megabytes: rss / 1e6, calls, seconds, verdict} satisfies Measured)
process.exit(0)
