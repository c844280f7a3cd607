// A program that restarts the simulated host of K8S_WIN_SIMULATE_DIR: what `win_reboot` is in the test of the playbook.
import {reboot} from '../../../src/simulator/windows/restart.js'
import {DiskHost} from '../../steps/host-folder.js'

new DiskHost(process.env['K8S_WIN_SIMULATE_DIR'] ?? '').edit(reboot)
