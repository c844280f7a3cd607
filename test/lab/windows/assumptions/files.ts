// Assumptions that can be read off files: access lists, log names, libraries of Windows.
import {win32 as windowsPath} from 'node:path'
import {layoutOf} from '../../../../src/config/layout.js'
import {
  ADMINISTRATORS_ONLY,
  ADMINISTRATORS_ONLY_FILE,
  isAdministratorsOnly,
} from '../../../../src/host/security/security.js'
import {asAssumed, changing, compared, notSettled, type Settler} from './settler.js'

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

const AT_ROOT =
  'O:BAD:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIID;0x1200a9;;;BU)(A;CIID;LC;;;BU)(A;CIID;DC;;;BU)(A;OICIIOID;GA;;;CO)'

/** Of a folder that is there for one question. */
export const driveRootAccess: Settler = changing(async ({machine: {files, win32}}) => {
  const folder = String.raw`C:\k8s-win-lab-root`
  await files.makeDirectory(folder)
  try {
    const seen = await win32.securityOf(folder)
    return compared(seen === AT_ROOT, seen, AT_ROOT)
  } finally {
    await files.remove(folder)
  }
})

/** klog names its files <program>.<host>.<user>.log.<level>.<time>.<pid>. */
export const klogUser: Settler = async ({baseDir, machine: {files, win32}}) => {
  const folder = join(layoutOf(baseDir).logs, 'kubelet')
  const names = await files.list(folder)
  const users = [...new Set(names.flatMap((name) => /^kubelet\.exe\.[^.]+\.(.+)\.log\.[A-Z]+\./.exec(name)?.[1] ?? []))]
  if (users.length === 0) return notSettled(`no kubelet has written to ${folder}: run k8s-win setup first`)
  const assumed = `WORKGROUP_${await win32.computerName()}$`
  // By the computer's own name the same in any case, as klog takes it from two places.
  const isSame = users.every((user) => user.toUpperCase() === assumed.toUpperCase())
  return compared(isSame, users.join(', '), assumed)
}

const FEATURES = String.raw`SOFTWARE\Microsoft\ServerManager\ServicingStorage\ServerComponentCache`

/** One host shows one half. Hyper-V brings the same library. */
export const vmcomputeLibrary: Settler = async ({machine: {files, win32}}) => {
  const library = String.raw`C:\Windows\System32\vmcompute.dll`
  const isThere = (await files.status(library)) !== undefined
  const [containers, hyperV] = await Promise.all(
    ['Containers', 'Hyper-V'].map((name) => win32.registryValue('HKLM', `${FEATURES}\\${name}`, 'InstallState')),
  )
  const seen = `the library is ${isThere ? 'there' : 'not there'}, the feature ${containers?.data === 1 ? 'too' : 'is not'}`
  if (containers === undefined)
    return notSettled(`the library is ${isThere ? 'there' : 'not there'}; the registry does not tell of the feature`)
  if (containers.data === 1) return isThere ? asAssumed(`${seen}; one half`) : compared(false, seen, 'both')
  if (isThere && hyperV?.data === 1) return notSettled('Hyper-V is installed, which has the library too')
  return isThere ? compared(false, seen, 'neither') : asAssumed(`${seen}; one half`)
}
