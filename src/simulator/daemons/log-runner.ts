// kube-log-runner.exe: a service whose program runs a daemon and writes what it prints to a file
// (kubernetes staging/src/k8s.io/component-base/logs/kube-log-runner). The daemon itself connects to the service manager.
import {win32} from 'node:path'

import {childOf, startChild} from './child-process.js'
import {resolveCommandLine} from './command-line.js'
import type {Daemon, DaemonProcess} from './daemon.js'
import {flagSet, type ParsedFlags, parseGoFlags} from './flags.js'

const FLAGS = {bool: 'also-stdout redirect-stderr', string: 'log-file'}
const UNROTATED = flagSet(FLAGS)
/** Rotation came with 1.34 (kubernetes#127667). */
const ROTATED = flagSet(FLAGS, {duration: 'flush-interval log-file-age', string: 'log-file-size'})

const parseFlags = ({args, version}: DaemonProcess): ParsedFlags =>
  parseGoFlags(args, version.minor >= 34 ? ROTATED : UNROTATED)

export const logRunner: Daemon = {
  async advance(process) {
    // A daemon that was ended while something else keeps the runner waiting.
    if (process.entry.process?.childProcessId === undefined) return false
    const child = await runnerChild(process)
    return child ? child.daemon.advance(child.self) : false
  },

  async begin(process) {
    const {entry, stage} = process
    const parsed = parseFlags(process)
    // Go's flag package ends a program with 2, log.Fatal with 1.
    if (parsed.error !== undefined) return {exit: 2}
    const file = parsed.flags.get('log-file')
    const hasFolder = file === undefined || (await stage.files.status(win32.dirname(file)))?.kind === 'directory'
    const [program = ''] = parsed.rest
    const line = await resolveCommandLine(stage.files, `"${program}"`)
    if (!hasFolder || !line || !entry.process) return {exit: 1}
    startChild(stage, entry.process, line.program)
    const child = await runnerChild(process)
    return child ? child.daemon.begin(child.self) : {exit: 1}
  },
}

/** The daemon that it runs, as its own process, with which it ends. */
export async function runnerChild(process: DaemonProcess): ReturnType<typeof childOf> {
  const parsed = parseFlags(process)
  if (parsed.error !== undefined) return undefined
  const {flags, rest} = parsed
  const file = flags.get('log-file')
  const isKept = file !== undefined && flags.get('redirect-stderr') !== 'false'
  return childOf(process, rest, {
    // No simulated daemon prints enough to fill a file of 50Mi, so none is rotated.
    stderr: async (line) => {
      if (isKept) await process.stage.files.append(file, `${line}\n`)
    },
  })
}
