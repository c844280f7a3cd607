import {describeKills} from './kills.js'

describeKills({
  baseDir: 'new',
  every: 1,
  // The journal lies in it: killed between the two, it is no longer known who made the folder, and reset leaves it, empty.
  forgiven: JSON.stringify({step: 'base-dir', kind: 'directory', path: String.raw`C:\new`}),
  given: {'base-dir': String.raw`C:\new`, kubeconfig: String.raw`C:\k\kubeconfig`, 'node-label': ['a=b']},
  title: ', with a base directory that is not there and a kubeconfig to copy',
})
