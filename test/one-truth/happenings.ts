// What happens to hosts in the scenarios. No tests' tools in here: on the lab's Windows this runs in node.exe.
import type {Happening, HappeningName} from './scenario.js'

export const HAPPENINGS: Readonly<Record<HappeningName, Happening>> = {
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
