// kube-proxy as a Windows service, judged by its own health address: it stays Running without its network, for ever.
import {KUBE_PROXY, KUBE_PROXY_HEALTH, kubeProxyLogs, kubeProxyService} from '../components/kube-proxy.js'
import {formerOf} from '../components/predecessors.js'
import {NETWORK_NAME} from '../config/model.js'
import {removeFiles} from '../pipeline/desired-file.js'
import {applyService, type DesiredService, inspectService, removeService} from '../pipeline/desired-service.js'
import {restService} from '../pipeline/service-attempt.js'
import {missing, type Step, type StepContext} from '../pipeline/step.js'

const ID = 'kubeproxy-service'

export const kubeproxyService: Step = {
  async apply(context) {
    await applyService(context, ID, wanted(context, (await context.host.ipam.find(NETWORK_NAME)) ?? ''))
  },
  deadlineMs: 5 * 60_000,
  id: ID,
  async inspect(context) {
    const vip = await context.host.ipam.find(NETWORK_NAME)
    return vip === undefined
      ? missing('no address is reserved for kube-proxy')
      : inspectService(context, wanted(context, vip))
  },
  needs: ['source-vip', 'kubernetes-binaries', 'flanneld-service'],
  async remove(context) {
    await removeService(context, ID)
    await removeFiles(context, ID)
  },
  stop: (context) => restService(context, KUBE_PROXY),
  title: 'Run kube-proxy',
}

const wanted = ({config}: StepContext, vip: string): DesiredService => ({
  former: formerOf(config.baseDir, KUBE_PROXY),
  health: KUBE_PROXY_HEALTH,
  logs: kubeProxyLogs(config),
  spec: kubeProxyService(config, vip),
})
