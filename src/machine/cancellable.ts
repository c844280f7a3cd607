// A machine that can be cut off: from then on nothing begins, and requests and programs under way are ended.
import {interceptMachine} from './intercept.js'
import type {Machine} from './machine.js'

/** What is cut off rejects with the signal's reason. File and Win32 calls under way cannot be ended; each is whole. */
export function severableMachine(machine: Machine, signal: AbortSignal): Machine {
  const {http, run} = machine
  const either = (own: AbortSignal | undefined): {signal: AbortSignal} => ({
    signal: own ? AbortSignal.any([own, signal]) : signal,
  })
  const endable: Machine = {
    ...machine,
    http: {
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
