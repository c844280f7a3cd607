// The kubelet's command line of docs/facts.md#a-node-with-the-defaults, and its configuration file, letter by letter.
import {describe, expect, it} from 'vitest'
import {parse} from 'yaml'

import {kubeletConfiguration, kubeletService} from '../../src/components/kubelet.js'
import {DAEMON, logsOf} from '../../src/config/daemons.js'
import {joinCommandLine} from '../../src/host/command-line.js'
import {exampleNode, releaseNode} from './example.js'
import {golden} from './golden.js'

const IMAGE_PATH = String.raw`"C:\k\kubernetes\node\bin\kubelet.exe" --windows-service --config=C:\k\kubelet-config.yaml --kubeconfig=C:\k\kubeconfig --hostname-override=win-1 --node-ip=10.0.0.5 --pod-infra-container-image=kubeletwin/pause --network-plugin=cni --cni-bin-dir=C:\k\cni --cni-conf-dir=C:\k\cni\config --image-pull-progress-deadline=20m --cgroups-per-qos=false --enforce-node-allocatable= --resolv-conf= --log-dir=C:\k\logs\kubelet --logtostderr=false --v=2`

/** docs/facts.md#a-node-with-containerd. */
const RUNNER = String.raw`"C:\k\kubernetes\node\bin\kube-log-runner.exe" -log-file=C:\k\logs\kubelet\kubelet.log`
const BEGIN = String.raw` --windows-service --config=C:\k\kubelet-config.yaml --kubeconfig=C:\k\kubeconfig --cert-dir=C:\var\lib\kubelet\pki --hostname-override=win-1 --node-ip=10.0.0.5`
const ENDPOINT = ' --container-runtime-endpoint=npipe:////./pipe/containerd-containerd'
const CGROUPS = ' --cgroups-per-qos=false --enforce-node-allocatable='
const PRIORITY = ' --resolv-conf= --windows-priorityclass=ABOVE_NORMAL_PRIORITY_CLASS'

