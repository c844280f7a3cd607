// A few sequences per stage, the same ones each time; many others are in sequences.crash.ts.
import type {Act} from './acts.js'
import {describeSequences} from './describe.js'

/** A setup that was reset has left its downloads: the next one, killed at its n-th effect, has recorded few things. */
const killedAgain = (at: number): Act[] => [
  {kill: {at: 104, when: 'before'}, run: 'setup'},
  {purge: false, run: 'reset'},
  {kill: {at, when: 'after'}, run: 'setup'},
]

describeSequences({
  fixed: {
    'reset did not know that the begun setup was one with containerd': {acts: killedAgain(45), stage: '1.31'},
    'reset did not know where the containerd of the host has its plugins': {acts: killedAgain(36), stage: 'AKS'},
  },
  runs: 1,
  seed: 298,
})
