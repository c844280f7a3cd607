// A few sequences per stage, the same ones each time; many others are in sequences.crash.ts.
import {sample} from '../sample.js'
import type {Act, Sequence} from './acts.js'
import {describeSequences} from './describe.js'

/** A setup that was reset has left its downloads: the next one, killed at its n-th effect, has recorded few things. */
const killedAgain = (at: number): Act[] => [
  {kill: {at: 104, when: 'before'}, run: 'setup'},
  {purge: false, run: 'reset'},
  {kill: {at, when: 'after'}, run: 'setup'},
]

const FIXED: Readonly<Record<string, Sequence>> = {
  'after a power loss in a reset, daemons created a node and its network that no record named': {
    acts: [{run: 'setup'}, {kill: {at: 34, end: 'power', when: 'before'}, purge: true, run: 'reset'}, {run: 'setup'}],
    stage: 'another pipe',
  },
  'after a power loss in a reset, containerd pulled a sandbox image that no record named': {
    acts: [
      {run: 'setup'},
      {pod: true},
      {kill: {at: 8, end: 'power', when: 'after'}, purge: true, run: 'reset'},
      {run: 'setup'},
    ],
    stage: 'another pipe',
  },
  'a flanneld that had waited for its node cut off a pull': {
    acts: [
      {release: '1.28.15', run: 'setup'},
      {kill: {at: 18, end: 'power', when: 'before'}, purge: false, run: 'reset'},
      {drain: false, run: 'upgrade'},
    ],
    stage: 'AKS',
  },
  'no other release could be set up without the file of crictl': {
    acts: [
      {release: '1.34.11', run: 'setup'},
      {drift: 'kubeproxy: it was deleted'},
      {kill: {at: 87, when: 'before'}, purge: false, run: 'reset'},
      {release: '1.33.13', run: 'setup'},
    ],
    stage: 'EKS',
  },
  'no other release could be set up without the folder of downloads': {
    acts: [
      {release: '1.30.14', run: 'setup'},
      {kill: {at: 115, when: 'after'}, purge: true, run: 'reset'},
      {release: '1.31.14', run: 'setup'},
    ],
    stage: '1.31',
  },
  'review W3-10: reset could not remove the pods after somebody had deleted the CNI configuration': {
    acts: [
      {release: '1.27.16', run: 'setup'},
      {pod: true},
      {restart: true},
      {drift: String.raw`C:\Program Files\containerd\cni\conf\10-flannel.conflist is gone`},
    ],
    stage: 'another pipe',
  },
  'reset did not know that the begun setup was one with containerd': {acts: killedAgain(45), stage: '1.31'},
  'reset did not know where the containerd of the host has its plugins': {acts: killedAgain(36), stage: 'AKS'},
}

describeSequences({fixed: Object.fromEntries(sample(Object.entries(FIXED), 2)), runs: 1, seed: 298})
