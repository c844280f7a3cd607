// Ctrl-C at every effect of a fresh setup.
import {expect, test} from 'vitest'
import {comparable} from '../steps/comparable.js'
import {HostFolder} from '../steps/host-folder.js'
import {expectResumable} from './interrupts.js'
import {setupOn} from './setup-run.js'

const FEWEST_EFFECTS = 500

test('interrupted anywhere and run again, the node is as if nothing had happened', async () => {
  const host = HostFolder.empty()
  await setupOn(host.dir)
  const undisturbed = comparable(host)
  host.discard()
  let nth = 1
  while (await expectResumable(nth, undisturbed)) nth++
  expect(nth).toBeGreaterThan(FEWEST_EFFECTS)
})
