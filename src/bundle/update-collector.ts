// The updates of Windows, by the files that its servicing stack keeps of them. Whoever else lists them asks WMI, which
// hangs on many a sick host.
import {win32 as windowsPath} from 'node:path'
import {systemRoot} from '../machine/system-program.js'
import type {Collector} from './collector.js'

const PATH = 'windows/updates.json'
const MOST_PACKAGES = 300
/** Updates as a whole: of each there are dozens of parts beside it. */
const PACKAGE = /^Package_for_(KB\d+|RollupFix|(?:DotNetRollup|ServicingStack)\w*)~[^~]*~([^~]*)~[^~]*~([\d.]+)\.mum$/i
const byNumber = new Intl.Collator('en', {numeric: true})

export const updateCollector: Collector = {
  async collect({host: {files}, machine: {win32}}) {
    // A file for every package that Windows has been serviced with.
    const folder = windowsPath.join(await systemRoot(win32), 'servicing', 'Packages')
    if (!(await files.status(folder))) {
      return {entries: [{content: {document: {folder, state: 'there is no such folder'}}, path: PATH}]}
    }

    const known = (await files.list(folder)).flatMap((file) => packageOf(file)).sort(newestFirst)
    const packages = known.slice(0, MOST_PACKAGES)
    const document = {folder, means: 'installed, superseded or only made ready', packages}
    const older = known.length - packages.length
    return {entries: [{content: {document}, ...(older > 0 && {cut: `${older} older packages`}), path: PATH}]}
  },
  id: 'updates',
}

interface UpdatePackage {
  readonly architecture: string
  readonly name: string
  readonly version: string
}

function packageOf(file: string): UpdatePackage[] {
  const [, name, architecture = '', version = ''] = PACKAGE.exec(file) ?? []
  return name === undefined ? [] : [{architecture, name, version}]
}

/** Those that say which patch level this is go before the single updates. */
function newestFirst(one: UpdatePackage, other: UpdatePackage): number {
  const isSingle = ({name}: UpdatePackage): number => (/^KB/i.test(name) ? 1 : 0)
  return (
    isSingle(one) - isSingle(other) ||
    byNumber.compare(other.name, one.name) ||
    byNumber.compare(other.version, one.version)
  )
}
