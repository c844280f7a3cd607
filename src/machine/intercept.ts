// Machines around another machine: all of them see every effect before and after it happens.
import {createHash} from 'node:crypto'
import {shortened} from '../errors/shortened.js'
import {safeUrl, withoutCredentials} from './credentials.js'
import type {Files} from './files.js'
import type {HttpRequest} from './http.js'
import type {Machine} from './machine.js'
import {type EffectKind, win32Effect, wrapWin32} from './win32.js'

export type EffectVia = 'files' | 'http' | 'net' | 'run' | 'win32'

/** One effect as the decorators and the log see it. Holds no file content, header or body. */
export interface Effect {
  readonly args: readonly string[]
  /** What the arguments do not show of a question, as a digest: credentials, the range of a file, long arguments. */
  readonly detail?: string
  /** Its own deadline, where it has one. */
  readonly deadlineMs?: number | undefined
  /** Its answer is not used for another question: it may be of another server, or of the same one a moment later. */
  readonly isFresh?: boolean
  readonly kind: EffectKind
  readonly signal?: AbortSignal | undefined
  readonly via: EffectVia
  /** The program, the HTTP method, the Win32 call or the file operation. */
  readonly what: string
}

type Around = <T>(effect: Effect, perform: () => Promise<T>) => Promise<T>

/** Longer arguments (an HNS request, a PATH) are cut in what is shown, never in what is done. */
const LONGEST_ARGUMENT = 500

export function interceptFiles(files: Files, around: Around): Files {
  const onFiles = <T>(
    kind: EffectKind,
    what: string,
    args: readonly string[],
    perform: () => Promise<T>,
    detail = '',
  ) => around({args, detail, kind, via: 'files', what}, perform)
  return {
    append: (path, text, options) => onFiles('change', 'append', [path], () => files.append(path, text, options)),
    digest: (path, algorithm) => onFiles('read', 'digest', [path, algorithm], () => files.digest(path, algorithm)),
    list: (path) => onFiles('read', 'list', [path], () => files.list(path)),
    makeDirectory: (path, options) =>
      onFiles('change', 'makeDirectory', [path], () => files.makeDirectory(path, options)),
    read: (path) => onFiles('read', 'read', [path], () => files.read(path)),
    async *readChunks(path) {
      yield* await onFiles('read', 'readChunks', [path], async () => files.readChunks(path))
    },
    readRange: (path, start, length) =>
      onFiles('read', 'readRange', [path], () => files.readRange(path, start, length), `${start}+${length}`),
    remove: (path) => onFiles('change', 'remove', [path], () => files.remove(path)),
    removeEmpty: (path) => onFiles('change', 'removeEmpty', [path], () => files.removeEmpty(path)),
    rename: (from, to) => onFiles('change', 'rename', [from, to], () => files.rename(from, to)),
    status: (path) => onFiles('read', 'status', [path], () => files.status(path)),
    write: (path, data, options) => onFiles('change', 'write', [path], () => files.write(path, data, options)),
    writeChunks: (path, chunks) => onFiles('change', 'writeChunks', [path], () => files.writeChunks(path, chunks)),
  }
}

