// Records the corpus anew, or the groups that are named: npx tsx test/transcripts/record.ts docker host-local ...
import {recordDocker} from './recorders/docker.js'
import {recordDraining} from './recorders/draining.js'
import {recordHcsshim} from './recorders/hcsshim.js'
import {recordHostLocal} from './recorders/host-local.js'
import {recordJoining} from './recorders/joining.js'
import {recordKubectl} from './recorders/kubectl.js'
import {recordKubernetes} from './recorders/kubernetes.js'
import {recordKubelet, recordKubeProxy} from './recorders/node-daemons.js'
import {recordShawl} from './recorders/shawl.js'
import {recordWine} from './recorders/wine.js'

const RECORDERS: Readonly<Record<string, () => Promise<number>>> = {
  docker: recordDocker,
  draining: recordDraining,
  hcsshim: recordHcsshim,
  'host-local': recordHostLocal,
  joining: recordJoining,
  kubectl: recordKubectl,
  kubelet: recordKubelet,
  'kube-proxy': recordKubeProxy,
  kubernetes: recordKubernetes,
  shawl: recordShawl,
  wine: recordWine,
}

const named = process.argv.slice(2)
const unknown = named.filter((name) => !(name in RECORDERS))
if (unknown.length > 0)
  throw new Error(`no group ${unknown.join(', ')}; there are ${Object.keys(RECORDERS).join(', ')}`)
for (const name of named.length > 0 ? named : Object.keys(RECORDERS)) {
  process.stdout.write(`${name}: ${await RECORDERS[name]!()} recordings\n`)
}
