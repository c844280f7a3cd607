// A machine whose every call answers something, and remembers that it was made.
import type {Files} from '../../src/machine/files.js'
import type {Http} from '../../src/machine/http.js'
import type {Machine} from '../../src/machine/machine.js'
import {WIN32_EFFECTS} from '../../src/machine/win32.js'
import type {Win32} from '../../src/machine/win32.js'
import {steadyClock} from './real/steady-clock.js'

export interface StandIn {
  /** Calls that reached the machine itself. */
  readonly calls: string[]
  readonly machine: Machine & {readonly clock: ReturnType<typeof steadyClock>}
}

export function standIn(answers: Readonly<Record<string, unknown>> = {}): StandIn {
  const calls: string[] = []
  const answer =
    (name: string, fallback?: unknown) =>
    async (...args: unknown[]): Promise<never> => {
      calls.push(name)
      const given = name in answers ? answers[name] : fallback
      if (given instanceof Error) throw given
      return (typeof given === 'function' ? (given as (...all: unknown[]) => unknown)(...args) : given) as never
    }
  const all = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, answer(name)]))
  const fileCalls = 'append digest list makeDirectory read readRange remove rename status write writeChunks'.split(' ')
  const machine = {
    clock: steadyClock(),
    files: {
      ...all(fileCalls),
      async *readChunks() {
        calls.push('readChunks')
        yield Buffer.from('chunk')
      },
    } as unknown as Files,
    http: {
      disconnect() {},
      download: answer('download', {bytes: 1, digest: '', status: 200}),
      request: answer('request', {body: Buffer.alloc(0), headers: {}, status: 404}),
      stream: answer('stream', {chunks: [], headers: {}, status: 200}),
    } as Http,
    net: {
      canConnect: answer('canConnect', true),
      isPortFree: answer('isPortFree', true),
      canSend: answer('canSend', true),
    },
    run: answer('run', {durationMs: 1, exitCode: 2, stderr: '', stdout: ''}),
    simulated: true,
    win32: all(Object.keys(WIN32_EFFECTS)) as unknown as Win32,
  }
  return {calls, machine}
}
