// The one door to the simulator: no other folder of src imports its insides.
export {openDrive} from './drive.js'
export {OWN_PROGRAM} from './profiles/drive.js'
export {PROFILES} from './profiles/index.js'
export {openSimulator} from './simulator.js'
export type {ClusterSeed} from './twin/seed-cluster.js'
export {openTwin, type Twin, type TwinOptions} from './twin/twin.js'
export type {World} from './world.js'
