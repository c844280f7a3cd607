import {netConfStep} from '../../src/steps/net-conf.js'
import {netConfDrifts} from './drifts/files.js'
import {describeStep} from './five-tests.js'

describeStep(netConfStep, {drifts: netConfDrifts})

describeStep(netConfStep, {
  drifts: [],
  title: "net-conf, with a folder and a file of the user's own",
  undo: (host) => host.put(String.raw`etc\kube-flannel\net-conf.json`, '{"Network":"10.0.0.0/8"}'),
})
