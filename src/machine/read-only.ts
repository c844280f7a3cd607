// A machine that can only be looked at: whatever would change it is a bug, and is thrown before it happens.
import {interceptMachine} from './intercept.js'
import type {Effect} from './intercept.js'
import type {Machine} from './machine.js'

export class ReadOnlyError extends Error {
  constructor(readonly effect: Effect) {
    super(`this machine is only looked at: ${effect.what} ${effect.args.join(' ')}`)
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
  // Asking an API server what one may do is a POST that leaves nothing behind.
  return !/^[^?#]*\/selfsubject(?:access|rules)?reviews(?:[?#]|$)/.test(args[0] ?? '')
}
