import {describeResetKills} from './reset-kills.js'

describeResetKills({every: 1, of: 'setup'})
describeResetKills({
  baseDir: String.raw`C:\new`,
  every: 1,
  // The journal lies in it: killed between the two, it is no longer known who made the folder, and it stays, empty.
  forgiven: /^(?:files > new|world > security > c:\\new): nothing -> /,
  of: 'setup',
  setup: {'base-dir': String.raw`C:\new`, kubeconfig: String.raw`C:\k\kubeconfig`},
})
