// Setups that fail for a reason that is known: the error reports it, with what helps, through the real steps on unhealthy hosts.
import {describe, expect, it} from 'vitest'
import {dockerFailed, imageBroken, pullFailed} from '../../../src/errors/downloads-and-images.js'
import {hnsRefused, netshFailed} from '../../../src/errors/windows.js'
import {toUserError} from '../../../src/pipeline/run/to-user-error.js'
import {withKnown} from '../../../src/pipeline/run/known-failure.js'
import {SIGNATURES} from '../../../src/signatures/index.js'
import {flanneldServiceStep} from '../../../src/steps/services/flanneld-service.js'
import {kubeletServiceStep} from '../../../src/steps/services/kubelet-service.js'
import {nodeReady} from '../../../src/steps/node-ready.js'
import {overlayNetwork} from '../../../src/steps/overlay-network.js'
import type {World} from '../../../src/simulator/world.js'
import {Rig} from '../../steps/rig.js'

interface Told {
  readonly fix: string
  readonly id: string
  readonly reason: string
}

describe('a service that does not live', () => {
  it('SERVICE_NOT_HEALTHY: kubelet-config.yaml that is damaged', async () => {
    const rig = await Rig.open()
    await rig.runBefore('kubelet-service')
    await rig.machine.files.write(String.raw`C:\k\kubelet-config.yaml`, 'kind: Nonsense\n')
    const {fix, id, reason} = (await rig.run(kubeletServiceStep)).error as Told
    expect(id).toBe('SERVICE_NOT_HEALTHY')
    expect(reason).toMatch(
      /Its log ends with: .*Failed to load kubelet config file.*\. This is known: kubelet-config\.yaml is missing/,
    )
    expect(fix).toMatch(/^Run "k8s-win setup" again.* If that does not help: Read C:\\k\\logs\\kubelet/)
  })

  it('SERVICE_NOT_HEALTHY: nothing known leaves the error as it is', async () => {
    const rig = await Rig.open()
    await rig.runBefore('kubelet-service')
    await rig.machine.files.remove(String.raw`C:\k\client-ca.crt`)
    const {fix, reason} = (await rig.run(kubeletServiceStep)).error as Told
    expect(reason).not.toMatch(/This is known/)
    expect(fix).toMatch(/^Read C:\\k\\logs\\kubelet/)
  })
})

describe('an overlay that does not come', () => {
  const seesNoNodes = (world: World): void => {
    world.cluster.permissions = ['get nodes', 'create nodes', 'watch nodes', 'patch nodes/status']
  }

  it('OVERLAY_NETWORK_MISSING: an identity that may not list nodes', async () => {
    const rig = await Rig.open()
    await rig.runBefore('flanneld-service')
    const sick = await rig.reopen({given: {'cluster-dns': '10.10.0.10'}, sicken: seesNoNodes})
    const {error} = await sick.run(flanneldServiceStep, overlayNetwork)
    const {fix, id, reason} = error as Told
    expect(id).toBe('OVERLAY_NETWORK_MISSING')
    expect(reason).toMatch(/This is known: The identity in the kubeconfig lacks permissions that this daemon needs\./)
    expect(fix).toMatch(/^Run "k8s-win doctor".*run the same command again\.$/)
  })
})

describe('a node that is not Ready', () => {
  it('NODE_NOT_READY: no CNI configuration', async () => {
    const rig = await Rig.open()
    await rig.runBefore('cni-config')
    const {fix, id, reason} = (await rig.run(nodeReady)).error as Told
    expect(id).toBe('NODE_NOT_READY')
    expect(reason).toMatch(/This is known: There is no CNI configuration/)
    expect(fix).toMatch(/kubectl describe node/)
  })
})

describe('what Docker says', () => {
  it.each([
    pullFailed({image: 'x', runtime: 'Docker', said: 'no matching manifest for windows/amd64 10.0.17763'}),
    imageBroken({
      command: 'docker run x',
      image: 'x',
      runtime: 'Docker',
      said: 'hcs::CreateComputeSystem (0xc0370106)',
    }),
    dockerFailed({operation: 'build', said: 'hcsshim::ImportLayer failed in Win32: (0x5)'}),
  ])('$id is known by its words', (error) => {
    expect(toUserError(error, 'a step')).toMatchObject({
      exitCode: 4,
      id: error.id,
      reason: expect.stringMatching(/^Docker said: .*\. This is known: /) as string,
    })
  })
})

describe('what HNS refuses', () => {
  const refusal = hnsRefused({
    code: '0x803b0010',
    request: 'POST /networks/',
    said: 'Ein Netzwerk mit diesem Namen ist da.',
  })

  it('is known by its code, in any language', () => {
    const told = toUserError(refusal, 'a step')
    expect(told).toMatchObject({exitCode: 5, id: 'HNS_REFUSED', message: refusal.message})
    expect(told?.reason).toMatch(/\(code 0x803b0010\)\. This is known: HNS has a network with that name/)
    expect(told?.fix).toMatch(/net stop hns/)
  })

  it('one that does not run is to be started: one that is stopped cannot be stopped', () => {
    const stopped = toUserError(hnsRefused({code: '0x80070426', request: 'GET /networks/', said: 'nothing'}), 'a step')
    expect(stopped?.reason).toContain('This is known: The hns service is not running.')
    expect(stopped?.fix).toMatch(/sc\.exe config hns start= demand.*net start hns/)
    expect(stopped?.fix).not.toContain('net stop hns')
  })

  it('is reported once, however often it is explained', () => {
    const once = toUserError(refusal, 'a step')
    expect(toUserError(once, 'a step')).toBe(once)
  })

  it('an unknown code, or another error, stays as it is', () => {
    const unknown = hnsRefused({code: '0x803b0fff', request: 'GET /networks/', said: 'x'})
    expect(toUserError(unknown, 'a step')).toBe(unknown)
    const other = netshFailed({args: 'x', code: '1', output: '0x803b0010'})
    expect(toUserError(other, 'a step')).toBe(other)
  })

  it('every known failure makes whole sentences of it', () => {
    for (const signature of SIGNATURES) {
      const {fix, reason} = withKnown(refusal, signature)
      expect(reason).toMatch(/\. This is known: [A-Za-z].*\.$/)
      expect(fix).toMatch(/\. If that does not help: [A-Z].*\.$/)
    }
  })
})
