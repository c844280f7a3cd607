// containerd: through crictl.exe for everything that the CRI can do, and ctr.exe for tags and the container that
// proves an image. Not through gRPC: no Node.js client has been shown to work on containerd's pipe, whose buffers have no
// size (dotnet/runtime#73097, grpc-node#2099).
import {ownContainerd} from '../../config/layout.js'
import type {ContainerdPlace} from '../../config/model.js'
import {containerdFailed} from '../../errors/downloads-and-images.js'
import {pipeTaken} from '../../errors/host.js'
import {K8sWinError} from '../../errors/k8s-win-error.js'
import type {Clock} from '../../machine/clock.js'
import type {Run} from '../../machine/run.js'
import {at, listAt, textAt} from '../document.js'
import {shortened} from '../../errors/shortened.js'
import type {Pipes} from '../pipe.js'
import type {ContainerRuntime} from '../runtime.js'
import {type Containers, openContainers} from './containers.js'
import {type Images, openImages} from './images.js'
import {demand, openPrograms} from './programs.js'

const PROGRAM_MS = 30_000

/** What containerd reports about itself. */
export interface ContainerdInfo {
  /** RuntimeReady and NetworkReady, each with what containerd says about it. */
  readonly conditions: readonly {readonly isMet: boolean; readonly message: string; readonly type: string}[]
}

export interface Containerd extends ContainerRuntime, Containers, Images {
  /** Two minutes are waited for an answer, unless `deadlineMs` is given. */
  info(deadlineMs?: number): Promise<ContainerdInfo>
  /** What its program says, also where it does not run: "2.3.4". Undefined where there is none, or none that says so. */
  programVersion(): Promise<string | undefined>
  version(deadlineMs?: number): ReturnType<ContainerRuntime['version']>
}

export function openContainerd(
  {clock, ...calls}: {clock: Clock; pipes: Pick<Pipes, 'demand'>; run: Run},
  baseDir: string,
  place: ContainerdPlace = ownContainerd(baseDir),
): Containerd {
  const programs = openPrograms(calls, baseDir, place)
  const {crictl, query} = programs
  return {
    ...openImages(programs, clock),
    ...openContainers(programs),
    async info(deadlineMs) {
      const answer = await query('report its state', ['info'], deadlineMs)
      return {
        conditions: listAt(answer, 'status', 'conditions').map((one) => ({
          isMet: at(one, 'status') === true,
          message: shortened(textAt(one, 'message')),
          type: textAt(one, 'type'),
        })),
      }
    },
    name: 'containerd',
    async programVersion() {
      const options = {deadlineMs: PROGRAM_MS, effect: 'read', operation: 'report the version of its program'} as const
      try {
        // cmd/containerd/command/main.go, VersionPrinter: name, module, version and revision.
        const {stdout} = await programs.containerd(['--version'], options)
        return /^containerd \S{1,200} v(\d\S{1,50}) /.exec(stdout)?.[1]
      } catch (error) {
        if (error instanceof K8sWinError) return undefined
        throw error
      }
    },
    async version(deadlineMs) {
      const operation = 'report its version'
      // The only command of these that has no JSON (cri-tools cmd/crictl/version.go).
      const options = {...(deadlineMs && {deadlineMs}), effect: 'read', operation} as const
      const {stdout} = demand(await crictl(['version'], options), operation)
      const value = (key: string): string => new RegExp(`^${key}: {1,8}(\\S{1,100})\\s*$`, 'm').exec(stdout)?.[1] ?? ''
      const name = value('RuntimeName')
      const version = value('RuntimeVersion')
      if (name !== '' && name !== 'containerd') throw pipeTaken({pipe: place.pipe, said: `it is ${name} ${version}`})
      if (version === '') throw containerdFailed({operation, said: shortened(stdout.trim(), 200) || 'nothing'})
      // On Windows it has runtimes for Windows containers only (internal/cri/config/config_windows.go).
      return {os: 'windows', version: version.replace(/^v/, '')}
    },
  }
}