export function interceptMachine(machine: Machine, around: Around): Machine {
  const {clock, files, http, net, win32} = machine
  return {
    clock,
    files: interceptFiles(files, around),
    http: {
      disconnect: () => http.disconnect(),
      download: (request) =>
        around(httpEffect({...request, effect: 'change', method: 'DOWNLOAD'}, request.to), () =>
          http.download(request),
        ),
      request: (request) => around(httpEffect(request, placeOf(request)), () => http.request(request)),
      stream: (request) => around(httpEffect(request, request.pipe), () => http.stream(request)),
    },
    net: {
      canConnect: (host, port, deadlineMs, judgePeer) =>
        around({args: [host, String(port)], deadlineMs, kind: 'read', via: 'net', what: 'canConnect'}, () =>
          net.canConnect(host, port, deadlineMs, judgePeer),
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
      around(
        new LateEffect(
          {deadlineMs: options.deadlineMs, kind: options.effect, signal: options.signal, via: 'run', what: program},
          () => args.map(shown),
          () => digestOf(args, options.env, options.input),
        ),
        () => machine.run(program, args, options),
      ),
    simulated: machine.simulated,
    win32: wrapWin32(win32, (call, args, perform) =>
      around(
        new LateEffect(
          {kind: win32Effect(call, args), via: 'win32', what: call},
          () => args.map(shown),
          () => digestOf(args),
        ),
        perform,
      ),
    ),
  }
}

/** A pipe, or the action of a request to AWS, whose address does not show it. */
const placeOf = ({headers, pipe}: HttpRequest): string | undefined => pipe ?? headers?.['x-amz-target']

function httpEffect(request: Asked, place?: string): Effect {
  const {deadlineMs, effect: kind, headers, isProbe = false, method: what, signal, tls, url} = request
  // Discovery asks one address with and without verification, and asks again until the answer is another one.
  const isFresh = isProbe && tls !== undefined
  return new LateEffect(
    {deadlineMs, isFresh, kind, signal, via: 'http', what},
    () => [safeUrl(url), ...(place === undefined ? [] : [place])],
    // What it is asked for, and by whom.
    () => digestOf(headers?.['accept'], headers?.['authorization'], tls?.cert),
  )
}

const digestOf = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex')

type Asked = Pick<HttpRequest, 'deadlineMs' | 'effect' | 'headers' | 'isProbe' | 'signal' | 'tls' | 'url'> & {
  readonly method: string
}

/**
 * Arguments and details are put into words for who asks: most decorators never do. A class, because an object with getters of
 * its own gets a hidden class of its own too, which is slow to make and slows down whoever reads effects.
 */
class LateEffect implements Effect {
  readonly deadlineMs: number | undefined
  readonly isFresh: boolean
  readonly kind: EffectKind
  readonly signal: AbortSignal | undefined
  readonly via: EffectVia
  readonly what: string
  #args: readonly string[] | undefined
  readonly #describe: () => readonly string[]
  readonly #identify: () => string

  constructor(about: Omit<Effect, 'args' | 'detail'>, describe: () => readonly string[], identify: () => string) {
    this.deadlineMs = about.deadlineMs
    this.isFresh = about.isFresh ?? false
    this.kind = about.kind
    this.signal = about.signal
    this.via = about.via
    this.what = about.what
    this.#describe = describe
    this.#identify = identify
  }

  get args(): readonly string[] {
    return (this.#args ??= this.#describe())
  }

  get detail(): string {
    return this.#identify()
  }
}

function shown(argument: unknown): string {
  const text = withoutCredentials(typeof argument === 'string' ? argument : JSON.stringify(argument))
  return shortened(text, LONGEST_ARGUMENT)
}

export class ReadOnlyError extends Error {
  constructor(readonly effect: Effect) {
    super(`this machine is read-only: ${effect.what} ${effect.args.join(' ')}`)
    this.name = 'ReadOnlyError'
  }
}

export function readOnlyMachine(machine: Machine): Machine {
  return interceptMachine(machine, async (effect, perform) => {
    if (effect.kind === 'change' || isHiddenChange(effect)) throw new ReadOnlyError(effect)
    return perform()
  })
}

/** A request that calls itself a read: only what its method, or its address, shows to be one. */
function isHiddenChange({args, via, what}: Effect): boolean {
  if (via !== 'http' || what === 'GET' || what === 'HEAD') return false
  // Asking an API server what one may do is a POST that leaves nothing behind, as are the PUT that AWS' metadata service wants,
  // and the two that read a secret of AWS.
  if (what === 'PUT' && args[0] === 'http://169.254.169.254/latest/api/token') return false
  if (what === 'POST' && /^(?:AmazonSSM\.GetParameter|secretsmanager\.GetSecretValue)$/.test(args[1] ?? ''))
    return false
  return !/^[^?#]*\/selfsubject(?:access|rules)?reviews(?:[?#]|$)/.test(args[0] ?? '')
}

/** What is cut off rejects with the signal's reason. File and Win32 calls under way cannot be ended; each is whole. */
export function cancellableMachine(machine: Machine, signal: AbortSignal): Machine {
  const {http, run} = machine
  const either = (own: AbortSignal | undefined): {signal: AbortSignal} => ({
    signal: own ? AbortSignal.any([own, signal]) : signal,
  })
  const endable: Machine = {
    ...machine,
    http: {
      disconnect: () => http.disconnect(),
      download: (request) => http.download({...request, ...either(request.signal)}),
      request: (request) => http.request({...request, ...either(request.signal)}),
      stream: (request) => http.stream({...request, ...either(request.signal)}),
    },
    run: (program, args, options) => run(program, args, {...options, ...either(options.signal)}),
  }
  return interceptMachine(endable, async (_effect, perform) => {
    signal.throwIfAborted()
    return perform()
  })
}

/** Larger files are streamed to each reader. */
const LARGEST_REMEMBERED = 1024 ** 2

export function rememberingMachine(machine: Machine): Machine {
  const known = new Map<string, Promise<unknown>>()
  const remember = <T>(key: string, ask: () => Promise<T>): Promise<T> => {
    const answer = known.get(key) ?? ask()
    known.set(key, answer)
    return answer as Promise<T>
  }
  const remembering = interceptMachine(machine, (effect, perform) => {
    const key = keyOf(effect)
    return key === undefined ? perform() : remember(key, perform)
  })
  const {files} = remembering
  return {
    ...remembering,
    files: {
      ...files,
      async *readChunks(path) {
        const chunks = await remember(`chunks of ${path}`, () => allOfSmall(files.readChunks(path)))
        yield* chunks ?? files.readChunks(path)
      },
    },
  }
}

/** Undefined for a file that is too large to be remembered. */
async function allOfSmall(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array[] | undefined> {
  const read: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > LARGEST_REMEMBERED) return undefined
    read.push(chunk)
  }
  return read
}

/**
 * Undefined for what is done again each time: what is not a question, a program that its asker can end, a stream,
 * and whose a pipe or a port is, which is asked for each opening.
 */
function keyOf({args, detail, isFresh, kind, signal, via, what}: Effect): string | undefined {
  const isQuestion = kind === 'read' && !/^(?:peerProcess|pipeServer|portOwners|readChunks|takeMutex)$/.test(what)
  if (!isQuestion || isFresh || (via === 'http' && what !== 'GET') || (via === 'run' && signal)) return undefined
  return JSON.stringify([via, what, detail, ...args])
}
