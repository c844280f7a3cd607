// The base directory of a node: all its services run programs of the same one.
import {layoutOf} from '../config/layout.js'

const BINARIES = layoutOf('').binaries
const PROGRAM = /^(?:"([^"]+)"|(\S+))/
const OF_A_SERVICE = new RegExp(
  String.raw`^([a-z]:\\.*?)(?:${`\\${BINARIES}`.replaceAll('\\', '\\\\')}\\kube(?:let|-proxy|-log-runner)\.exe|\\shawl\.exe)$`,
  'i',
)

/** The service that watches the node names it. */
const OF_WATCH = / run-watch "?--base-dir=([^"]+)"?$/i

/** The base directory in a service's command line; undefined if it is not a service of k8s-win. */
export function homeOfService(imagePath: string): string | undefined {
  const [, watched] = OF_WATCH.exec(imagePath) ?? []
  if (watched !== undefined) return watched
  const [, quoted, plain] = PROGRAM.exec(imagePath) ?? []
  return OF_A_SERVICE.exec(quoted ?? plain ?? '')?.[1]
}

/** To Windows C:\K and c:\k are one folder. */
export const isSameHome = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
