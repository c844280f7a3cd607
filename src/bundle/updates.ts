// The updates of Windows, by the files that its servicing stack keeps of them. Other ways to list them ask WMI, which
// hangs on many unhealthy hosts.
import {win32 as windowsPath} from 'node:path'
import {systemRoot} from '../machine/system-program.js'
import type {Reader} from './collector.js'

const MOST_PACKAGES = 300
/** Updates as a whole: there are also files for each of their dozens of parts. */
const PACKAGE = /^Package_for_(KB\d+|RollupFix|(?:DotNetRollup|ServicingStack)\w*)~[^~]*~([^~]*)~[^~]*~([\d.]+)\.mum$/i
const byNumber = new Intl.Collator('en', {numeric: true})

interface UpdatePackage {
  readonly architecture: string
  readonly name: string
  readonly version: string
}

export const readUpdates: Reader = async ({host: {files}, machine: {win32}}) => {
  const folder = windowsPath.join(await systemRoot(win32), 'servicing', 'Packages')
  if (!(await files.status(folder))) return {content: {document: {folder, state: 'does not exist'}}}
  const known = (await files.list(folder)).flatMap((file): UpdatePackage[] => {
    const [, name, architecture = '', version = ''] = PACKAGE.exec(file) ?? []
    return name === undefined ? [] : [{architecture, name, version}]
  })
  const packages = known.sort(newestFirst).slice(0, MOST_PACKAGES)
  const document = {folder, means: 'installed, superseded or only staged', packages}
  const older = known.length - packages.length
  return {content: {document}, ...(older > 0 && {cut: `${older} older packages`})}
}

/** Those that show the patch level go before the single updates. */
function newestFirst(one: UpdatePackage, other: UpdatePackage): number {
  const isSingle = ({name}: UpdatePackage): number => (/^KB/i.test(name) ? 1 : 0)
  return (
    isSingle(one) - isSingle(other) ||
    byNumber.compare(other.name, one.name) ||
    byNumber.compare(other.version, one.version)
  )
}
