// What the twin of a host must know of the node on it: the versions of its programs, and its services.
import {FLANNELD, KUBE_PROXY, KUBELET, type SetupConfig} from '../config/model.js'
import type {TwinOptions} from '../simulator/twin/twin.js'

export function nodeOnTwin({release, versions}: SetupConfig): Pick<TwinOptions, 'programs' | 'services'> {
  const {cni, flannel, flannelCNI} = versions
  return {
    programs: {
      flannel: `v${flannelCNI.text}`,
      flanneld: `v${flannel.text}`,
      'host-local': `v${cni.text}`,
      'kube-proxy': `v${release.text}`,
      kubelet: `v${release.text}`,
      shawl: 'v1.3.0',
      'win-overlay': `v${cni.text}`,
    },
    services: ['hns', 'docker', KUBELET, FLANNELD, KUBE_PROXY],
  }
}
