import {baseImagesStep} from '../../src/steps/base-images.js'
import type {World} from '../../src/simulator/world.js'
import {baseImagesDrifts} from './drifts/images.js'
import {describeStep} from './five-tests.js'

/** Images stay, under the names they were pulled by. */
function withoutPulled({docker}: World): void {
  for (const image of docker.images) image.tags = image.tags.filter((tag) => !/:(1809|ltsc2019)$/.test(tag))
  docker.images = docker.images.filter((image) => image.tags.length > 0)
}

describeStep(baseImagesStep, {drifts: baseImagesDrifts, forgive: withoutPulled})
