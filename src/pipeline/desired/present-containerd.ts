// The containerd that was on the host before, as the steps that rely on it find it: it must still be the one that was
// checked, and respond.
import {containerdChanged} from '../../errors/containerd.js'
import {changesOf, misfitsOf, unfit} from '../../host/containerd/fitness.js'
import {isMisfit} from '../../host/containerd/present.js'
import type {StepContext} from '../run/step.js'

/** Throws where it is gone, is another one, or no longer fits. */
export async function demandSameContainerd({config, host}: Pick<StepContext, 'config' | 'host'>): Promise<void> {
  const {containerd: place} = config
  const found = await host.presentContainerd()
  if (!found) throw containerdChanged({changes: `the service ${place.service} no longer exists`})
  const changes = isMisfit(found) ? [] : changesOf(place, found.place)
  if (changes.length > 0) throw containerdChanged({changes: changes.join('; ')})
  const misfits = await misfitsOf(host, found, config.adopt)
  if (misfits.length > 0) throw unfit(misfits)
}
