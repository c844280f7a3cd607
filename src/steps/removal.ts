// What a node is taken apart into, in order: its networks first, while their daemons are at rest, then the steps from the
// last to the first.
import type {Removal} from '../pipeline/run/run-removals.js'
import type {StepId} from '../pipeline/run/step.js'
import {baseDir} from './base-dir.js'
import {baseImagesStep} from './base-images.js'
import {cniBinaries, containerdBinaries, flannelBinary, kubernetesBinaries} from './binaries.js'
import {cniConfig} from './cni-config.js'
import {containerdConfig} from './containerd-config.js'
import {containerdServiceStep} from './containerd-service.js'
import {externalNetworkStep} from './external-network.js'
import {firewallRules} from './firewall-rules.js'
import {flanneldServiceStep} from './flanneld-service.js'
import {kubeletConfig} from './kubelet-config.js'
import {kubeletServiceStep} from './kubelet-service.js'
import {kubeproxyService} from './kubeproxy-service.js'
import {machineEnvironment} from './machine-environment.js'
import {netConfStep} from './net-conf.js'
import {nodeRegistered} from './node-registered.js'
import {overlayNetwork} from './overlay-network.js'
import {pauseImage} from './pause-image.js'
import {sandboxImage} from './sandbox-image.js'
import {sourceVip} from './source-vip.js'

export const REMOVALS: readonly Removal[] = [
  {step: nodeRegistered, title: 'Remove the node from the cluster'}, // while there is a network
  {step: overlayNetwork, title: 'Remove the overlay network'}, // cuts the host off for seconds
  {step: externalNetworkStep, title: 'Remove the external network'}, // the last on the switch
  {step: cniConfig, title: 'Remove the CNI configuration'},
  {step: kubeproxyService, title: 'Remove the service kubeproxy'},
  {step: sourceVip, title: 'Release kube-proxy source VIP'}, // by a program that goes below
  {step: flanneldServiceStep, title: 'Remove the service flanneld'},
  {step: kubeletServiceStep, title: 'Remove the service kubelet'},
  {step: firewallRules, title: 'Remove the firewall rules'},
  {step: kubeletConfig, title: 'Remove the kubelet configuration'},
  {step: netConfStep, title: 'Remove net-conf.json'},
  {step: machineEnvironment, title: 'Restore PATH and KUBECONFIG'},
  {step: flannelBinary, title: 'Remove flanneld'},
  {step: cniBinaries, title: 'Remove the CNI plugins'},
  {step: kubernetesBinaries, title: 'Remove Kubernetes binaries'},
  {step: sandboxImage, title: 'Remove the sandbox image'},
  {step: pauseImage, title: 'Remove the pause image'},
  {step: baseImagesStep, title: 'Restore the tags of the base images'},
  {step: containerdServiceStep, title: 'Remove the service containerd'},
  {step: containerdConfig, title: 'Remove the containerd configuration'},
  {step: containerdBinaries, title: 'Remove containerd'},
  {step: baseDir, title: 'Restore the base directory'}, // last: the kubeconfig is in it
]

/** Of a containerd that was on the host before nothing is removed, and what --adopt has changed of it is restored. */
export const presentTitles = (isAdopted: boolean): Readonly<Partial<Record<StepId, string>>> => ({
  'containerd-binaries': 'Remove crictl',
  'containerd-config': isAdopted ? 'Restore the containerd configuration' : 'Remove crictl.yaml',
  'containerd-service': 'Keep the containerd of this host',
})
