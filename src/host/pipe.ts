// Whose a named pipe is. Any account may create one of a name that is free, and then gets what an administrator sends
// there; so nothing is sent before its server is known to be the service's. Known by the process, not by what it says.
import {pipeTaken} from '../errors/host.js'
import type {Http} from '../machine/http.js'
import {parseSddl} from '../machine/sddl.js'
import {type PipeServer, type Win32, Win32Error} from '../machine/win32.js'

export interface Pipes {
  /**
   * Throws PIPE_TAKEN unless a process of the service, or one below it, serves the pipe; without a service, unless SYSTEM
   * or Administrators own the pipe. Resolves where there is no pipe: then there is nobody to speak to.
   */
  demand(pipe: string, service: string | undefined): Promise<void>
  /** Whether a program listens there, whatever it is. */
  isOpen(pipe: string): Promise<boolean>
}

type Calls = Pick<Win32, 'pipeServer' | 'processes' | 'processStartedAt' | 'queryServiceStatus'>

const ERROR_ACCESS_DENIED = 5
const ADMINISTRATORS = new Set(['BA', 'SY'])
/** nssm, shawl, and a program that starts another are three. */
const MOST_PARENTS = 16

export function openPipes(calls: Calls): Pipes {
  /** Of a pipe that even this look is denied to, no client gets anything either. */
  const serverOf = (pipe: string): Promise<'hidden' | PipeServer | undefined> =>
    calls.pipeServer(pipe).catch((error: unknown) => {
      if (error instanceof Win32Error && error.code === ERROR_ACCESS_DENIED) return 'hidden' as const
      throw error
    })

  return {
    async demand(pipe, service) {
      const server = await serverOf(pipe)
      if (server === undefined || server === 'hidden') return
      if (service === undefined) {
        if (ADMINISTRATORS.has(parseSddl(server.sddl)?.owner ?? '')) return
        throw pipeTaken({pipe, said: 'its owner is neither SYSTEM nor Administrators'})
      }

      const {processId: top = 0} = (await calls.queryServiceStatus(service)) ?? {}
      if (top !== 0 && (await isBelow(calls, server.processId, top))) return
      throw pipeTaken({pipe, said: `process ${server.processId} serves it, which the service ${service} did not start`})
    },
    isOpen: async (pipe) => (await serverOf(pipe)) !== undefined,
  }
}

/** A parent began before its child: the number of one that ended may belong to another process by now. */
async function isBelow(calls: Calls, id: number, top: number): Promise<boolean> {
  if (id === top) return true
  const parents = new Map((await calls.processes()).map((one) => [one.id, one.parentId]))
  let child = id
  for (let step = 0; step < MOST_PARENTS; step++) {
    const parent = parents.get(child)
    if (parent === undefined) return false
    const [after, before] = await Promise.all([calls.processStartedAt(child), calls.processStartedAt(parent)])
    if (after === undefined || before === undefined || before > after) return false
    if (parent === top) return true
    child = parent
  }

  return false
}

/** The client, which opens no pipe that is not judged, each time. */
export function judgedHttp(http: Http, demand: (pipe: string) => Promise<void>): Http {
  return {
    ...http,
    async request(request) {
      if (request.pipe !== undefined) await demand(request.pipe)
      return http.request(request)
    },
    async stream(request) {
      if (request.pipe !== undefined) await demand(request.pipe)
      return http.stream(request)
    },
  }
}
