// A service manager that refuses to start a service.
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {Win32Error} from '../../src/machine/win32.js'

/** `times` times, from the first start or a later one. */
export const refusing =
  (service: string, times: number, first = 1) =>
  (machine: Machine): Machine => {
    let starts = 0
    return interceptMachine(machine, async ({args, what}, perform) => {
      const isStart = what === 'startService' && args[0] === service
      if (isStart && ++starts >= first && starts < first + times) throw new Win32Error('startService', 5, service)
      return perform()
    })
  }
