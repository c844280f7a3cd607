// k8s-win.exe below the services k8s-win-run and k8s-win. What it does to this host is done by the real k8s-win, in a process
// of its own; of its process here only the life is simulated: it runs as long as there is a request to work on, or for ever.
import {win32} from 'node:path'
import type {Daemon, DaemonProcess} from './daemon.js'

const WATCH = 'run-watch'
const BASE_DIR = '--base-dir='
/** The same codes as src/errors/usage.ts and detach.ts. */
const INVALID = 2
const NOTHING_REQUESTED = 9

export const k8sWin: Daemon = {
  async advance(process) {
    if (process.args[0] === WATCH || (await hasRequest(process))) return false
    await process.exit(0, process.stage.now())
    return true
  },
  async begin(process) {
    const [command, option = ''] = process.args
    if (!['run-detached', WATCH].includes(command ?? '') || !option.startsWith(BASE_DIR)) return {exit: INVALID}
    if (command === WATCH) return 'silent'
    return (await hasRequest(process)) ? 'silent' : {exit: NOTHING_REQUESTED}
  },
}

async function hasRequest({args, stage}: DaemonProcess): Promise<boolean> {
  const baseDir = (args[1] ?? '').slice(BASE_DIR.length)
  return (await stage.files.status(win32.join(baseDir, 'k8s-win', 'run.json'))) !== undefined
}
