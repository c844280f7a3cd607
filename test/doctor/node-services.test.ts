// The services of a node that is sick: what is seen, why, and what its log tells.
import {describe, expect, it} from 'vitest'
import {FileError} from '../../src/machine/files.js'
import type {Effect} from '../../src/machine/intercept.js'
import type {ServiceEntry, World} from '../../src/simulator/world.js'
import {errorS, flannelEnds, klog} from '../signatures/log-lines.js'
import {examine, setUpNode} from './doctor-rig.js'

const stopped = (world: World, name: string, change: Partial<ServiceEntry> = {}): void => {
  Object.assign(world.services[name] ?? {}, {listening: [], processId: 0, state: 'stopped', ...change})
}

describe('services', () => {
  it.each([
    {
      cause: /Somebody deleted it/,
      name: 'deleted',
      sicken: (world: World) => void Reflect.deleteProperty(world.services, 'flanneld'),
      tells: 'The service flanneld is not there',
    },
    {
      fix: /sc config kubelet start= auto/,
      name: 'disabled',
      sicken(world: World) {
        stopped(world, 'kubelet')
        const {config} = world.services['kubelet'] as ServiceEntry
        Object.assign(config, {startType: 'disabled'})
      },
      tells: 'The service kubelet is disabled',
    },
    {
      fix: /net start kubeproxy/,
      name: 'stopped by somebody',
      sicken: (world: World) => stopped(world, 'kubeproxy', {exitCode: 0}),
      tells: 'The service kubeproxy is stopped',
    },
    {
      cause: /ended with code 1067\. The program ended without telling/,
      fix: /k8s-win logs/,
      name: 'dead with a code that is known',
      sicken: (world: World) => stopped(world, 'kubeproxy', {exitCode: 1067}),
      tells: 'The service kubeproxy is stopped',
    },
  ])('$name', async ({cause, fix, sicken, tells}) => {
    const {check, document} = await examine(await setUpNode(sicken))
    expect(check('node-services')).toMatchObject({message: expect.stringContaining(tells) as string, result: 'fail'})
    if (cause) expect(check('node-services').cause).toMatch(cause)
    if (fix) expect(check('node-services').fix).toMatch(fix)
    expect(document.exitCode).toBe(3)
  })

  it('one that waits for another is told with it: SERVICE_DOWN of both', async () => {
    const host = await setUpNode((world) => {
      world.docker.running = false
      for (const name of ['docker', 'kubelet', 'flanneld', 'kubeproxy']) stopped(world, name)
    })
    const {check} = await examine(host)
    expect(check('node-services').message).toBe(
      'The service kubelet is stopped; The service flanneld is stopped; The service kubeproxy is stopped',
    )
    expect(check('node-services').fix).toContain('Start both: "net start kubelet"')
    expect(check('node-health').looked).toBe(false)
  })

  it('started by hand only: a warning', async () => {
    const host = await setUpNode((world) => {
      const {config} = world.services['kubelet'] as ServiceEntry
      Object.assign(config, {startType: 'demand'})
    })
    expect((await examine(host)).check('node-services')).toMatchObject({
      message: 'kubelet not started with Windows: the node is gone after a restart',
      result: 'warn',
    })
  })
})

describe('health', () => {
  it('of one daemon is told of one', async () => {
    const one = await examine(await setUpNode((world) => stopped(world, 'kubeproxy')))
    expect(one.check('node-health').message).toBe('kubelet says that it is well')
    const both = await examine(await setUpNode())
    expect(both.check('node-health').message).toBe('kubelet and kubeproxy say that they are well')
  })

  it('DAEMON_UNWELL where it runs and does not answer', async () => {
    const host = await setUpNode((world) =>
      Object.assign(world.services['kubeproxy'] ?? {}, {listening: [], stage: 'looking'}),
    )
    host.edit((world) => (world.hns.networks = world.hns.networks.filter(({Name}) => Name !== 'vxlan0')))
    const {check} = await examine(host)
    expect(check('node-health')).toMatchObject({
      fix: expect.stringMatching(/k8s-win logs kubeproxy/) as string,
      message: 'The service kubeproxy runs, but is not well',
      result: 'fail',
    })
  })
})

