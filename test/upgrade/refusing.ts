// A service manager that refuses to start a service.
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {Win32Error} from '../../src/machine/win32.js'

/** From the first to the last of these times. */
export const refusing =
  (service: string, times: number) =>
  (machine: Machine): Machine => {
    let starts = 0
    return interceptMachine(machine, async ({args, what}, perform) => {
      const isRefused = what === 'startService' && args[0] === service && ++starts <= times
      if (isRefused) throw new Win32Error('startService', 5, service)
      return perform()
    })
  }
