// Every error of k8s-win: for "k8s-win explain", and for the page of errors.
import * as bytes from './downloads-and-images.js'
import * as cluster from './cluster.js'
import * as condition from './condition.js'
import * as configuration from './configuration.js'
import type {ErrorDefinition} from './define.js'
import * as detach from './detach.js'
import * as folders from './folders.js'
import * as health from './health.js'
import * as host from './host.js'
import * as input from './input.js'
import * as join from './join.js'
import * as logs from './logs.js'
import * as program from './program.js'
import * as reset from './reset.js'
import * as restart from './restart.js'
import * as token from './token.js'
import * as upgrade from './upgrade.js'
import * as unhealthyNode from './unhealthy-node.js'
import * as usage from './usage.js'
import * as windows from './windows.js'

export const ERRORS: readonly ErrorDefinition<never>[] = [
  usage,
  input,
  configuration,
  host,
  folders,
  condition,
  restart,
  cluster,
  join,
  bytes,
  windows,
  health,
  reset,
  token,
  upgrade,
  detach,
  logs,
  unhealthyNode,
  program,
].flatMap((module) => Object.values(module) as ErrorDefinition<never>[])
