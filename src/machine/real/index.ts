// The real machine: this computer. On Windows all of it works; elsewhere everything but the Win32 calls.
import path from 'node:path'
import type {Machine} from '../machine.js'
import {surveyOver} from '../survey.js'
import {openRealClock} from './clock.js'
import {openFiles} from './files.js'
import {openHttp} from './http.js'
import {openNet} from './net.js'
import {openRun} from './run.js'
import {openWin32} from './win32/index.js'

export {demandAddon} from './win32/koffi.js'

interface RealMachineOptions {
  /** Where proxies and the environment of started programs come from. */
  readonly environment?: NodeJS.ProcessEnv
  readonly now?: () => number
  readonly platform?: NodeJS.Platform
}

export function openRealMachine(options: RealMachineOptions = {}): Machine {
  const {environment = process.env, now, platform = process.platform} = options
  const clock = openRealClock(now)
  const {oemCodePage, removal, securedFiles, systemFolder, win32} = openWin32(platform)
  const files = openFiles({clock, ...(removal && {removal}), ...(securedFiles && {secured: securedFiles})})
  return {
    clock,
    files,
    http: openHttp({clock, environment, files}),
    net: openNet(),
    run: openRun({clock, environment, oemCodePage, platform, systemFolder}),
    simulated: false,
    // Elsewhere files have no security descriptors, and nothing is said of any.
    win32: {
      ...win32,
      survey: platform === 'win32' ? surveyOver(files, win32.securityOf, path.win32.join) : () => Promise.resolve([]),
    },
  }
}
