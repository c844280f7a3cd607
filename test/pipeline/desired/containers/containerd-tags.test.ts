// A name of the user's image that setup gives to its own, with ctr, which removes a name before it creates it again: killed in
// between, the name is still restored.
import {beforeEach, describe, expect, it} from 'vitest'
import {removes} from '../../../../src/pipeline/owned/kinds.js'
import type {World} from '../../../../src/simulator/world.js'
import {
  applySteps,
  changed,
  type ContainerdHost,
  openContainerdHost,
  RUNTIME_STEPS,
} from '../../../health/containerd-host.js'

const LATEST = 'mcr.microsoft.com/windows/nanoserver:latest'
const THEIRS = `sha256:${'7'.repeat(64)}`
const OTHER_NAME = 'registry.example/theirs:1'

const forget = (world: World): void => {
  for (const image of world.containerd.images) image.tags = image.tags.filter((tag) => tag !== LATEST)
}
const idOf = async ({host}: ContainerdHost): Promise<string | undefined> => (await host.containerd.image(LATEST))?.id
const reset = ({context}: ContainerdHost): Promise<void> => removes('base-images')(context, false)

let made: ContainerdHost
beforeEach(async () => {
  const before = await openContainerdHost()
  await applySteps(before, ...RUNTIME_STEPS)
  made = await changed(before, (world) => {
    const [own] = world.containerd.images.filter(({tags}) => tags.includes(LATEST))
    if (!own) throw new Error('there is no image')
    forget(world)
    world.containerd.images.push({...own, digests: [], id: THEIRS, tags: [LATEST, OTHER_NAME]})
  })
  // From here on the name is the user's: setup takes it, and records whose it was.
  await applySteps(made, 'base-images')
  expect(await idOf(made)).not.toBe(THEIRS)
})

describe('the name of an image', () => {
  it('is restored', async () => {
    await reset(made)
    expect(await idOf(made)).toBe(THEIRS)
  })

  it('is restored after a setup that was killed while it took the name', async () => {
    const killed = await changed(made, forget)
    await applySteps(killed, 'base-images')
    await reset(killed)
    expect(await idOf(killed)).toBe(THEIRS)
  })

  it('is restored after a reset that was killed while it restored the name', async () => {
    const killed = await changed(made, forget)
    await reset(killed)
    expect(await idOf(killed)).toBe(THEIRS)
  })
})
