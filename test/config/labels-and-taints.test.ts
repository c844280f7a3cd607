// Labels and taints: what Kubernetes takes, and what a node may say of itself.
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {label, taint} from '../../src/config/labels-and-taints.js'
import {labelsProblem} from '../../src/simulator/daemons/kubelet/kubelet-node.js'

describe('a label', () => {
  it.each([
    ['disk=ssd', 'disk', 'ssd'],
    ['disk=', 'disk', ''],
    ['example.com/Disk_1.x=A-b.C_d', 'example.com/Disk_1.x', 'A-b.C_d'],
    ['node.kubernetes.io/role=web', 'node.kubernetes.io/role', 'web'],
    ['x.node.kubernetes.io/role=web', 'x.node.kubernetes.io/role', 'web'],
    ['kubelet.kubernetes.io/a=b', 'kubelet.kubernetes.io/a', 'b'],
    ['node.kubernetes.io/instance-type=m5', 'node.kubernetes.io/instance-type', 'm5'],
    ['topology.kubernetes.io/zone=eu-1', 'topology.kubernetes.io/zone', 'eu-1'],
    ['notkubernetes.io/a=b', 'notkubernetes.io/a', 'b'],
    [`${'k'.repeat(63)}=${'v'.repeat(63)}`, 'k'.repeat(63), 'v'.repeat(63)],
  ])('%s', (text, key, value) => {
    expect(label(text)).toEqual({value: [key, value]})
  })

  it.each([
    ['disk', 'no "="'],
    ['=ssd', 'key ""'],
    ['disk=a=b', 'value "a=b"'],
    ['disk=a b', 'value "a b"'],
    ['-disk=x', 'key "-disk"'],
    ['disk=x-', 'value "x-"'],
    ['a/b/c=d', 'more than one "/"'],
    ['/a=b', 'DNS name'],
    ['Example.com/a=b', 'DNS name'],
    ['example.com/=b', 'key "example.com/"'],
    [`${'k'.repeat(64)}=v`, '1 to 63'],
    [`k=${'v'.repeat(64)}`, 'at most 63'],
    ['dïsk=x', 'key'],
    ['kubernetes.io/role=web', 'may not give itself labels of kubernetes.io'],
    ['node-role.kubernetes.io/worker=', 'kubectl label node <name> node-role.kubernetes.io/worker='],
    ['node-restriction.kubernetes.io/a=b', 'may not'],
    ['k8s.io/a=b', 'may not'],
    ['kubernetes.io/os=linux', 'The kubelet sets kubernetes.io/os itself'],
    ['kubernetes.io/os=windows', 'itself'],
    ['kubernetes.io/arch=arm64', 'itself'],
    ['kubernetes.io/hostname=foo', 'itself'],
    ['beta.kubernetes.io/os=linux', 'itself'],
    ['beta.kubernetes.io/arch=arm64', 'itself'],
    ['node.kubernetes.io/windows-build=10.0.1', 'itself'],
  ])('%s is refused', (text, why) => {
    expect(label(text)).toMatchObject({reason: expect.stringContaining(why) as string})
  })

  it('is refused as the kubelet refuses it, and where it would take the place of what the kubelet finds', () => {
    const prefix = fc.constantFrom('', 'kubernetes.io/', 'a.kubernetes.io/', 'node.kubernetes.io/', 'k8s.io/', 'a.io/')
    const name = fc.constantFrom('os', 'arch', 'hostname', 'instance-type', 'zone', 'a')
    fc.assert(
      fc.property(prefix, name, (before, after) => {
        const text = `${before}${after}=x`
        const isFound = before === 'kubernetes.io/' && ['arch', 'hostname', 'os'].includes(after)
        expect('value' in label(text)).toBe(labelsProblem(text) === undefined && !isFound)
      }),
    )
  })
})

describe('a taint', () => {
  it.each([
    ['os=windows:NoSchedule', {effect: 'NoSchedule', key: 'os', value: 'windows'}],
    ['os:NoExecute', {effect: 'NoExecute', key: 'os', value: ''}],
    ['os=:PreferNoSchedule', {effect: 'PreferNoSchedule', key: 'os', value: ''}],
    ['node.kubernetes.io/x=y:NoSchedule', {effect: 'NoSchedule', key: 'node.kubernetes.io/x', value: 'y'}],
  ])('%s', (text, value) => {
    expect(taint(text)).toEqual({value})
  })

  it.each([
    '',
    'os',
    'os=windows',
    'os:noschedule',
    'os=a:b:NoSchedule',
    ':NoSchedule',
    '=a:NoSchedule',
    'o s:NoExecute',
  ])('%o is refused', (text) => {
    expect(taint(text)).toHaveProperty('reason')
  })
})
