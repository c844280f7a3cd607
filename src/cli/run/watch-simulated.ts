// A simulated host has no process that could watch it between two commands: before a command that changes or checks it, and
// after one that changes it, the watch checks once in this process, where its service runs there. So health.json is what it
// would be.
import {homeOfService} from '../../components/node-home.js'
import {WATCH} from '../../config/daemons.js'
import {openServices} from '../../host/services/services.js'
import {healthFile, metricsFile} from '../../runs/watch/state-files.js'
import {watchOnce, type WatchInput} from '../../runs/watch/watch.js'
import {redactor} from '../redactor.js'

/** The command has ended, and its result stands: what fails here fails without a word. */
export const watchSimulated = (host: Pick<WatchInput, 'assets' | 'machine'>): Promise<void> =>
  checkOnce(host).catch(() => {})

async function checkOnce({assets, machine}: Pick<WatchInput, 'assets' | 'machine'>): Promise<void> {
  const services = openServices(machine.win32, machine.clock)
  const isRunning = (await services.status(WATCH.service))?.state === 'running'
  const baseDir = homeOfService((isRunning && (await services.imagePath(WATCH.service))) || '')
  if (baseDir === undefined) return
  // The cluster would see it only after half a minute.
  const health = healthFile({baseDir, machine, redact: redactor.redact})
  // One check is too short for a repair.
  const nothing = async () => ({changed: 0, exitCode: 0, problems: []})
  await watchOnce({
    assets,
    baseDir,
    inspect: nothing,
    machine,
    repair: nothing,
    reporters: (node) => {
      const path = node?.config.metricsFile
      return [health, ...(path === undefined ? [] : [metricsFile(machine, path, new Map())])]
    },
    signal: new AbortController().signal,
  })
}
