// What "k8s-win run" runs: the program, the arguments and the environment of a daemon's service, as setup registers it.
import {containerdService, containerdSettings} from '../../components/containerd.js'
import {flanneldService} from '../../components/flanneld.js'
import {flagName, flagsIn, type ForegroundCommand, foregroundOf, OF_SERVICE} from '../../components/foreground.js'
import {kubeProxyService} from '../../components/kube-proxy.js'
import {kubeletService} from '../../components/kubelet.js'
import {DAEMON, type DaemonService} from '../../config/daemons.js'
import {flagProblems} from '../../config/settings/flag-problems.js'
import {CONTAINERD, type Decided, NETWORK_NAME, type Node} from '../../config/model.js'
import {nearest} from '../../config/nearest.js'
import {serviceFlag} from '../../errors/daemons.js'
import {unknownSetting} from '../../errors/input.js'
import {type K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import {type Host, hostOptions, openHost} from '../../host/host.js'
import type {ServiceSpec} from '../../host/services/services.js'
import {readOnlyMachine, rememberingMachine} from '../../machine/intercept.js'
import type {Assets} from '../../machine/machine.js'
import {Facts} from '../../preflight/facts.js'
import {type NodeRequest, readKnownNode, whyNotSetUp} from '../known-node.js'
import {settleNode} from '../status/settle-node.js'
import {demandFinished} from '../status/unfinished-run.js'
import {demandManaged} from './daemon-names.js'

/** Throws for flags that the program does not know, and for those that only a service can have. */
export async function foregroundCommand(
  {config, host}: {readonly config: Node; readonly host: Host},
  name: DaemonService,
  extra: readonly string[],
): Promise<ForegroundCommand> {
  demandManaged(config, [name])
  demandKnownFlags(config, name, extra)
  const vip = name === 'kubeproxy' ? await host.ipam.find(NETWORK_NAME) : undefined
  const specs: Readonly<Record<DaemonService, () => ServiceSpec>> = {
    containerd: () => containerdService(containerdSettings(config), config.proxy),
    flanneld: () => flanneldService(config),
    kubelet: () => kubeletService(config),
    kubeproxy: () => kubeProxyService(config, vip ?? ''),
  }
  const spec = specs[name]()
  return foregroundOf({...spec, environment: await host.services.environment(spec)}, DAEMON[name], extra)
}

/** cmd/containerd/command/main.go, App: those of the daemon. The others of Windows are about its own service. */
const CONTAINERD_FLAGS = ['address', 'config', 'log-level', 'root', 'state']
export const WHERE = 'k8s-win run'

function demandKnownFlags({release, versions}: Decided, name: DaemonService, extra: readonly string[]): void {
  const given = flagsIn(extra).map(([word = '', ...value]) => {
    const [, assigned] = /=(.*)$/s.exec(word) ?? []
    return [flagName(word), assigned ?? (value.length > 0 ? value.join(' ') : 'true')] as const
  })
  const {program} = DAEMON[name]
  const ofService = given
    .filter(([flag]) => OF_SERVICE.includes(flag))
    .map(([flag]) => serviceFlag({flag: `--${flag}`}))
  const args = Object.fromEntries(given.filter(([flag]) => !OF_SERVICE.includes(flag)))
  const unknown =
    program === 'containerd'
      ? Object.keys(args)
          .filter((flag) => !CONTAINERD_FLAGS.includes(flag))
          .map((flag) => unknownFlag(flag))
      : flagProblems(program, args, program === 'flanneld' ? versions.flannel : release, () => WHERE)
  if (ofService.length + unknown.length > 0) throw new ProblemsError([...ofService, ...unknown])
}

function unknownFlag(flag: string): K8sWinError {
  const suggestion = nearest(flag, CONTAINERD_FLAGS) ?? ''
  const reason = `It has: ${CONTAINERD_FLAGS.map((one) => `--${one}`).join(', ')}.`
  return unknownSetting({given: flag, kind: 'flag', owner: CONTAINERD, reason, suggestion, where: WHERE})
}

/** Reads only: of "k8s-win run --print". */
export async function printedCommand(
  request: NodeRequest & {readonly assets: Assets},
  name: DaemonService,
  extra: readonly string[],
): Promise<ForegroundCommand> {
  const machine = rememberingMachine(readOnlyMachine(request.machine))
  const known = await readKnownNode({...request, machine})
  const {config, distrust, journal, problem, state} = known
  if (distrust) throw distrust
  await demandFinished(machine, known)
  if (problem) throw problem
  if (state !== 'set-up') throw await whyNotSetUp({machine}, known)
  const host = openHost(machine, hostOptions(request.assets, config))
  const settled = await settleNode(new Facts(config, host, journal, {reviews: 'none'}))
  return foregroundCommand({config: settled.config, host}, name, extra)
}
