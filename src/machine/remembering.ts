// A machine that is asked everything once: who looks at one thing from several sides sees the same from each, and Windows,
// Docker and the cluster are not asked again and again. For one look; what changes meanwhile is not seen.
import {type Effect, interceptMachine} from './intercept.js'
import type {Machine} from './machine.js'

export function rememberingMachine(machine: Machine): Machine {
  const known = new Map<string, Promise<unknown>>()
  return interceptMachine(machine, <T>(effect: Effect, perform: () => Promise<T>): Promise<T> => {
    const key = keyOf(effect)
    if (key === undefined) return perform()
    const answer = known.get(key) ?? perform()
    known.set(key, answer)
    return answer as Promise<T>
  })
}

/** Undefined for what is done anew each time: what is no question, what runs a program, and what can be read only once. */
function keyOf({args, kind, via, what}: Effect): string | undefined {
  // Of a piece of a file only the file is told, not which piece.
  const isQuestion = kind === 'read' && via !== 'run' && !/^(?:readChunks|readRange|takeMutex)$/.test(what)
  if (!isQuestion || (via === 'http' && what !== 'GET')) return undefined
  // A long argument is shown cut short, and two of them could look alike.
  if (args.some((arg) => arg.endsWith('…'))) return undefined
  return JSON.stringify([via, what, ...args])
}
