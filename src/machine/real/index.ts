// The real machine: this computer. On Windows all of it works; elsewhere everything but the Win32 calls.
import type {Machine} from '../machine.js'
import {openRealClock} from './clock.js'
import {openFiles} from './files.js'
import {openHttp} from './http.js'
import {openNet} from './net.js'
import {openRun} from './run.js'
import {openWin32} from './win32/index.js'

interface RealMachineOptions {
  /** Where proxies, SystemRoot and the environment of started programs come from. */
  readonly environment?: NodeJS.ProcessEnv
  readonly now?: () => number
  readonly platform?: NodeJS.Platform
}

export function openRealMachine(options: RealMachineOptions = {}): Machine {
  const {environment = process.env, now, platform = process.platform} = options
  const clock = openRealClock(now)
  const {oemCodePage, win32} = openWin32(environment, platform)
  const files = openFiles({clock, setSecurity: win32.setSecurity})
  return {
    clock,
    files,
    http: openHttp({clock, environment, files}),
    net: openNet(),
    run: openRun({clock, environment, oemCodePage, platform}),
    win32,
  }
}
