// Whose a named pipe is. Any account may create one of a name that is free, and then gets what an administrator sends
// there; so nothing is sent before its server is known to be the service's (local-server.ts).
import {pipeTaken} from '../errors/host.js'
import {type Http, HttpError, type HttpRequest} from '../machine/http.js'
import {parseSddl} from '../machine/sddl.js'
import {type PipeServer, type Win32, Win32Error} from '../machine/win32.js'
import {whoseProcess} from './local-server.js'

export interface Pipes {
  /**
   * Throws PIPE_TAKEN unless SYSTEM or Administrators own the pipe and, where a service is given, a process of the service,
   * or one below it, serves it. Throws the HttpError of a client that finds no pipe (ENOENT), or that may not open it
   * (EACCES) because it is no administrator's: nothing may be opened then either.
   */
  demand(pipe: string, service: string | undefined): Promise<void>
  /** Whether a program listens there, whatever it is. */
  isOpen(pipe: string): Promise<boolean>
}

type Calls = Pick<Win32, 'isAdministrator' | 'pipeServer' | 'processes' | 'processStartedAt' | 'queryServiceStatus'>

const ERROR_ACCESS_DENIED = 5
const ADMINISTRATORS = new Set(['BA', 'SY'])

export function openPipes(calls: Calls): Pipes {
  const serverOf = (pipe: string): Promise<'hidden' | PipeServer | undefined> =>
    calls.pipeServer(pipe).catch((error: unknown) => {
      if (error instanceof Win32Error && error.code === ERROR_ACCESS_DENIED) return 'hidden' as const
      throw error
    })

  return {
    async demand(pipe, service) {
      const server = await serverOf(pipe)
      if (server === undefined) throw new HttpError(pipe, 'ENOENT', `connect ENOENT ${pipe}`)
      if (server === 'hidden') {
        if (await calls.isAdministrator()) throw pipeTaken({pipe, said: 'it denies access even to administrators'})
        throw new HttpError(pipe, 'EACCES', `connect EACCES ${pipe}`)
      }
      if (!ADMINISTRATORS.has(parseSddl(server.sddl)?.owner ?? '')) {
        throw pipeTaken({pipe, said: 'its owner is neither SYSTEM nor Administrators'})
      }
      if (service === undefined) return
      const {processId: top = 0} = (await calls.queryServiceStatus(service)) ?? {}
      if (top !== 0 && (await whoseProcess(calls, server.processId, top)) === 'ours') return
      throw pipeTaken({pipe, said: `process ${server.processId} serves it, which the service ${service} did not start`})
    },
    isOpen: async (pipe) => (await serverOf(pipe)) !== undefined,
  }
}

/** The client, which opens no pipe that is not judged, each time: another account may take the name in any pause. */
export function judgedHttp(http: Http, demand: (pipe: string) => Promise<void>): Http {
  const judged = async (request: HttpRequest): Promise<HttpRequest> => {
    const {pipe} = request
    if (pipe === undefined) return request
    await demand(pipe)
    return {...request, beforeRetry: () => demand(pipe)}
  }
  return {
    ...http,
    request: async (request) => http.request(await judged(request)),
    stream: async (request) => http.stream(await judged(request)),
  }
}
