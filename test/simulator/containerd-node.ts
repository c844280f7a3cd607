// A host with containerd as docs/facts.md describes it, on a stage in memory: a service under shawl, crictl and ctr.
import type {RunResult} from '../../src/machine/run.js'
import type {Win32} from '../../src/machine/win32.js'
import {runProgram} from '../../src/simulator/programs/index.js'
import {createWin32} from '../../src/simulator/windows/win32.js'
import {serviceConfig} from './node.js'
import type {TestStage} from './stage.js'
import {install, makeStage} from './stage.js'

const BIN = String.raw`C:\k\containerd\bin`
export const CONFIG = String.raw`C:\k\containerd\config.toml`
export const CRICTL_CONFIG = String.raw`C:\k\containerd\crictl.yaml`
export const ENDPOINT = 'npipe:////./pipe/containerd-containerd'

export const CONFIG_3 = String.raw`version = 3
root = 'C:\ProgramData\containerd\root'
state = 'C:\ProgramData\containerd\state'
[grpc]
  address = '\\.\pipe\containerd-containerd'
[plugins.'io.containerd.cri.v1.images']
  image_pull_progress_timeout = '30m'
  [plugins.'io.containerd.cri.v1.images'.pinned_images]
    sandbox = 'registry.k8s.io/pause:3.10.2'
  [plugins.'io.containerd.cri.v1.images'.registry]
    config_path = 'C:\k\containerd\certs.d'
[plugins.'io.containerd.cri.v1.runtime'.cni]
  bin_dirs = ['C:\k\cni']
  conf_dir = 'C:\k\cni\config'
`
export const CONFIG_2 = String.raw`version = 2
root = 'C:\ProgramData\containerd\root'
state = 'C:\ProgramData\containerd\state'
[grpc]
  address = '\\.\pipe\containerd-containerd'
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = 'registry.k8s.io/pause:3.10.2'
  image_pull_progress_timeout = '30m'
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = 'C:\k\containerd\certs.d'
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = 'C:\k\cni'
    conf_dir = 'C:\k\cni\config'
`

export interface ContainerdOptions {
  readonly config?: string
  readonly imagePath?: string
  readonly profile?: string
  readonly version?: string
}

export interface ContainerdNode {
  crictl(...args: string[]): Promise<RunResult>
  ctr(...args: string[]): Promise<RunResult>
  /** Of shawl, with what containerd printed. */
  log(): Promise<string>
  readonly stage: TestStage
  readonly win32: Win32
}

const DEFAULT_LINE = String.raw`"C:\k\shawl.exe" run --name containerd --log-dir C:\k\logs\containerd -- ${BIN}\containerd.exe --config ${CONFIG}`

/** Installed, and not started. */
export async function makeContainerdNode(options: ContainerdOptions = {}): Promise<ContainerdNode> {
  const {config = CONFIG_3, imagePath = DEFAULT_LINE, profile, version = 'v2.3.4'} = options
  const stage = await makeStage(profile)
  const win32 = createWin32(stage)
  for (const name of ['containerd', 'ctr']) await install(stage, `${BIN}\\${name}.exe`, name, version)
  await install(stage, `${BIN}\\crictl.exe`, 'crictl', 'v1.36.0')
  await install(stage, String.raw`C:\k\shawl.exe`, 'shawl', 'v1.3.0')
  await stage.files.write(CONFIG, config)
  await stage.files.write(CRICTL_CONFIG, `runtime-endpoint: ${ENDPOINT}\nimage-endpoint: ${ENDPOINT}\ntimeout: 30\n`)
  await win32.createService('containerd', serviceConfig(imagePath))
  const run = (program: string, args: readonly string[]): Promise<RunResult> =>
    runProgram(stage, `${BIN}\\${program}.exe`, args, {deadlineMs: 1_000_000, effect: 'change'})
  return {
    crictl: (...args) => run('crictl', ['--config', CRICTL_CONFIG, ...args]),
    ctr: (...args) => run('ctr', ['-n', 'k8s.io', ...args]),
    log: () => stage.text(String.raw`C:\k\logs\containerd\shawl_for_containerd_rCURRENT.log`),
    stage,
    win32,
  }
}

/** And serving. */
export async function startContainerd(options: ContainerdOptions = {}): Promise<ContainerdNode> {
  const node = await makeContainerdNode(options)
  await node.win32.startService('containerd')
  await node.stage.elapse(5000)
  return node
}
