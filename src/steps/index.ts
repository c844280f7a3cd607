// The steps of a node, in order. Every command works with this list.
import {asksFlanneld} from '../config/settings/daemon-settings.js'
import type {Decided} from '../config/model.js'
import {isInPlan, type Step, type StepId} from '../pipeline/run/step.js'
import {baseDir} from './base-dir.js'
import {baseImagesStep} from './base-images.js'
import {cniBinaries, containerdBinaries, flannelBinary, kubernetesBinaries} from './binaries.js'
import {cniConfig} from './cni-config.js'
import {containerdConfig} from './containerd-config.js'
import {containerdServiceStep} from './services/containerd-service.js'
import {docker} from './docker.js'
import {drainNodeStep} from './drain-node.js'
import {externalNetworkStep} from './external-network.js'
import {fetchBinaries} from './fetch-binaries.js'
import {firewallRules} from './firewall-rules.js'
import {flanneldServiceStep} from './services/flanneld-service.js'
import {kubeletConfig} from './kubelet-config.js'
import {kubeletServiceStep} from './services/kubelet-service.js'
import {kubeproxyService} from './services/kubeproxy-service.js'
import {machineEnvironment} from './machine-environment.js'
import {netConfStep} from './net-conf.js'
import {nodeCertificate} from './node-certificate.js'
import {nodeReady} from './node-ready.js'
import {nodeRegistered} from './node-registered.js'
import {overlayNetwork} from './overlay-network.js'
import {pauseImage} from './pause-image.js'
import {sandboxImage} from './sandbox-image.js'
import {sourceVip} from './source-vip.js'
import {uncordonNode} from './uncordon-node.js'
import {watchServiceStep} from './services/watch-service.js'
import {windowsFeatures} from './windows-features.js'

export const STEPS: readonly Step[] = [
  baseDir, // first: everything else is in it, and it must be restricted before
  windowsFeatures, // with --enable-features only: a restart follows, so nothing is downloaded before
  fetchBinaries, // of an upgrade only: as much as possible while the node works
  drainNodeStep, // and the last step before anything is stopped
  docker, // the user's; only checked
  containerdBinaries, // in place of Docker from 1.24 on
  containerdConfig, // before it starts
  containerdServiceStep, // before anything is pulled
  baseImagesStep, // the largest downloads; beside the programs
  pauseImage, // on nanoserver, so after it
  sandboxImage, // its counterpart for containerd
  kubernetesBinaries, // kubelet, kube-proxy, kubectl
  cniBinaries, // win-overlay, host-local, flannel
  flannelBinary, // flanneld and the program that runs it as a service
  machineEnvironment, // PATH and KUBECONFIG, for users
  netConfStep, // where flanneld reads it, before it starts
  kubeletConfig, // safe defaults, before the kubelet starts
  firewallRules, // before anything listens
  kubeletServiceStep, // registers the node
  nodeCertificate, // of a node that joins with a token: its identity, for all three daemons
  nodeRegistered, // and gets its pod network
  externalNetworkStep, // flannel below 0.12 only
  flanneldServiceStep, // interrupts the network for seconds: everything that needs it is above
  overlayNetwork, // created by flanneld; the host's own network is back
  sourceVip, // an address of the overlay, for kube-proxy
  kubeproxyService, // needs the network and the address
  cniConfig, // last: from now on pods can be scheduled here
  nodeReady, // as the cluster reports it
  uncordonNode, // of an upgrade only: when everything else is proven
  watchServiceStep, // there is nothing to watch before
]

/** Nothing starts again what a reset stops. While their daemons are at rest: the node while there is a network, and the last network on the switch after the other. */
const REMOVED_FIRST: readonly StepId[] = ['watch-service', 'node-registered', 'overlay-network', 'external-network']

/** What reset removes, in order: those, and then the steps from the last to the first. */
export const REMOVALS: readonly Step[] = [
  ...REMOVED_FIRST.flatMap((id) => STEPS.filter((step) => step.id === id)),
  ...STEPS.filter(({id, removal}) => removal !== undefined && !REMOVED_FIRST.includes(id)).reverse(),
]

/**
 * All later steps wait for these: nothing but the base directory is touched before the Windows features are there, and, in
 * an upgrade, before the node is drained; nor before flanneld is asked whether it has the user's flags.
 */
const GATES: readonly StepId[] = ['windows-features', 'drain-node']

export function stepsFor(config: Decided): Step[] {
  const asked = asksFlanneld(config) && !config.upgrade ? [flannelBinary] : []
  const begin = [baseDir, windowsFeatures, ...asked]
  const steps = [...begin, ...STEPS.filter((step) => !begin.includes(step))].filter((step) => isInPlan(step, config))
  return steps.map((step, index) => {
    const gates = [...GATES, ...asked.map(({id}) => id)].filter((gate) =>
      steps.slice(0, index).some(({id}) => id === gate),
    )
    return gates.length > 0 ? {...step, needs: [...step.needs, ...gates]} : step
  })
}
