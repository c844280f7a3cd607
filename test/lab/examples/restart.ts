// A program that restarts the simulated host of K8S_WIN_SIMULATE_DIR: what `win_reboot` is in the test of the playbook.
import {reboot} from '../../../src/simulator/windows/restart.js'
import {DiskHost} from '../../steps/host-folder.js'

/** win_reboot waits until Windows runs a command. By then its services have started. */
const START_MS = 60_000

new DiskHost(process.env['K8S_WIN_SIMULATE_DIR'] ?? '').edit((world) => {
  reboot(world)
  world.os.time += START_MS
})
