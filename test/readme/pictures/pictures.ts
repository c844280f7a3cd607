// The pictures of README and docs/, from a run on a simulated host and from the tables of the program.
import type {TimedEvent} from '../../../src/pipeline/run/events.js'
import type {World} from '../../../src/simulator/world.js'
import {choicesPicture} from './choices.js'
import {networkPicture} from './network.js'
import {terminalPicture} from './terminal.js'
import {timelinePicture} from './timeline.js'

interface Sources {
  readonly events: readonly TimedEvent[]
  /** The command line of the run. */
  readonly typed: string
  /** The host after the run. */
  readonly world: World
}

/** By name. */
export const pictures = ({events, typed, world}: Sources): Readonly<Record<string, string>> => ({
  choices: choicesPicture(),
  network: networkPicture(world),
  run: terminalPicture(events, typed),
  timeline: timelinePicture(events),
})
