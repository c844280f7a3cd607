// A simulated host has no process that could watch it between two commands: before a command that changes or checks it, and
// after one that changes it, the watch checks once in this process, where its service runs there. So health.json and
// the condition of the Node are what they would be, but for repairs: one check is too short for them.
import {homeOfService} from '../../components/node-home.js'
import {WATCH} from '../../config/daemons.js'
import {openServices} from '../../host/services/services.js'
import type {WatchReporter} from '../../runs/watch/model.js'
import {type NodeHost, nodeIdentity} from '../../runs/watch/node-identity.js'
import {publishNow} from '../../runs/watch/publish.js'
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
  const health = healthFile({baseDir, machine, redact: redactor.redact})
  const publisherOf = (node: NodeHost) => ({
    clock: machine.clock,
    identity: async () => nodeIdentity(node),
    redact: redactor.redact,
  })
  const nothing = async () => ({changed: 0, exitCode: 0, problems: []})
  await watchOnce({
    assets,
    baseDir,
    inspect: nothing,
    machine,
    reporters: (node) => {
      const path = node?.config.metricsFile
      const published: WatchReporter[] =
        node?.config.publish === true ? [{report: async (state) => publishNow(publisherOf(node), state)}] : []
      return [health, ...(path === undefined ? [] : [metricsFile(machine, path, new Map())]), ...published]
    },
    signal: new AbortController().signal,
  })
}
