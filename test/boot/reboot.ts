// A restart of the simulated host.
export {type Boot, reboot} from '../../src/simulator/windows/restart.js'
