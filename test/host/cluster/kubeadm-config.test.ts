// The networks in kubeadm's ConfigMap: of the right shape, or none.
import {describe, expect, it} from 'vitest'
import {readKubeadmNetworking, readKubeletConfig, readKubeProxyGates} from '../../../src/host/cluster/kubeadm-config.js'

const NONE = {dnsDomain: '', podSubnet: '', serviceSubnet: ''}

describe('ClusterConfiguration', () => {
  it('is read as kubeadm writes it', () => {
    const text = [
      'apiServer:',
      '  extraArgs:',
      '  - name: authorization-mode',
      '    value: Node,RBAC',
      'apiVersion: kubeadm.k8s.io/v1beta4',
      'kind: ClusterConfiguration',
      'networking:',
      '  dnsDomain: cluster.local',
      '  podSubnet: 10.244.0.0/16,fd00:10:244::/56',
      '  serviceSubnet: 10.96.0.0/12',
      '',
    ].join('\n')
    expect(readKubeadmNetworking(text)).toEqual({
      dnsDomain: 'cluster.local',
      podSubnet: '10.244.0.0/16,fd00:10:244::/56',
      serviceSubnet: '10.96.0.0/12',
    })
  })

  it('review J9: is read where it is longer than 16 KiB, as the kubelet and kube-proxy configurations are', () => {
    const long = `apiServer:\n${'  # 0123456789abcdef\n'.repeat(2000)}apiVersion: kubeadm.k8s.io/v1beta4\n`
    const networking = 'networking:\n  dnsDomain: a.b\n  podSubnet: 10.244.0.0/16\n  serviceSubnet: 10.96.0.0/12\n'
    expect(readKubeadmNetworking(`${long}${networking}scheduler: {}\n`)).toEqual({
      dnsDomain: 'a.b',
      podSubnet: '10.244.0.0/16',
      serviceSubnet: '10.96.0.0/12',
    })
    const kubelet = 'clusterDNS:\n- 10.96.0.10\nclusterDomain: a.b\nfeatureGates:\n  X: true\n'
    expect(readKubeletConfig(`${long}${kubelet}`)).toEqual({
      clusterDNS: ['10.96.0.10'],
      clusterDomain: 'a.b',
      featureGates: ['X=true'],
    })
    expect(readKubeProxyGates(`${long}${kubelet}`)).toEqual(['X=true'])
  })

  it('may be JSON, and have aliases', () => {
    expect(readKubeadmNetworking('{"networking": {"dnsDomain": "a.b"}}')).toEqual({...NONE, dnsDomain: 'a.b'})
    expect(readKubeadmNetworking('x: &x {dnsDomain: a.b}\nnetworking: *x\n')).toEqual({...NONE, dnsDomain: 'a.b'})
  })

  it.each([
    ['nothing', ''],
    ['broken', 'networking: ['],
    ['a list', '- networking'],
    ['of other types', 'networking:\n  dnsDomain: 5\n  podSubnet: [a]\n  serviceSubnet: null\n'],
    ['without networking', 'kind: ClusterConfiguration\n'],
    ['nested without end', '['.repeat(10_000)],
    // The parser would take hours, in which no deadline and no Ctrl-C is heard.
    ['long', `networking: {dnsDomain: a.b, x: [${','.repeat(1_000_000)}]}`],
    ['of two documents', 'networking: {dnsDomain: a.b}\n---\nnetworking: {dnsDomain: c.d}\n'],
  ])('that is %s has none', (_, text) => {
    expect(readKubeadmNetworking(text)).toEqual(NONE)
  })
})
