// Drive C of a fresh host: Windows' own folders and programs, and the kubeconfig somebody put there.
import type {Files} from '../../machine/files.js'
import {makeKubeconfig} from '../cluster/kubeconfig.js'
import {makeStandIn} from '../mirror/stand-in.js'
import type {World} from '../world.js'

const PROGRAMS = [
  String.raw`C:\Program Files\docker\dockerd.exe`,
  String.raw`C:\Windows\System32\cmd.exe`,
  String.raw`C:\Windows\System32\netsh.exe`,
  String.raw`C:\Windows\System32\svchost.exe`,
  String.raw`C:\Windows\System32\taskkill.exe`,
  String.raw`C:\Windows\System32\vmcompute.exe`,
]
const FOLDERS = ['k', 'Program Files\\docker', 'ProgramData\\docker', 'Users', 'Windows\\System32', 'Windows\\TEMP']

export async function fillWindowsDrive(files: Files, {cluster, os}: World): Promise<void> {
  for (const folder of FOLDERS) await files.makeDirectory(`C:\\${folder}`)
  for (const path of PROGRAMS) {
    const name = path.slice(path.lastIndexOf('\\') + 1, -'.exe'.length)
    await files.write(path, makeStandIn({name, version: `10.0.${os.build}.${os.ubr}`}))
  }

  if (!(await files.status(String.raw`C:\k\kubeconfig`))) {
    await files.write(String.raw`C:\k\kubeconfig`, makeKubeconfig(cluster.serverURL))
  }
}
