// kube-proxy's command line of docs/facts.md#a-node-with-the-defaults, letter by letter.
import {describe, expect, it} from 'vitest'

import {kubeProxyService} from '../../src/components/kube-proxy.js'
import {joinCommandLine} from '../../src/host/command-line.js'
import {exampleNode, releaseNode} from './example.js'

const VIP = '10.244.3.2'
const imagePath = (gates: string): string =>
  String.raw`"C:\k\kubernetes\node\bin\kube-proxy.exe" --windows-service --proxy-mode=kernelspace --kubeconfig=C:\k\kubeconfig --hostname-override=win-1 --bind-address=10.0.0.5 --network-name=vxlan0 --source-vip=10.244.3.2 --cluster-cidr=10.244.0.0/16 --feature-gates=` +
  gates +
  String.raw` --log-dir=C:\k\logs\kubeproxy --logtostderr=false --v=2`

describe('the service', () => {
  it.each([
    ['1.21.5', 'WinOverlay=true,IPv6DualStack=false'],
    ['1.22.17', 'WinOverlay=true,IPv6DualStack=false'],
    // IPv6DualStack is locked there: naming it is fatal.
    ['1.23.17', 'WinOverlay=true'],
  ])('is the documented one for %s', (release, gates) => {
    const spec = kubeProxyService(exampleNode({release}), VIP)
    expect(joinCommandLine(spec.command)).toBe(imagePath(gates))
    expect(spec.name).toBe('kubeproxy')
  })

  it.each([
    [
      '1.24.17',
      String.raw`"C:\k\kubernetes\node\bin\kube-proxy.exe"`,
      String.raw` --feature-gates=WinOverlay=true --log-dir=C:\k\logs\kubeproxy --logtostderr=false`,
    ],
    [
      '1.26.15',
      String.raw`"C:\k\kubernetes\node\bin\kube-log-runner.exe" -log-file=C:\k\logs\kubeproxy\kube-proxy.log C:\k\kubernetes\node\bin\kube-proxy.exe`,
      ' --feature-gates=WinOverlay=true',
    ],
    [
      '1.36.4',
      String.raw`"C:\k\kubernetes\node\bin\kube-log-runner.exe" -log-file=C:\k\logs\kubeproxy\kube-proxy.log -log-file-size=50Mi -log-file-age=168h C:\k\kubernetes\node\bin\kube-proxy.exe`,
      '',
    ],
  ])('of %s stands behind kube-log-runner where it writes no log files itself', (release, program, end) => {
    const flags = String.raw` --windows-service --proxy-mode=kernelspace --kubeconfig=C:\k\kubeconfig --hostname-override=win-1 --bind-address=10.0.0.5 --network-name=vxlan0 --source-vip=10.244.3.2 --cluster-cidr=10.244.0.0/16`
    expect(joinCommandLine(kubeProxyService(releaseNode(release), VIP).command)).toBe(`${program}${flags}${end} --v=2`)
  })

  it('has its own identity where it was given one', () => {
    const {command} = kubeProxyService(exampleNode({'kube-proxy-kubeconfig': String.raw`D:\proxy.conf`}), VIP)
    expect(command).toContain(String.raw`--kubeconfig=C:\k\kube-proxy.kubeconfig`)
  })

  it('quotes what has spaces', () => {
    const line = joinCommandLine(kubeProxyService(exampleNode({'base-dir': String.raw`C:\my node`}), VIP).command)
    expect(line).toContain(String.raw`"C:\my node\kubernetes\node\bin\kube-proxy.exe" --windows-service`)
    expect(line).toContain(String.raw` "--kubeconfig=C:\my node\kubeconfig" `)
    expect(line).toContain(String.raw` "--log-dir=C:\my node\logs\kubeproxy" `)
  })

  it('has another mark where the release is another', () => {
    const mark = (release: string) => kubeProxyService(exampleNode({release}), VIP).environment
    expect(mark('1.21.5')).not.toEqual(mark('1.21.14'))
    expect(mark('1.21.5')).toEqual(mark('v1.21.5'))
  })
})
