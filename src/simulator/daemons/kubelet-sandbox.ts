// What keeps the pods of a Ready node from starting: each problem is a line the kubelet writes when the first pod lands.
import {networkNamed} from '../windows/hns-objects.js'
import {windowsPath} from '../windows/names.js'
import type {DaemonProcess} from './daemon.js'
import type {CniNetwork} from './kubelet-cni.js'
import {firstMissing} from './kubelet-cni.js'

/** k8s.gcr.io/pause in the version of kubelet 1.21 (facts d.7). */
const DEFAULT_PAUSE_IMAGE = 'k8s.gcr.io/pause:3.4.1'

export async function sandboxProblems(
  {stage}: DaemonProcess,
  settings: {binDirs: readonly string[]; network: CniNetwork; pauseImage: string | undefined; resolvConf: string},
): Promise<string[]> {
  const problems: string[] = []
  // kubernetes#103110: up to 1.22 every sandbox fails where the file is missing and the flag does not switch it off.
  if (settings.resolvConf !== '' && !(await stage.files.status(windowsPath(settings.resolvConf)))) {
    problems.push(`open ${settings.resolvConf}: The system cannot find the path specified.`)
  }

  const image = settings.pauseImage || DEFAULT_PAUSE_IMAGE
  const pause = stage.world.docker.images.find(({tags}) => tags.includes(image) || tags.includes(`${image}:latest`))
  if (!pause)
    problems.push(
      `unable to pull sandbox image "${image}": Error response from daemon: pull access denied for ${image}`,
    )
  else if (!pause.osVersion.startsWith(`10.0.${stage.world.os.build}`)) {
    problems.push(
      `failed to start sandbox container for pod: hcsshim::CreateComputeSystem: The container operating system does not match the host operating system. (image ${image}, ${pause.osVersion})`,
    )
  }

  if (settings.network.error === undefined) {
    const missing = await firstMissing(stage, settings.network.delegates, settings.binDirs)
    if (missing !== undefined)
      problems.push(
        `networkPlugin cni failed to set up pod network: failed to find plugin "${missing}" in path [${settings.binDirs.join(' ')}]`,
      )
    // win-overlay looks the network up by the name in the configuration (plugins/main/windows/win-overlay, cmdAdd).
    else if (!networkNamed(stage.world, settings.network.name)) {
      problems.push(
        `networkPlugin cni failed to set up pod network: error while hns.GetHNSNetworkByName(${settings.network.name}): Network ${settings.network.name} not found`,
      )
    }
  }

  return problems
}
