// flanneld's command line, environment and files of docs/facts.md#a-node-with-the-defaults, letter by letter.
import {describe, expect, it} from 'vitest'

import {cniConfiguration} from '../../src/components/cni.js'
import {kubeProxyService} from '../../src/components/kube-proxy.js'
import {kubeletService} from '../../src/components/kubelet.js'
import {externalNetwork, flanneldService, needsExternalNetwork, netConf} from '../../src/components/flanneld.js'
import {NET_CONF} from '../../src/config/layout.js'
import type {Node} from '../../src/config/model.js'
import {joinCommandLine} from '../../src/host/command-line.js'
import {exampleNode} from './example.js'

describe('the service', () => {
  it('is the documented one', () => {
    const spec = flanneldService(exampleNode())
    expect(joinCommandLine(spec.command)).toBe(
      String.raw`"C:\k\shawl.exe" run --name flanneld --log-dir C:\k\logs\flanneld --restart --stop-timeout 4000 -- C:\k\flanneld.exe --kubeconfig-file=C:\k\kubeconfig --iface=10.0.0.5 --kube-subnet-mgr --iptables-forward-rules=false`,
    )
    expect(spec.name).toBe('flanneld')
  })

  it('has the name of its node', () => {
    expect(flanneldService(exampleNode()).environment.NODE_NAME).toBe('win-1')
  })

  it('has the proxy of the machine, as the kubelet and kube-proxy have, but never a password', () => {
    const open = {HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: '10.0.0.0/8'}
    const services = (proxy: Node['proxy']) => {
      const node = exampleNode({}, {proxy})
      return [flanneldService(node), kubeletService(node), kubeProxyService(node, '10.244.3.2')]
    }
    for (const {environment} of services(open)) expect(environment).toMatchObject(open)
    expect(JSON.stringify(services({HTTPS_PROXY: 'http://user:secret@proxy:3128'}))).not.toContain('secret')
  })

  it('has its own identity where it was given one', () => {
    const {command} = flanneldService(exampleNode({'flanneld-kubeconfig': String.raw`D:\flannel.conf`}))
    expect(command).toContain(String.raw`--kubeconfig-file=C:\k\flanneld.kubeconfig`)
  })

  it('quotes what has spaces, on both sides of the "--"', () => {
    const line = joinCommandLine(flanneldService(exampleNode({'base-dir': String.raw`C:\my node`})).command)
    expect(line).toContain(String.raw`"C:\my node\shawl.exe" run `)
    expect(line).toContain(String.raw` --log-dir "C:\my node\logs\flanneld" `)
    expect(line).toContain(String.raw` -- "C:\my node\flanneld.exe" "--kubeconfig-file=C:\my node\kubeconfig" --iface`)
  })

  it.each([
    ['its configuration', {'cluster-cidr': '10.200.0.0/16'}],
    ['its version', {'flannel-version': '0.28.8'}],
  ])('has another mark, and so starts anew, where %s is another', (_, given) => {
    const mark = (options: object) => flanneldService(exampleNode(options)).environment.K8S_WIN_CONFIGURATION
    expect(mark(given)).not.toBe(mark({}))
  })
})

describe('net-conf.json', () => {
  it('is the documented one, where flanneld reads it', () => {
    expect(netConf(exampleNode())).toBe(
      '{"Network":"10.244.0.0/16","Backend":{"Name":"vxlan0","Type":"vxlan","VNI":4096,"Port":4789}}\n',
    )
    expect(NET_CONF).toBe(String.raw`C:\etc\kube-flannel\net-conf.json`)
  })
})

describe('cni.conf', () => {
  it('is the documented one', () => {
    expect(cniConfiguration(exampleNode())).toBe(`{
  "cniVersion": "0.3.0",
  "name": "vxlan0",
  "type": "flannel",
  "capabilities": {
    "dns": true
  },
  "delegate": {
    "type": "win-overlay",
    "policies": [
      {
        "name": "EndpointPolicy",
        "value": {
          "Type": "OutBoundNAT",
          "ExceptionList": [
            "10.244.0.0/16",
            "10.10.0.0/16"
          ]
        }
      },
      {
        "name": "EndpointPolicy",
        "value": {
          "Type": "ROUTE",
          "DestinationPrefix": "10.10.0.0/16",
          "NeedEncap": true
        }
      }
    ]
  }
}
`)
  })

  it('has the CIDRs that were given', () => {
    const text = cniConfiguration(exampleNode({'cluster-cidr': '172.16.0.0/16', 'service-cidr': '172.20.0.0/16'}))
    expect(text.match(/172\.16\.0\.0\/16/g)).toHaveLength(1)
    expect(text.match(/172\.20\.0\.0\/16/g)).toHaveLength(2)
    expect(text).not.toContain('"10.')
  })
})

describe('the External network', () => {
  it.each([
    ['0.10.0', true],
    ['0.11.0', true],
    ['0.12.0', false],
    ['0.13.0', false],
    ['0.28.9', false],
    ['1.0.0', false],
  ])('for flannel %s: %s', (version, expected) => {
    expect(needsExternalNetwork(exampleNode({'flannel-version': version}))).toBe(expected)
  })

  it('is the one of the original', () => {
    expect(JSON.parse(JSON.stringify(externalNetwork(exampleNode({}, {adapterName: 'Ethernet 2'}))))).toEqual({
      Name: 'External',
      NetworkAdapterName: 'Ethernet 2',
      Subnets: [
        {AddressPrefix: '192.168.255.0/30', GatewayAddress: '192.168.255.1', Policies: [{Type: 'VSID', VSID: 9999}]},
      ],
      Type: 'overlay',
    })
  })
})
