import {describe, expect, test} from 'vitest'
import {pauseImage} from '../../src/steps/pause-image.js'
import {imageOfSomebody, pauseImageDrifts} from './drifts/images.js'
import {describeStep} from './five-tests.js'
import {Rig} from './rig.js'
import {removeStep} from '../../src/pipeline/owned/kinds.js'

const PAUSE = 'kubeletwin/pause:latest'

describeStep(pauseImage, {drifts: pauseImageDrifts})

describeStep(pauseImage, {
  drifts: pauseImageDrifts,
  title: "pause-image, with one of somebody else's for another Windows",
  undo: (host) => host.edit(({docker}) => docker.images.push(imageOfSomebody(PAUSE, '10.0.14393.1'))),
})

test('one that k8s-win did not create and that fits is used, and not removed', async () => {
  const rig = await Rig.open({sicken: ({docker}) => docker.images.push(imageOfSomebody(PAUSE))})
  const {results} = await rig.run(pauseImage)
  expect(results).toMatchObject([{changes: ['create the Docker network host'], state: 'changed'}])
  await removeStep(pauseImage, rig.context)
  expect(rig.world.docker.images.map((image) => image.tags)).toEqual([[PAUSE]])
})

test('a build that a run died after is known by its label', async () => {
  const rig = await Rig.open()
  await rig.runBefore('pause-image')
  await pauseImage.apply(rig.context)
  const later = await rig.reopen()
  const tags = (): string[] => later.world.docker.images.flatMap((image) => image.tags)
  await removeStep(pauseImage, later.context)
  expect(tags()).toContain(PAUSE)
  await pauseImage.leaves?.discard(later.context)
  expect(tags()).not.toContain(PAUSE)
})

test('review W4: it logs nothing', async () => {
  const rig = await Rig.open()
  await rig.runBefore('pause-image')
  await rig.run(pauseImage)
  const image = rig.world.docker.images.find(({tags}) => tags.includes(PAUSE))
  expect(image?.command?.slice(-2)).toEqual(['>', 'NUL'])
})

describe('review W8: the Docker network host', () => {
  const networks = ({world}: Rig) => world.docker.networks ?? []

  test('is created with its owner, noted, and removed', async () => {
    const rig = await Rig.open()
    await rig.runBefore('pause-image')
    await rig.run(pauseImage)
    expect(networks(rig)).toMatchObject([{driver: 'nat', labels: {'k8s-win.network': 'pods'}, name: 'host'}])
    const later = await rig.reopen()
    const [{id} = {}] = networks(later)
    expect(later.context.journal.entries('pause-image', 'docker-network')).toEqual([
      {id, kind: 'docker-network', name: 'host'},
      {kind: 'docker-network', name: 'host'},
    ])
    await removeStep(pauseImage, later.context)
    expect(networks(later)).toEqual([])
  })

  test.each(['20.10.9', '27.5.1'])(
    'is known after a restart of Docker %s, which may lose its label',
    async (version) => {
      const rig = await Rig.open({sicken: ({docker}) => void (docker.version = version)})
      await rig.runBefore('pause-image')
      await rig.run(pauseImage)
      const {win32} = rig.machine
      await win32.stopService('docker')
      await rig.context.host.clock.sleep(60_000)
      await win32.startService('docker')
      await rig.context.host.clock.sleep(60_000)
      expect(networks(rig).map(({labels}) => Object.keys(labels).length)).toEqual([version === '27.5.1' ? 1 : 0])
      expect((await rig.run(pauseImage)).results).toMatchObject([{state: 'in-place'}])
      await removeStep(pauseImage, rig.context)
      expect(networks(rig)).toEqual([])
    },
  )

  test('one that k8s-win did not create is used, and stays, whatever the journal says', async () => {
    const theirs = {driver: 'nat', id: 'ab', labels: {}, name: 'host'}
    const rig = await Rig.open({sicken: ({docker}) => void (docker.networks = [theirs])})
    await rig.runBefore('pause-image')
    await rig.run(pauseImage)
    expect(rig.context.journal.entries('pause-image', 'docker-network')).toEqual([])
    await rig.context.journal.record('pause-image', {kind: 'docker-network', name: 'host'})
    await removeStep(pauseImage, rig.context)
    expect(networks(rig)).toEqual([theirs])
  })
})
