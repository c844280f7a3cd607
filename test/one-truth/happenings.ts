// What happens to hosts in the scenarios. No tests' tools in here: on the lab's Windows this runs in node.exe.
import {CONTAINERD_SERVICE} from '../fixtures/containerd-service.js'
import {waitFor} from '../../src/host/wait.js'
import type {Happening, HappeningName} from './scenario.js'

const PROGRAM_FILES = String.raw`C:\Program Files`
const CONTAINERD = `${PROGRAM_FILES}\\containerd`
const PIPE = String.raw`\\.\pipe\containerd-containerd`
/** As of C:\Program Files: users may read and run. */
const CLOSED = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)'

/** Registered, and running. */
const containerdInstalled =
  (configuration?: string): Happening =>
  async ({clock, files, win32}, program) => {
    await files.makeDirectory(CONTAINERD)
    await win32.setSecurity(PROGRAM_FILES, CLOSED)
    for (const name of ['containerd', 'containerd-shim-runhcs-v1', 'ctr'])
      await files.write(`${CONTAINERD}\\${name}.exe`, await program({name, version: 'v2.1.4'}))
    if (configuration !== undefined) await files.write(`${CONTAINERD}\\config.toml`, configuration)
    await win32.createService('containerd', {
      ...CONTAINERD_SERVICE,
      imagePath: `"${CONTAINERD}\\containerd.exe" --run-service`,
      startType: 'automatic',
    })
    await win32.startService('containerd')
    const isServing = async (): Promise<true | undefined> => ((await win32.pipeServer(PIPE)) ? true : undefined)
    if (!(await waitFor(clock, {deadlineMs: 60_000, everyMs: 200}, isServing)))
      throw new Error('containerd does not serve.')
  }

export const HAPPENINGS: Readonly<Record<HappeningName, Happening>> = {
  /** Without a file, as its archive has none. */
  'containerd-installed': containerdInstalled(),
  /** As Docker's packages configure it (docker/containerd-packaging, common/containerd.conf). */
  'containerd-installed-without-cri': containerdInstalled('disabled_plugins = ["cri"]\n'),
  /** Somebody tried something and forgot it. */
  async 'services-drifted'({win32}) {
    const [kubelet, kubeproxy] = [
      await win32.queryServiceConfig('kubelet'),
      await win32.queryServiceConfig('kubeproxy'),
    ]
    if (!kubelet || !kubeproxy) throw new Error('There are no services to change.')
    await win32.changeService('kubelet', {...kubelet, imagePath: `${kubelet.imagePath} --v=9`})
    await win32.changeService('kubeproxy', {...kubeproxy, startType: 'demand'})
    const key = String.raw`SYSTEM\CurrentControlSet\Services\flanneld`
    const value = {data: ['NODE_NAME=somebody-else'], type: 'REG_MULTI_SZ'} as const
    await win32.setRegistryValue('HKLM', key, 'Environment', value)
  },
}
