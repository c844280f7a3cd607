// The base directory of a node: all its services run programs of the same one.
import {WATCH_COMMAND} from '../config/daemons.js'
import {layoutOf} from '../config/layout.js'
import {splitCommandLine} from '../machine/command-line.js'

const BINARIES = layoutOf('').binaries
const PROGRAM = /^(?:"([^"]+)"|(\S+))/
const OF_A_SERVICE = new RegExp(
  String.raw`^([a-z]:\\.*?)(?:${`\\${BINARIES}`.replaceAll('\\', '\\\\')}\\kube(?:let|-proxy|-log-runner)\.exe|\\shawl\.exe)$`,
  'i',
)

const BASE_DIR = /^--base-dir=(.+)$/i

/** The base directory in a service's command line; undefined if it is not a service of k8s-win. */
export function homeOfService(imagePath: string): string | undefined {
  // The service that watches the node names it, whatever was added to its command line.
  const words = splitCommandLine(imagePath)
  const watch = words.lastIndexOf(WATCH_COMMAND)
  const watched = watch < 0 ? undefined : words.slice(watch).find((word) => BASE_DIR.test(word))
  if (watched !== undefined) return BASE_DIR.exec(watched)?.[1]
  const [, quoted, plain] = PROGRAM.exec(imagePath) ?? []
  return OF_A_SERVICE.exec(quoted ?? plain ?? '')?.[1]
}

/** To Windows C:\K, c:\k and c:/k/ are one folder. */
export const isSameHome = (a: string, b: string): boolean => plainHome(a) === plainHome(b)

const plainHome = (folder: string): string => {
  const plain = folder.replaceAll('/', '\\').toLowerCase()
  return plain.endsWith('\\') ? plain.slice(0, -1) : plain
}
