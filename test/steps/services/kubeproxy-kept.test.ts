// kube-proxy deletes all load balancers when it starts. Nothing restarts it before its own identity is sent what it lists then,
// and HNS answers.
import {describe, expect, test} from 'vitest'
import type {Fault} from '../../fakes/faulty.js'
import {HttpError} from '../../../src/machine/http.js'
import type {Effect} from '../../../src/machine/intercept.js'
import type {StepContext} from '../../../src/pipeline/run/step.js'
import type {World} from '../../../src/simulator/world.js'
import {kubeproxyService} from '../../../src/steps/services/kubeproxy-service.js'
import {Rig} from '../rig.js'

interface Reason {
  /** Of the error, in place of the silence's. */
  readonly id?: string
  readonly faults?: readonly Fault[]
  /** As the service k8s-win repairs. */
  readonly isRepair?: true
  readonly name: string
  prepare?(rig: Rig): Promise<void>
  sicken?(world: World): void
}

const isList = ({args: [url = ''], via}: Effect): boolean =>
  via === 'http' && /\/(?:services|endpointslices)\?/.test(url)
const isPolicyLists = ({args, what}: Effect): boolean => what === 'hnsCall' && args[1] === '/policylists/'
const isHealth = ({args: [url = ''], via}: Effect): boolean =>
  via === 'http' && url.startsWith('http://127.0.0.1:10256')
const silent = new HttpError('http://127.0.0.1:10256', 'ETIMEDOUT', 'no answer')
const closed = new HttpError('https://10.0.0.10:6443', 'ECONNREFUSED', 'connect ECONNREFUSED')

const REASONS: readonly Reason[] = [
  {name: 'a load balancer is missing', sicken: ({hns}) => void hns.policyLists.splice(0, 1)},
  {
    name: 'HNS was restarted, and refuses its load balancers',
    async prepare({machine: {clock, win32}}) {
      for (const name of ['hns', 'flanneld']) {
        await win32.stopService(name)
        await clock.sleep(60_000)
        await win32.startService(name)
      }
      await clock.sleep(120_000)
    },
  },
  {
    isRepair: true,
    name: 'its source VIP was reserved anew',
    async prepare({context: {host}}) {
      await host.ipam.release('vxlan0', '10.244.3.0/24')
      await host.ipam.reserve('vxlan0', '10.244.3.0/24')
    },
  },
  {
    name: 'its command line was changed',
    sicken({services: {kubeproxy}}) {
      if (kubeproxy) Object.assign(kubeproxy.config, {imagePath: kubeproxy.config.imagePath.replace('--v=2', '--v=4')})
    },
  },
  {
    faults: [{at: isHealth, does: silent, when: 'before'}],
    id: 'SERVICE_NOT_HEALTHY',
    isRepair: true,
    name: 'it does not respond',
  },
]

interface Silence {
  readonly faults?: readonly Fault[]
  readonly id: string
  readonly name: string
  readonly permissions?: string[]
}

const SILENCES: readonly Silence[] = [
  {id: 'SERVICES_UNREADABLE', name: 'its lists are forbidden', permissions: ['get nodes', 'list nodes']},
  {
    faults: [{at: isList, does: closed, when: 'before'}],
    id: 'SERVICES_UNREADABLE',
    name: 'its lists are not answered',
  },
  {
    faults: [{at: isPolicyLists, does: new Error('HNS is silent'), when: 'before'}],
    id: '',
    name: 'HNS does not answer',
  },
]

const cases = REASONS.flatMap((reason) => SILENCES.map((silence) => ({reason, silence})))

const kept = ({hns, services}: World) => [services['kubeproxy']?.processId, hns.policyLists.map(({ID}) => ID)]

async function rigOf(reason: Reason, {faults = [], permissions}: Partial<Silence>): Promise<Rig> {
  const made = await Rig.open()
  const {error} = await made.runAll()
  expect(error).toBeUndefined()
  await reason.prepare?.(await made.reopen())
  return made.reopen({
    faults: [...faults, ...(reason.faults ?? [])],
    given: {'cluster-dns': '10.10.0.10'},
    sicken(world) {
      reason.sicken?.(world)
      if (permissions) world.cluster.permissions = permissions
    },
  })
}

const contextOf = ({context}: Rig, {isRepair}: Reason): StepContext =>
  isRepair ? {...context, config: {...context.config, revivesOnly: true}} : context

describe('kube-proxy is not restarted where a start could not create load balancers', () => {
  test.each(cases)('$reason.name, and $silence.name', async ({reason, silence}) => {
    const rig = await rigOf(reason, silence)
    const before = kept(rig.world)
    const error: unknown = await kubeproxyService.apply(contextOf(rig, reason)).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject(silence.id === '' ? {message: 'HNS is silent'} : {id: reason.id ?? silence.id})
    expect(kept(rig.world)).toEqual(before)
  })

  test.each(REASONS)('where it could, it is: $name', async (reason) => {
    const rig = await rigOf(reason, {})
    const [before] = kept(rig.world)
    // One that never responds is restarted in vain.
    await kubeproxyService.apply(contextOf(rig, reason)).catch(() => undefined)
    expect(kept(rig.world)[0]).not.toBe(before)
  })
})
