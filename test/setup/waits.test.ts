// What a run waits for is always named: in its steps, between them and after them.
import {expect, test} from 'vitest'
import {resetOn} from '../reset/reset-run.js'
import {HostFolder} from '../steps/host-folder.js'
import {setupOn} from './in-process.js'
import {turn} from '../sample.js'

test.each(turn(['ws2019', 'ws2025'], 1))(
  'review U2-10: %s: setup names the last check, reset each service that it stops',
  async (profile) => {
    const host = await HostFolder.fresh(undefined, profile)
    const setup = await setupOn(host.dir, {}, {}, profile)
    const last = setup.events.findLastIndex(({type}) => type === 'step-finished')
    expect(setup.events.slice(last)).toContainEqual(expect.objectContaining({id: 'node-health', type: 'progress'}))

    const {events} = await resetOn(host.dir)
    const stopped = events.flatMap((event) =>
      event.type === 'progress' ? [/^waiting for the service (\w+) to stop$/.exec(event.text)?.[1]] : [],
    )
    expect(stopped).toEqual(
      expect.arrayContaining(['kubeproxy', 'kubelet', 'flanneld', ...(profile === 'ws2025' ? ['containerd'] : [])]),
    )
  },
)
