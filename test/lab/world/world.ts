// The world around a lab node, one process of node.exe on the same machine: the simulator's models behind real doors. It
// takes its state from machine.json and keeps it there. Says "ready" when all doors are open. With "booted" it continues after
// a restart of Windows.
import path from 'node:path'
import {openRealMachine} from '../../../src/machine/real/index.js'
import {forgetContainerd} from '../../../src/simulator/containerd/lifetime.js'
import {advanceControllers} from '../../../src/simulator/daemons/index.js'
import {markLostNodes} from '../../../src/simulator/daemons/kubelet/kubelet-node.js'
import type {Stage} from '../../../src/simulator/model.js'
import {folderHost} from '../../../src/simulator/host.js'
import {settleAdapters} from '../../../src/simulator/windows/adapters.js'
import {reboot} from '../../boot/reboot.js'
import {openClusterDoor} from './cluster-door.js'
import {openDaemonPipe} from './daemon-pipe.js'
import {furnish} from './furnish.js'
import {serveHns, simulatedHns} from './hns-pipe.js'
import {openLocalPorts} from './local-ports.js'
import {openMirrorDoor} from './mirror-door.js'
import {makeContainerdDoor, makeDockerDoor} from './pipe-door.js'
import {type QuickClock, startQuickClock} from './quick-clock.js'
import {openRealDaemons} from './real-daemons.js'

const BOOTED = 'booted'
const [folder = '', beginning = ''] = process.argv.slice(2)
const {files, win32} = openRealMachine()
const store = folderHost(folder).openStore(() => {
  throw new Error(`there is no machine.json in ${folder}`)
})
const {world} = store
if (beginning === BOOTED) reboot(world)
const stage: Stage = {elapse: (ms) => clock.elapse(ms), files, now: () => clock.now(), world}
const daemons = openRealDaemons(stage, win32)
const docker = makeDockerDoor(stage, win32, () => clock.touch())
const containerd = makeContainerdDoor(stage, win32)
const ports = openLocalPorts(stage, win32, () => clock.touch())
const clock: QuickClock = startQuickClock(Math.max(world.os.time, Date.now()), async () => {
  world.os.time = clock.now()
  settleAdapters(stage)
  await daemons.advance()
  markLostNodes(stage)
  // Windows judges the certificates that they sign by the computer's clock, and the world's runs ahead of it.
  advanceControllers({...stage, now: Date.now})
  await forgetContainerd(stage)
  await docker.settle()
  await containerd.settle()
  await ports.settle()
  store.save()
})

await openClusterDoor(stage, clock.touch)
await openMirrorDoor(stage, path.join(folder, 'mirror'))
const answerHns = simulatedHns(stage)
await serveHns((...request) => {
  clock.touch()
  return answerHns(...request)
})
await openDaemonPipe(() => {
  clock.touch()
  return daemons.guide()
})
await furnish(win32, world)
// After a boot nothing waits for them either.
while (beginning !== BOOTED && !isFurnished()) await clock.elapse(100)
process.stdout.write('ready\n')

/** A service is running before its program has reported it. */
function isFurnished(): boolean {
  return ['docker', 'hns'].every((name) => (world.services[name]?.state ?? 'running') === 'running')
}
