// A line counts for the process that wrote it: what an earlier one complained of explains nothing.
import {describe, expect, it} from 'vitest'
import {recognise, type SignatureSource} from '../../src/signatures/index.js'

const shawl = (text: string): string => `2026-11-19 10:00:00 [INFO] ${text}`
const LAUNCH = shawl('Launching command: flanneld.exe "--kube-subnet-mgr"')
const flanneld = (process: number, text: string, severity = 'I'): string =>
  `2026-11-19 10:00:01 [DEBUG] stderr: "${severity}1119 10:00:01.000001 ${process} main.go:381] ${text}"`
const klog = (process: number, text: string, severity = 'E'): string =>
  `${severity}1119 10:00:01.000001    ${process} reflector.go:1] ${text}`

const NO_CIDR = 'Error registering network: failed to acquire lease: node \\"win-1\\" pod cidr not assigned'
const SYNCED = 'Node controller sync successful'
const UP = ['Wrote subnet file to /run/flannel/subnet.env', 'Running backend.']
const UNTRUSTED =
  '"Failed to watch" err="failed to list *v1.Node: Get \\"https://10.0.0.10:6443\\": tls: failed to verify certificate: x509: certificate signed by unknown authority"'
const failedStart = [LAUNCH, flanneld(1, SYNCED), flanneld(1, NO_CIDR, 'E'), shawl('Command exited with code 1')]
const goodStart = [LAUNCH, flanneld(2, SYNCED), ...UP.map((text) => flanneld(2, text))]

describe('review R3-14: the words of a daemon', () => {
  it.each<[string, SignatureSource, readonly string[]]>([
    ['of a start of flanneld that failed', 'flanneld', [...failedStart, ...goodStart]],
    [
      'of the same process before flanneld was up',
      'flanneld',
      [LAUNCH, flanneld(1, NO_CIDR, 'E'), flanneld(1, UP[1]!)],
    ],
    [
      'of an earlier kube-proxy',
      'kube-proxy',
      [klog(1, UNTRUSTED), klog(2, '"Caches are synced" controller="service config"', 'I')],
    ],
    [
      'of an earlier kubelet',
      'kubelet',
      [klog(1, UNTRUSTED), klog(2, '"Successfully registered node" node="win-1"', 'I'), klog(2, '"ok"', 'I')],
    ],
  ])('%s are over once it has started', (_, source, lines) => {
    expect(recognise(lines.join('\n'), source)).toBeUndefined()
  })

  it.each<[string, SignatureSource, readonly string[], string]>([
    ['it has synced its nodes', 'flanneld', failedStart, 'flannel-no-pod-cidr'],
    ['it was just started again', 'flanneld', [...failedStart, LAUNCH, flanneld(2, 'Starting')], 'flannel-no-pod-cidr'],
    [
      'it has started, and complains since',
      'kube-proxy',
      [klog(2, '"Caches are synced" controller="service config"', 'I'), klog(2, UNTRUSTED)],
      'certificate-authority-unknown',
    ],
  ])('count where %s', (_, source, lines, id) => {
    expect(recognise(lines.join('\n'), source)?.id).toBe(id)
  })
})
