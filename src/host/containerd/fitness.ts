// Whether a containerd that was on the host before fits a node: everything that does not, at once, each with what to change.
import {win32} from 'node:path'
import type {ContainerdPlace} from '../../config/model.js'
import {isBelow} from '../../config/version.js'
import {containerdUnfit} from '../../errors/host.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {pasted} from '../../errors/define.js'
import type {Files} from '../../machine/files.js'
import type {Services} from '../services/services.js'
import {isMisfit, type Misfit, OLDEST_CONTAINERD, type PresentContainerd} from './present.js'

/** The service of RKE2, whose containerd is its child (rancher/rke2, pkg/cli/cmds/agent_service_windows.go). */
const RKE2 = 'rke2'
const PIPE = /^\\\\\.\\pipe\\[^\\]{1,200}$/

interface FitnessCalls {
  readonly files: Pick<Files, 'status'>
  readonly services: Pick<Services, 'startType' | 'status' | 'workingFolder'>
}

/** RKE2 starts and updates its own kubelet and containerd, and removes what another tool changes of them. */
export async function rke2Misfit({
  services,
}: {
  readonly services: Pick<Services, 'status'>
}): Promise<Misfit | undefined> {
  if (!(await services.status(RKE2))) return undefined
  return {
    fix: 'Use another host, or remove RKE2 from this one (its rke2-uninstall.ps1).',
    what: `this host is a node of RKE2: the service ${RKE2} runs a kubelet and a containerd of its own`,
  }
}

/** What setup itself repairs: the configuration and the start type with --adopt, and a restart that a killed run has begun. */
interface Repairs {
  readonly adopts: boolean
  readonly restarts: boolean
}

/** `found`: as it is now. */
export async function misfitsOf(
  {files, services}: FitnessCalls,
  found: Misfit | PresentContainerd,
  {adopts, restarts}: Repairs,
): Promise<Misfit[]> {
  if (isMisfit(found)) return [found]
  const {binKey, disabledIn, isCriAbsent, isCriDisabled, place, version} = found
  const misfits: Misfit[] = []
  if (isBelow(version, 1, 6)) {
    const what = `containerd ${version.text} has no version 1 of the container runtime interface, which the kubelet requires`
    misfits.push({fix: `Install containerd ${OLDEST_CONTAINERD} or newer in its place.`, what})
  }

  if (isCriAbsent) {
    const fix = `Replace ${place.program} by the one of the same version that the containerd project releases, and restart the service.`
    misfits.push({fix, what: `containerd ${version.text} was built without the CRI plugin, which the kubelet uses`})
  }

  // An imported file would disable it again. In a dry run the main file is repaired already, and the dump still of before.
  const isRepairable = disabledIn.every((path) => path === place.config)
  if (isCriDisabled && !isCriAbsent && !(adopts && isRepairable)) {
    const offer = isRepairable ? ' Or pass --adopt: setup then does both, and reset restores the file.' : ''
    misfits.push({
      fix: `In ${disabledIn.join(' and in ') || place.config}, remove "cri" and "io.containerd.grpc.v1.cri" from the line that begins with disabled_plugins, so that it is: disabled_plugins = []. ${restart(place)}${offer}`,
      what: 'its CRI plugin, which the kubelet uses, is disabled',
    })
  }

  if (!PIPE.test(place.pipe)) {
    misfits.push({
      fix: String.raw`In ${place.config}, set these lines: [grpc] address = '\\.\pipe\containerd-containerd' (in a file of version 4: [plugins.'io.containerd.server.v1.grpc'] address = …). ${restart(place)}`,
      what: `it does not listen on a pipe of this host, but on ${JSON.stringify(place.pipe)}`,
    })
  }

  for (const [key, path] of Object.entries({[binKey]: place.cniBinaries, conf_dir: place.cniConfigFolder})) {
    if (isCriDisabled || /^[a-z]:\\[^\\]/i.test(path)) continue
    const example = `'C:\\Program Files\\containerd\\cni\\${key.replace(/_.*/, '')}'`
    misfits.push({
      fix: `In ${place.config}, set ${key} of the table cni of the CRI plugin to a folder with its drive, e.g. ${key} = ${key === 'bin_dirs' ? `[${example}]` : example}. ${restart(place)}`,
      what: `its ${key} for CNI is not the full path of a folder: ${JSON.stringify(path)}`,
    })
  }

  if (!(await files.status(place.ctr))) {
    const fix = `Copy ctr.exe of containerd ${version.text} to ${win32.dirname(place.ctr)}: it is in the same archive.`
    misfits.push({fix, what: `${place.ctr} does not exist, and k8s-win tags and tests images with it`})
  }

  return [...misfits, ...(await serviceMisfits(services, place, {adopts, restarts}))]
}

async function serviceMisfits(
  services: FitnessCalls['services'],
  {service}: ContainerdPlace,
  {adopts, restarts}: Repairs,
): Promise<Misfit[]> {
  const [startType, status] = await Promise.all([services.startType(service), services.status(service)])
  const folder = (await services.workingFolder(service)) ?? ''
  return [
    // The flannel plugin and host-local use /run/flannel and /var/lib/cni on the drive of their working folder
    // (flannel-io/cni-plugin, flannel.go), and flanneld writes to drive C:.
    ...(/^[abd-z]:/i.test(folder)
      ? [
          {
            fix: `Run: nssm set ${pasted(service)} AppDirectory C:\\Windows\\System32. Then restart it, which ends its pods: net stop ${pasted(service)}; net start ${pasted(service)}.`,
            what: `nssm runs it in ${folder}, and CNI plugins use files on the drive of that folder instead of drive C:`,
          },
        ]
      : []),
    ...(startType === 'automatic' || (adopts && startType === 'demand')
      ? []
      : [
          {
            fix: `Run: sc.exe config ${pasted(service)} start= auto.${startType === 'demand' ? ' Or pass --adopt: setup then sets it, and reset restores it.' : ''}`,
            what: `its service is not started with Windows (${startType ?? 'unknown'})`,
          },
        ]),
    ...(restarts || status?.state === 'running'
      ? []
      : [
          {
            fix: `Run: net start ${pasted(service)}.`,
            what: `its service is not running (${status?.state ?? 'absent'})`,
          },
        ]),
  ]
}

/** One error for all of them. */
export const unfit = (misfits: readonly Misfit[]): K8sWinError =>
  containerdUnfit({
    changes: numbered(misfits.map(({fix}) => fix)),
    reasons: numbered(misfits.map(({what}) => `${what.charAt(0).toUpperCase()}${what.slice(1)}.`)),
  })

const numbered = (texts: readonly string[]): string =>
  texts.length === 1 ? String(texts[0]) : texts.map((text, index) => `(${index + 1}) ${text}`).join(' ')

const restart = ({service}: ContainerdPlace): string =>
  `Then restart it, which ends its pods: net stop ${pasted(service)}; net start ${pasted(service)}.`

/** What differs between the containerd that was checked and the one that is there now, in words. */
export function changesOf(checked: ContainerdPlace, now: ContainerdPlace): string[] {
  const names = {
    cniBinaries: 'its folder of CNI plugins',
    cniConfigFolder: 'its folder of CNI configurations',
    config: 'its configuration file',
    data: 'its root',
    pipe: 'its pipe',
    program: 'its program',
    sandboxImage: 'its sandbox image',
  } as const
  return (Object.keys(names) as (keyof typeof names)[])
    .filter((key) => checked[key]?.toLowerCase() !== now[key]?.toLowerCase())
    .map((key) => `${names[key]} was ${String(checked[key])} and is ${String(now[key])}`)
}