describe('known failures', () => {
  const sickFlannel = () => setUpNode((world) => stopped(world, 'flanneld', {exitCode: 1067}))
  const log = String.raw`k\logs\flanneld\shawl_for_flanneld_rCURRENT.log`

  it('are told with cause and fix: KNOWN_FAILURE', async () => {
    const host = await sickFlannel()
    host.put(log, `${flannelEnds('failed to acquire lease: node "win-1" pod cidr not assigned')}\n`)
    const {check} = await examine(host)
    expect(check('known-failures')).toMatchObject({
      cause: 'The cluster gave the node no pod network.',
      fix: expect.stringMatching(/--allocate-node-cidrs=true/) as string,
      message: 'The log of flanneld tells a failure that is known: flannel-no-pod-cidr',
      result: 'fail',
    })
  })

  it('nothing known: the last words, as a warning', async () => {
    const host = await sickFlannel()
    host.put(log, 'something else\n')
    expect((await examine(host)).check('known-failures')).toMatchObject({
      fix: expect.stringMatching(/k8s-win logs flanneld/) as string,
      message: 'the log of flanneld ends with: something else',
      result: 'warn',
    })
  })

  it('old troubles of a healthy daemon are nothing', async () => {
    const host = await setUpNode()
    host.put(
      String.raw`k\logs\kubelet\zzz.log.INFO`,
      `${errorS('cni.go:239', 'Unable to update cni config', 'no networks found in C:\\k\\cni\\config')}\n${klog('I', 'a.go:1', 'x')}\n`,
    )
    expect((await examine(host)).check('known-failures').result).toBe('pass')
  })

  const before = errorS('cni.go:239', 'Unable to update cni config', 'no networks found in C:\\k\\cni\\config')

  it('lines about a file that came since are over', async () => {
    const host = await setUpNode((world) => stopped(world, 'kubelet', {exitCode: 1067}))
    host.put(String.raw`k\logs\kubelet\zzz.log.INFO`, `${before}\n`)
    expect((await examine(host)).check('known-failures').result).toBe('warn')
    host.remove(String.raw`k\cni\config\cni.conf`)
    expect((await examine(host)).check('known-failures')).toMatchObject({
      message: 'The log of kubelet tells a failure that is known: cni-config-missing',
      result: 'fail',
    })
  })

  it.each([
    ['deleted', (world: World) => void Reflect.deleteProperty(world.services, 'flanneld')],
    ['stopped by somebody', (world: World) => stopped(world, 'flanneld', {exitCode: 0})],
  ])('the log of one that was %s does not tell why', async (_, sicken) => {
    const host = await setUpNode(sicken)
    host.put(log, `${flannelEnds('failed to acquire lease: node "win-1" pod cidr not assigned')}\n`)
    const {check} = await examine(host)
    expect(check('known-failures').result).toBe('pass')
    expect(check('node-services').result).toBe('fail')
  })

  it('a log that is not there, and one that cannot be read, hide nothing', async () => {
    const host = await sickFlannel()
    const locked = {
      at: ({args, what}: Effect): boolean => what === 'list' && String(args[0]).endsWith('flanneld'),
      does: new FileError('list', String.raw`C:\k\logs\flanneld`, 'EBUSY'),
      when: 'before',
    } as const
    expect((await examine(host, {faults: [locked]})).check('known-failures')).toMatchObject({
      message: 'the log of flanneld ends with: nothing that could be read (EBUSY)',
      result: 'warn',
    })
    host.remove(String.raw`k\logs\flanneld`)
    expect((await examine(host)).check('known-failures')).toMatchObject({
      message: 'the log of flanneld ends with: nothing',
      result: 'warn',
    })
  })
})
