// Drive C of a fresh host: Windows' own folders and programs, and a kubeconfig.
import {win32} from 'node:path'
import type {Files} from '../../machine/files.js'
import {makeKubeconfig} from '../cluster/kubeconfig.js'
import {makeStandIn} from '../mirror/stand-in.js'
import type {World} from '../world.js'

const PROGRAMS = [
  String.raw`C:\Windows\System32\cmd.exe`,
  String.raw`C:\Windows\System32\dism.exe`,
  String.raw`C:\Windows\System32\netsh.exe`,
  String.raw`C:\Windows\System32\svchost.exe`,
  String.raw`C:\Windows\System32\taskkill.exe`,
  String.raw`C:\Windows\System32\vmcompute.exe`,
]
/** The k8s-win that is on every simulated host. */
export const OWN_PROGRAM = String.raw`C:\Program Files\k8s-win\k8s-win.exe`
/** As Windows gives it to what is installed in Program Files. */
const INSTALLED_SDDL = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)'
const DOCKERD = String.raw`C:\Program Files\docker\dockerd.exe`
const DOCKER_FOLDERS = ['Program Files\\docker', 'ProgramData\\docker\\config']
const UPDATES = String.raw`Windows\servicing\Packages`
const FOLDERS = ['k', 'Program Files', 'Users', 'Windows\\System32', 'Windows\\TEMP', UPDATES]

export async function fillWindowsDrive(files: Files, {cluster, os, services}: World): Promise<void> {
  const hasDocker = services['docker'] !== undefined
  const folders = [...FOLDERS, ...(hasDocker ? DOCKER_FOLDERS : ['ProgramData'])]
  for (const folder of folders) await files.makeDirectory(`C:\\${folder}`)
  for (const path of hasDocker ? [...PROGRAMS, DOCKERD] : PROGRAMS) {
    const name = path.slice(path.lastIndexOf('\\') + 1, -'.exe'.length)
    await files.write(path, makeStandIn({name, version: `10.0.${os.build}.${os.ubr}`}))
  }

  await files.makeDirectory(win32.dirname(OWN_PROGRAM), {security: INSTALLED_SDDL})
  await files.write(OWN_PROGRAM, makeStandIn({name: 'k8s-win', version: 'v0.1.0'}))
  for (const name of ['RollupFix', `ServicingStack_${os.ubr}`]) {
    await files.write(`C:\\${UPDATES}\\Package_for_${name}~31bf3856ad364e35~amd64~~${os.build}.${os.ubr}.1.0.mum`, '')
  }

  // Docker does not rotate logs by default.
  const logging = {'log-driver': 'json-file', 'log-opts': {'max-file': '3', 'max-size': '10m'}}
  if (hasDocker) await files.write(String.raw`C:\ProgramData\docker\config\daemon.json`, JSON.stringify(logging))
  if (!(await files.status(String.raw`C:\k\kubeconfig`))) {
    await files.write(String.raw`C:\k\kubeconfig`, makeKubeconfig(cluster.serverURL, undefined, cluster.version))
  }
}
