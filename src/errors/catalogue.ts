// Every error of k8s-win: for "k8s-win explain", for the page of errors, and for whoever runs a command again.
import * as bytes from './downloads-and-images.js'
import * as cluster from './cluster.js'
import * as condition from './condition.js'
import * as configuration from './configuration.js'
import * as daemons from './daemons.js'
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
import * as secrets from './secrets.js'
import * as token from './token.js'
import * as upgrade from './upgrade.js'
import * as unhealthyNode from './unhealthy-node.js'
import * as usage from './usage.js'
import * as userdata from './userdata.js'
import * as windows from './windows.js'

/** By topic, in the order of the page of errors. */
export const ERROR_TOPICS: Readonly<Record<string, readonly ErrorDefinition<never>[]>> = {
  'Command line': errorsIn(usage, input),
  'Configuration file and stored options': errorsIn(configuration),
  Host: errorsIn(host, condition),
  'Folders and files': errorsIn(folders),
  'Windows features and restarts': errorsIn(restart),
  'Operations on Windows': errorsIn(windows),
  Cluster: errorsIn(cluster),
  'Joining and tokens': errorsIn(join, secrets, token),
  'Downloads and images': errorsIn(bytes),
  'Health during setup and verify': errorsIn(health),
  'A node that is set up': errorsIn(unhealthyNode),
  'Daemons by hand': errorsIn(daemons),
  Upgrade: errorsIn(upgrade),
  Reset: errorsIn(reset),
  'User data': errorsIn(userdata),
  'Detached runs': errorsIn(detach),
  Logs: errorsIn(logs),
  'k8s-win itself': errorsIn(program),
}

export const ERRORS: readonly ErrorDefinition<never>[] = Object.values(ERROR_TOPICS).flat()

/** Of those after which the same command may simply be run again. */
export const TRANSIENT_IDS: ReadonlySet<string> = new Set(
  ERRORS.filter(({isTransient: mayPass}) => mayPass).map(({id}) => id),
)

/** One error that time does not cure makes the whole run one. */
export const isTransient = (ids: readonly string[]): boolean =>
  ids.length > 0 && ids.every((id) => TRANSIENT_IDS.has(id))

function errorsIn(...modules: readonly object[]): readonly ErrorDefinition<never>[] {
  return modules.flatMap((module) => Object.values(module) as ErrorDefinition<never>[])
}