describe('the service', () => {
  it.each([
    [
      '1.24.17',
      String.raw`"C:\k\kubernetes\node\bin\kubelet.exe"${BEGIN}${ENDPOINT}${CGROUPS}${PRIORITY} --log-dir=C:\k\logs\kubelet --logtostderr=false --v=2`,
    ],
    [
      '1.26.15',
      String.raw`${RUNNER} C:\k\kubernetes\node\bin\kubelet.exe${BEGIN}${ENDPOINT}${CGROUPS}${PRIORITY} --v=2`,
    ],
    ['1.27.16', String.raw`${RUNNER} C:\k\kubernetes\node\bin\kubelet.exe${BEGIN}${CGROUPS}${PRIORITY} --v=2`],
    ['1.31.14', String.raw`${RUNNER} C:\k\kubernetes\node\bin\kubelet.exe${BEGIN}${PRIORITY} --v=2`],
    [
      '1.36.4',
      String.raw`${RUNNER} -log-file-size=50Mi -log-file-age=168h C:\k\kubernetes\node\bin\kubelet.exe${BEGIN}${PRIORITY} --v=2`,
    ],
  ])('of %s with containerd is the documented one', (release, line) => {
    expect(joinCommandLine(kubeletService(releaseNode(release)).command)).toBe(line)
  })

  it('is the documented one', () => {
    const spec = kubeletService(exampleNode())
    expect(joinCommandLine(spec.command)).toBe(IMAGE_PATH)
    expect(spec.name).toBe('kubelet')
    expect(Object.keys(spec.environment)).toEqual(['K8S_WIN_CONFIGURATION'])
  })

  it.each(['1.21.0', '1.22.17', '1.23.17'])('is the same for %s', (release) => {
    expect(joinCommandLine(kubeletService(exampleNode({release})).command)).toBe(IMAGE_PATH)
  })

  it('quotes what has spaces', () => {
    const line = joinCommandLine(kubeletService(exampleNode({'base-dir': String.raw`C:\my node`})).command)
    expect(line).toContain(String.raw`"C:\my node\kubernetes\node\bin\kubelet.exe" --windows-service `)
    expect(line).toContain(String.raw` "--config=C:\my node\kubelet-config.yaml" "--kubeconfig=C:\my node\kubeconfig" `)
    expect(line).toContain(String.raw` "--cni-bin-dir=C:\my node\cni" "--cni-conf-dir=C:\my node\cni\config" `)
    expect(line).toContain(String.raw` "--log-dir=C:\my node\logs\kubelet" `)
  })

  it('speaks to another Docker by DOCKER_HOST, never by --docker-endpoint', () => {
    for (const endpoint of ['npipe:////./pipe/mine', String.raw`npipe://\\.\pipe\mine`]) {
      const spec = kubeletService(exampleNode({'docker-endpoint': endpoint}))
      expect(spec.environment).toMatchObject({DOCKER_HOST: 'npipe:////./pipe/mine'})
      expect(joinCommandLine(spec.command)).toBe(IMAGE_PATH)
    }
  })

  it('registers its node with labels and taints', () => {
    const {command} = kubeletService(
      exampleNode({'node-label': ['disk=ssd', 'a.io/b='], taint: ['os=windows:NoSchedule', 'x:NoExecute']}),
    )
    expect(command).toContain('--node-labels=a.io/b=,disk=ssd')
    expect(command).toContain('--register-with-taints=os=windows:NoSchedule,x:NoExecute')
  })

  it('has its own identity where it was given one', () => {
    const {command} = kubeletService(exampleNode({'kubelet-kubeconfig': String.raw`D:\kubelet.conf`}))
    expect(command).toContain(String.raw`--kubeconfig=C:\k\kubelet.kubeconfig`)
    const others = kubeletService(exampleNode({'flanneld-kubeconfig': 'f', 'kube-proxy-kubeconfig': 'p'}))
    expect(others.command).toContain(String.raw`--kubeconfig=C:\k\kubeconfig`)
  })

  it.each([
    ['the release', exampleNode({release: '1.21.14'})],
    ['its configuration', exampleNode({}, {clusterDNS: '10.10.0.11'})],
    ['the authority', exampleNode({}, {clientCA: 'another'})],
  ])('has another mark, and so starts anew, where %s is another', (_, config) => {
    expect(kubeletService(config).environment).not.toEqual(kubeletService(exampleNode()).environment)
  })
})

describe('kubelet-config.yaml', () => {
  it('is the golden file', () => {
    const produced = kubeletConfiguration(exampleNode())
    expect(produced).toBe(golden('1.21/kubelet-config.yaml', produced))
  })

  it('is safe by itself', () => {
    expect(parse(kubeletConfiguration(exampleNode()))).toMatchObject({
      authentication: {anonymous: {enabled: false}, webhook: {enabled: true}},
      authorization: {mode: 'Webhook'},
      readOnlyPort: 0,
    })
  })

  it('rotates certificates only where there is one', () => {
    const rotates = (kubeletRotates: boolean): unknown =>
      (parse(kubeletConfiguration(exampleNode({}, {kubeletRotates}))) as {rotateCertificates: unknown})
        .rotateCertificates
    expect(rotates(true)).toBe(true)
    expect(rotates(false)).toBe(false)
  })

  it('holds any path whole', () => {
    const config = exampleNode({'base-dir': String.raw`C:\# node's - {x} & y`})
    const read = parse(kubeletConfiguration(config)) as {authentication: {x509: {clientCAFile: string}}}
    expect(read.authentication.x509.clientCAFile).toBe(`${config.baseDir}\\client-ca.crt`)
  })
})

it('logs where the README says', () => {
  expect(logsOf(exampleNode(), DAEMON.kubelet)).toBe(String.raw`C:\k\logs\kubelet`)
})
