// A machine around another one that sees every effect before and after. The decorators stand on it.
import type {HttpRequest} from './http.js'
import {safeUrl, withoutCredentials} from './credentials.js'
import type {EffectKind} from './effect-kind.js'
import type {Machine} from './machine.js'
import {WIN32_EFFECTS, win32Effect} from './win32.js'
import type {Win32} from './win32.js'

export type EffectVia = 'files' | 'http' | 'net' | 'run' | 'win32'

/** One effect as the decorators and the log see it. Holds no file content, header or body. */
export interface Effect {
  readonly args: readonly string[]
  /** Its own deadline, where it has one. */
  readonly deadlineMs?: number
  readonly kind: EffectKind
  readonly signal?: AbortSignal
  readonly via: EffectVia
  /** The program, the HTTP method, the Win32 call or the file operation. */
  readonly what: string
}

type Around = <T>(effect: Effect, perform: () => Promise<T>) => Promise<T>

/** Longer arguments (an HNS request, a PATH) are cut in what is shown, never in what is done. */
const LONGEST_ARGUMENT = 500

export function interceptMachine(machine: Machine, around: Around): Machine {
  const {clock, files, http, net, win32} = machine
  const onFiles = <T>(kind: EffectKind, what: string, args: readonly string[], perform: () => Promise<T>) =>
    around({args, kind, via: 'files', what}, perform)

  return {
    clock,
    files: {
      append: (path, text) => onFiles('change', 'append', [path], () => files.append(path, text)),
      digest: (path, algorithm) => onFiles('read', 'digest', [path, algorithm], () => files.digest(path, algorithm)),
      list: (path) => onFiles('read', 'list', [path], () => files.list(path)),
      makeDirectory: (path, options) =>
        onFiles('change', 'makeDirectory', [path], () => files.makeDirectory(path, options)),
      read: (path) => onFiles('read', 'read', [path], () => files.read(path)),
      async *readChunks(path) {
        yield* await onFiles('read', 'readChunks', [path], async () => files.readChunks(path))
      },
      readRange: (path, start, length) =>
        onFiles('read', 'readRange', [path], () => files.readRange(path, start, length)),
      remove: (path) => onFiles('change', 'remove', [path], () => files.remove(path)),
      rename: (from, to) => onFiles('change', 'rename', [from, to], () => files.rename(from, to)),
      status: (path) => onFiles('read', 'status', [path], () => files.status(path)),
      write: (path, data, options) => onFiles('change', 'write', [path], () => files.write(path, data, options)),
      writeChunks: (path, chunks) => onFiles('change', 'writeChunks', [path], () => files.writeChunks(path, chunks)),
    },
    http: {
      download: (request) =>
        around(
          {...limits(request), args: [safeUrl(request.url), request.to], kind: 'change', via: 'http', what: 'DOWNLOAD'},
          () => http.download(request),
        ),
      request: (request) => around(httpEffect(request), () => http.request(request)),
      stream: (request) => around(httpEffect(request), () => http.stream(request)),
    },
    net: {
      canConnect: (host, port, deadlineMs) =>
        around({args: [host, String(port)], deadlineMs, kind: 'read', via: 'net', what: 'canConnect'}, () =>
          net.canConnect(host, port, deadlineMs),
        ),
      isPortFree: (protocol, port) =>
        around({args: [protocol, String(port)], kind: 'read', via: 'net', what: 'isPortFree'}, () =>
          net.isPortFree(protocol, port),
        ),
      canSend: (host, port, deadlineMs) =>
        around({args: [host, String(port)], deadlineMs, kind: 'read', via: 'net', what: 'canSend'}, () =>
          net.canSend(host, port, deadlineMs),
        ),
    },
    run: (program, args, options) =>
      around(describedLate(args, {...limits(options), kind: options.effect, via: 'run', what: program}), () =>
        machine.run(program, args, options),
      ),
    simulated: machine.simulated,
    win32: interceptWin32(win32, around),
  }
}

function interceptWin32(win32: Win32, around: Around): Win32 {
  const calls = Object.keys(WIN32_EFFECTS) as (keyof Win32)[]
  const wrapped = calls.map((call) => {
    const perform = (win32[call] as (...args: unknown[]) => Promise<unknown>).bind(win32)
    return [
      call,
      (...args: unknown[]) =>
        around(describedLate(args, {kind: win32Effect(call, args), via: 'win32', what: call}), () => perform(...args)),
    ] as const
  })
  return Object.fromEntries(wrapped) as unknown as Win32
}

function httpEffect(request: HttpRequest): Effect {
  const place = request.pipe === undefined ? [] : [request.pipe]
  return {
    ...limits(request),
    args: [safeUrl(request.url), ...place],
    kind: request.effect,
    via: 'http',
    what: request.method,
  }
}

function limits({deadlineMs, signal}: {readonly deadlineMs: number; readonly signal?: AbortSignal}) {
  return signal ? {deadlineMs, signal} : {deadlineMs}
}

/** Arguments are put into words for who asks: most decorators never do. */
function describedLate(args: readonly unknown[], effect: Omit<Effect, 'args'>): Effect {
  return Object.defineProperty({...effect, args: []}, 'args', {enumerable: true, get: () => args.map(shown)})
}

function shown(argument: unknown): string {
  const text = withoutCredentials(typeof argument === 'string' ? argument : JSON.stringify(argument))
  return text.length > LONGEST_ARGUMENT ? `${text.slice(0, LONGEST_ARGUMENT)}…` : text
}
