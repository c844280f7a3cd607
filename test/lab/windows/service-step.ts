// What a step that keeps a service works with, on this host and with little patience.
import path from 'node:path'
import {ownContainerd} from '../../../src/config/layout.js'
import {openHost} from '../../../src/host/host.js'
import {openServices} from '../../../src/host/services/services.js'
import {openAssets} from '../../../src/machine/real/assets.js'
import {openJournal} from '../../../src/pipeline/ledger/journal.js'
import type {StepContext} from '../../../src/pipeline/run/step.js'
import {hurried, type ServiceRig} from './service-rig.js'
import {APP} from './windows-host.js'

/** The product's minutes of patience pass in seconds. */
export async function serviceStep(rig: ServiceRig): Promise<StepContext> {
  const {machine} = rig
  const clock = hurried(machine.clock, 30)
  const host = openHost(machine, {assets: openAssets(APP), baseDir: rig.folder, dockerPipe: ''})
  const journal = await openJournal(machine.files, path.join(rig.folder, 'k8s-win', 'journal.ndjson'), () => Date.now())
  const quiet = () => undefined
  return {
    changed: quiet,
    config: {baseDir: rig.folder, containerd: ownContainerd(rig.folder)},
    host: {...host, clock, services: openServices(machine.win32, clock)},
    journal,
    progress: quiet,
    signal: rig.signal,
    warn: quiet,
  } as unknown as StepContext
}
