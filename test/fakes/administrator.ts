// A cluster on which the host's kubeconfig may do everything, for tests that are not about rights.
import type {World} from '../../src/simulator/world.js'

export function allowEverything({cluster}: Pick<World, 'cluster'>): void {
  cluster.permissions = ['*']
}
