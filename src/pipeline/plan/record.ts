// A machine that records every successful change, with all that is needed to describe it.
import type {Files} from '../../machine/files.js'
import type {DownloadRequest, Http, HttpRequest} from '../../machine/http.js'
import type {Machine} from '../../machine/machine.js'
import type {Run} from '../../machine/run.js'
import {type HnsReply, type ServiceConfig, type Win32, win32Effect, wrapWin32} from '../../machine/win32.js'

export type FileView =
  /** Without the content of a large file or a link. */
  {readonly content?: Buffer; readonly kind: 'file'} | {readonly kind: 'folder'} | {readonly kind: 'nothing'}

export type RecordedChange =
  | {
      readonly after: FileView
      readonly before: FileView
      readonly kind: 'file'
      readonly path: string
      /** Restricted to administrators: its content is not shown. */
      readonly secret: boolean
    }
  | {readonly from: string; readonly kind: 'rename'; readonly to: string}
  | {readonly bytes: number | undefined; readonly kind: 'download'; readonly to: string; readonly url: string}
  | {
      readonly body: Buffer
      readonly kind: 'request'
      readonly method: string
      readonly pipe: boolean
      readonly url: string
    }
  | {
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
      readonly input: string
      readonly kind: 'run'
      readonly program: string
    }
  | {
      readonly args: readonly unknown[]
      readonly call: keyof Win32
      readonly kind: 'win32'
      readonly previous?: ServiceConfig
    }

const LARGEST_SHOWN = 256 * 1024

type Note = (change: RecordedChange) => void

export function recordChanges(machine: Machine, note: Note): Machine {
  return {
    ...machine,
    files: recordFiles(machine.files, note),
    http: recordHttp(machine.http, note),
    run: recordRun(machine.run, note),
    win32: recordWin32(machine.win32, note),
  }
}

function recordFiles(files: Files, note: Note): Files {
  const view = async (path: string): Promise<FileView> => {
    const status = await files.status(path)
    if (!status) return {kind: 'nothing'}
    if (status.kind === 'directory') return {kind: 'folder'}
    if (status.kind !== 'file') return {kind: 'file'}
    const content = status.size > LARGEST_SHOWN ? undefined : await files.read(path)
    return {kind: 'file', ...(content && {content})}
  }

  const noting = async <T>(paths: readonly string[], work: () => Promise<T>, secret = false): Promise<T> => {
    const before = await Promise.all(paths.map(view))
    const result = await work()
    for (const [index, path] of paths.entries()) {
      const seen = before[index] ?? {kind: 'nothing'}
      note({after: await view(path), before: seen, kind: 'file', path, secret})
    }

    return result
  }

  return {
    ...files,
    append: (path, text, options) => noting([path], () => files.append(path, text, options)),
    makeDirectory: (path, options) => noting([path], () => files.makeDirectory(path, options)),
    remove: (path) => noting([path], () => files.remove(path)),
    removeEmpty: (path) => noting([path], () => files.removeEmpty(path)),
    async rename(from, to) {
      await noting([from, to], () => files.rename(from, to))
      note({from, kind: 'rename', to})
    },
    write: (path, data, options) => noting([path], () => files.write(path, data, options), options?.sddl !== undefined),
    writeChunks: (path, chunks) => noting([path], () => files.writeChunks(path, chunks)),
  }
}

function recordHttp(http: Http, note: Note): Http {
  const observed = async <T extends {readonly status: number}>(
    request: HttpRequest,
    send: (request: HttpRequest) => Promise<T>,
  ): Promise<T> => {
    if (request.effect === 'read') return send(request)
    const {method, pipe, url} = request
    const body = await bytesOf(request.body)
    const response = await send(request.body === undefined ? request : {...request, body})
    if (response.status < 400) note({body, kind: 'request', method, pipe: pipe !== undefined, url})
    return response
  }

  return {
    ...http,
    async download(request: DownloadRequest) {
      let size: number | undefined
      const onProgress = (bytes: number, total: number | undefined): void => {
        size = total
        request.onProgress?.(bytes, total)
      }
      const download = await http.download({...request, onProgress})
      if (download.status === 200) note({bytes: size, kind: 'download', to: request.to, url: request.url})
      return download
    },
    request: (request) => observed(request, http.request),
    stream: (request) => observed(request, http.stream),
  }
}

function recordRun(run: Run, note: Note): Run {
  return async (program, args, options) => {
    const result = await run(program, args, options)
    const {effect, env = {}, input = ''} = options
    if (effect === 'change' && result.exitCode === 0) note({args, env, input, kind: 'run', program})
    return result
  }
}

const recordWin32 = (win32: Win32, note: Note): Win32 =>
  wrapWin32(win32, async (call, args, perform) => {
    if (win32Effect(call, args) === 'read') return perform()
    const previous = call === 'changeService' ? await win32.queryServiceConfig(String(args[0])) : undefined
    const result = await perform()
    if (!isRefusal(result)) note({args, call, kind: 'win32', ...(previous && {previous})})
    return result
  })

/** HNS reports a refusal in its answer. */
const isRefusal = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && Number((result as Partial<HnsReply>).hresult) < 0

async function bytesOf(body: HttpRequest['body']): Promise<Buffer> {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return Buffer.from(body ?? '')
  const parts: Uint8Array[] = []
  for await (const part of body) parts.push(part)
  return Buffer.concat(parts)
}
