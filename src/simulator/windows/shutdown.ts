// A shutdown of the simulated host, before it starts again (restart.ts). Windows sends every service its control, and every
// process with a console CTRL_SHUTDOWN_EVENT (learn.microsoft.com, HandlerRoutine); what still runs after 5 s is ended
// (WaitToKillServiceTimeout). Programs of users, and k8s-win among them, just end: libuv does not report that event
// (src/win/signal.c).
import {closeContainerd} from '../containerd/lifetime.js'
import {daemonOf} from '../daemons/begin.js'
import {serviceDaemon} from '../daemons/daemon.js'
import type {Stage} from '../model.js'
import type {ServiceEntry, World} from '../world.js'
import {logEvent} from './events.js'

export async function shutDown(stage: Stage): Promise<void> {
  const {world} = stage
  for (const entry of Object.values(world.services)) {
    const daemon = daemonOf(entry)
    if (entry.state !== 'running' || !entry.process || !daemon) continue
    const crash = await daemon.shutDown?.(serviceDaemon(stage, entry, entry.process))
    closeContainerd(world, entry, crash === undefined)
    if (crash !== undefined) reportCrash(world, entry, crash, stage.now())
  }
}

/** As Windows Error Reporting writes it: the program, its version, and the exception. */
function reportCrash(world: World, {process}: ServiceEntry, exception: string, at: number): void {
  const version = process?.standIn?.version.replace('v', '') ?? ''
  const program = process?.program.split('\\').at(-1) ?? ''
  logEvent(world, {at, data: [program, version, exception], id: 1000, level: 2, provider: 'Application Error'})
}
