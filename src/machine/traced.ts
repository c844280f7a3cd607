// A machine that reports every program, HTTP exchange, Win32 call and file change to a sink when it ends.
import {FileError} from './files.js'
import {HttpError} from './http.js'
import {type Effect, type EffectVia, interceptMachine} from './intercept.js'
import type {Machine} from './machine.js'
import {type EffectKind, Win32Error} from './win32.js'

export interface EffectEntry {
  readonly args: readonly string[]
  /** When it began, ISO 8601. */
  readonly at: string
  readonly durationMs: number
  readonly kind: EffectKind
  /** "ok", "exit 1", "status 404", "hresult 0x80070490", "error EBUSY". */
  readonly outcome: string
  readonly via: EffectVia
  readonly what: string
}

export function tracedMachine(machine: Machine, sink: (entry: EffectEntry) => void): Machine {
  const {clock} = machine

  return interceptMachine(machine, async (effect, perform) => {
    if (!isReported(effect)) return perform()
    const {args, kind, via, what} = effect
    const [at, began] = [new Date(clock.now()).toISOString(), clock.elapsed()]
    const report = (outcome: string) =>
      sink({args, at, durationMs: Math.round(clock.elapsed() - began), kind, outcome, via, what})
    try {
      const result = await perform()
      report(outcomeOf(result))
      return result
    } catch (error) {
      report(`error ${nameOf(error)}`)
      throw error
    }
  })
}

/** Files and ports are read far too often to be worth a line. */
function isReported({kind, via}: Effect): boolean {
  return kind === 'change' || (via !== 'files' && via !== 'net')
}

function outcomeOf(result: unknown): string {
  if (typeof result !== 'object' || result === null) return 'ok'
  if ('exitCode' in result && 'stdout' in result) return `exit ${String(result.exitCode)}`
  if ('status' in result && typeof result.status === 'number') return `status ${result.status}`
  if ('hresult' in result && typeof result.hresult === 'number' && result.hresult < 0) {
    return `hresult 0x${(result.hresult >>> 0).toString(16)}`
  }
  return 'ok'
}

function nameOf(error: unknown): string {
  if (error instanceof FileError || error instanceof HttpError || error instanceof Win32Error) return String(error.code)
  return error instanceof Error ? error.name : 'unknown'
}
