// What keeps the pods of a Ready node from starting: each problem is a line the kubelet writes when the first pod lands.
import {fitsHost} from '../docker/containers.js'
import {networkNamed} from '../windows/hns-objects.js'
import {windowsPath} from '../windows/names.js'
import type {DaemonProcess} from './daemon.js'
import type {CniNetwork} from './kubelet-cni.js'
import {firstMissing} from './kubelet-cni.js'

/** cmd/kubelet/app/options/container_runtime.go of each minor: the image it takes by itself (facts d.7). */
const DEFAULT_PAUSE_TAGS: Readonly<Record<number, string>> = {21: '3.4.1', 22: '3.5'}
const defaultPauseImage = (minor: number): string => `k8s.gcr.io/pause:${DEFAULT_PAUSE_TAGS[minor] ?? '3.6'}`

export async function sandboxProblems(
  {stage, version}: DaemonProcess,
  settings: {binDirs: readonly string[]; network: CniNetwork; pauseImage: string | undefined; resolvConf: string},
): Promise<string[]> {
  const problems: string[] = []
  // kubernetes#103110: up to 1.22 every sandbox fails where the file is missing and the flag does not switch it off.
  if (settings.resolvConf !== '' && !(await stage.files.status(windowsPath(settings.resolvConf)))) {
    problems.push(`open ${settings.resolvConf}: The system cannot find the path specified.`)
  }

  const image = settings.pauseImage || defaultPauseImage(version.minor)
  const pause = stage.world.docker.images.find(({tags}) => tags.includes(image) || tags.includes(`${image}:latest`))
  if (!pause)
    problems.push(
      `unable to pull sandbox image "${image}": Error response from daemon: pull access denied for ${image}`,
    )
  else if (!fitsHost(pause.osVersion, stage.world.os.build)) {
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
