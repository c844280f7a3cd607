// The Docker network "host", which pods with hostNetwork need: is the one that is there ours?
import {HOST_NETWORK, NETWORK_LABEL} from '../../components/images.js'
import type {DockerNetwork} from '../../host/docker/networks.js'
import type {StepContext} from '../run/step.js'

/**
 * By its label, or by its ID: every start of dockerd before 27.5 creates the networks that it finds in HNS anew, with
 * their IDs and without their labels (moby daemon/daemon_windows.go, initNetworkController).
 */
export async function findOurNetwork({
  host,
  journal,
}: Pick<StepContext, 'host' | 'journal'>): Promise<DockerNetwork | undefined> {
  const network = await host.docker.network(HOST_NETWORK)
  const isNoted = journal
    .entries('pause-image', 'docker-network')
    .some(({id}) => id !== undefined && id === network?.id)
  return network?.labels[NETWORK_LABEL] !== undefined || isNoted ? network : undefined
}
