// Assumptions about access lists of files, and about the record of Windows features.
import {win32 as windowsPath} from 'node:path'
import {
  ADMINISTRATORS_ONLY,
  ADMINISTRATORS_ONLY_FILE,
  isAdministratorsOnly,
} from '../../../../src/host/security/security.js'
import {compared, notSettled, type Settler} from './settler.js'

const {join} = windowsPath

/** Of a folder of its own: a file with entries of its own is written anew, which is a rename. */
export const atomicWriteAcl: Settler = async ({machine: {files, win32}, scratch}) => {
  const [plain, replaced] = [join(scratch, 'plain.txt'), join(scratch, 'replaced.txt')]
  await files.write(plain, 'inherits')
  await files.write(replaced, 'own entries', {sddl: ADMINISTRATORS_ONLY_FILE})
  const before = await win32.securityOf(replaced)
  if (!isAdministratorsOnly(before))
    return notSettled(`this host keeps ${before} where ${ADMINISTRATORS_ONLY_FILE} was set`)
  await files.write(replaced, 'new content')
  const [after, inherited] = [await win32.securityOf(replaced), await win32.securityOf(plain)]
  return compared(after === inherited, `${after} after ${before}`, `${inherited}, as any new file there has`)
}

/** Of a folder of its own. */
export const securityAsSet: Settler = async ({machine: {files, win32}, scratch}) => {
  const folder = join(scratch, 'restricted')
  await files.makeDirectory(folder)
  await win32.setSecurity(folder, ADMINISTRATORS_ONLY)
  const seen = await win32.securityOf(folder)
  return compared(seen === ADMINISTRATORS_ONLY, seen, ADMINISTRATORS_ONLY)
}

const COMPONENT = String.raw`SOFTWARE\Microsoft\ServerManager\ServicingStorage\ServerComponentCache\Containers`
const DISM = String.raw`C:\Windows\System32\dism.exe`

/** One host shows one of the two ways to install it. */
export const serverComponentCache: Settler = async ({machine: {run, win32}}) => {
  const recorded = (await win32.registryValue('HKLM', COMPONENT, 'InstallState'))?.data
  const args = ['/English', '/Online', '/Get-FeatureInfo', '/FeatureName:Containers']
  const {exitCode, stdout} = await run(DISM, args, {deadlineMs: 60_000, effect: 'read'})
  const state = /^State : (.*?)\s*$/m.exec(stdout)?.[1]
  if (exitCode !== 0 || state === undefined) return notSettled(`dism.exe ends with ${exitCode} and shows no state`)
  const seen = `InstallState is ${String(recorded ?? 'not there')}, dism.exe says ${state}`
  return compared(recorded !== 1 || state === 'Enabled', seen, 'InstallState 1 only where dism.exe says Enabled')
}
