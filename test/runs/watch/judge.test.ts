// What watch makes of what it sees: what died is repaired after the patience of those who restart it, and a user's intent is not
// acted against.
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {daemonsOf} from '../../../src/config/daemons.js'
import type {StepId} from '../../../src/config/step-ids.js'
import {daemonUnwell, portOwnerUnknown} from '../../../src/errors/unhealthy-node.js'
import {afterRepairs, MOST_REPAIRS} from '../../../src/runs/watch/judge.js'
import type {Seen} from '../../../src/runs/watch/observe.js'
import {isWhole} from '../../sample.js'
import {
  CONTAINERD,
  DOCKER,
  follow,
  MINUTE,
  running,
  stopped,
  well,
  WHOLE_MS,
  withStartType,
  withStates,
} from './judged.js'

const BROKEN_AT = 2 * MINUTE
const FINE = well(DOCKER)

interface Row {
  /** After it broke, in seconds: none for what is only reported. */
  readonly due?: readonly [from: number, to: number]
  readonly name: string
  readonly reason: string
  readonly seen: Seen
  readonly steps?: readonly StepId[]
}

const said = 'does not respond'
const unhealthy = {error: daemonUnwell({said, service: 'kubelet'}), said, state: 'refused'} as const
const unseen = {error: portOwnerUnknown({said, service: 'kubelet'}), said, state: 'unknown'} as const
const network: readonly StepId[] = ['flanneld-service', 'overlay-network', 'source-vip', 'kubeproxy-service']

const ROWS: readonly Row[] = [
  {
    due: [45, 47],
    name: 'a crash, where earlier ones are not known: the longest delay of the service manager, and 15 s',
    reason: 'KubeletStopped',
    seen: withStates(FINE, {kubelet: stopped(1067)}),
    steps: ['kubelet-service'],
  },
  {
    due: [15, 17],
    name: 'never started since boot: nothing else tries again',
    reason: 'FlanneldStopped',
    seen: withStates(FINE, {flanneld: stopped(1077)}),
    steps: ['flanneld-service', 'overlay-network'],
  },
  {
    due: [600, 602],
    name: 'stopped by a user: after 10 minutes',
    reason: 'KubeProxyStopped',
    seen: withStates(FINE, {kubeproxy: stopped(0)}),
    steps: ['kubeproxy-service'],
  },
  {
    name: 'disabled',
    reason: 'KubeletDisabled',
    seen: withStartType(withStates(FINE, {kubelet: stopped(1067)}), 'kubelet', 'disabled'),
  },
  {name: 'on demand', reason: 'KubeletOnDemand', seen: withStartType(FINE, 'kubelet', 'demand')},
  {name: 'deleted', reason: 'KubeletMissing', seen: withStates(FINE, {kubelet: undefined})},
  {
    due: [120, 122],
    name: 'a health endpoint that fails',
    reason: 'KubeletUnhealthy',
    seen: {...FINE, health: {...FINE.health, kubelet: unhealthy}},
    steps: ['kubelet-service'],
  },
  {
    name: 'a health endpoint of which nobody knows whose it is',
    reason: 'KubeletHealthUnknown',
    seen: {...FINE, health: {...FINE.health, kubelet: unseen}},
  },
  {
    due: [60, 62],
    name: 'vxlan0 is missing',
    reason: 'OverlayNetworkMissing',
    seen: {...FINE, hns: {...FINE.hns, overlay: undefined}},
    steps: network,
  },
  {
    due: [30, 32],
    name: 'no source VIP',
    reason: 'SourceVipMissing',
    seen: {...FINE, hns: {...FINE.hns, vip: undefined}},
    steps: ['source-vip', 'kubeproxy-service'],
  },
  {
    due: [30, 32],
    name: 'a lost route',
    reason: 'HostNetworkLost',
    seen: {...FINE, lost: ['route 169.254.169.254/32 via 10.0.0.1']},
    steps: ['overlay-network'],
  },
  {
    due: [30, 32],
    name: "the host's network was not compared",
    reason: 'HostNetworkNotCompared',
    seen: {...FINE, isUncompared: true},
    steps: ['overlay-network'],
  },
  {
    name: 'another address',
    reason: 'NodeAddressChanged',
    seen: {...FINE, addressLost: {adapters: 'none', address: '10.0.0.5'}},
  },
  {name: 'HNS is stopped', reason: 'HnsStopped', seen: withStates(FINE, {hns: stopped(0)})},
  {name: 'HNS hangs', reason: 'HnsSilent', seen: {...FINE, hns: undefined}},
  {name: "Docker is the user's", reason: 'RuntimeStopped', seen: withStates(FINE, {docker: stopped(1067)})},
]

test('an overlay network whose subnet HNS does not report is no trouble, and a lost address for kube-proxy still is', () => {
  const seen: Seen = {...FINE, hns: {...FINE.hns, overlay: {subnet: undefined}}}
  const {last, repairs} = follow(DOCKER, {seenAt: () => seen}, 10 * MINUTE)
  expect([last.troubles, repairs]).toEqual([[], []])
  const bare: Seen = {...seen, hns: {...FINE.hns, overlay: {subnet: undefined}, vip: undefined}}
  const lost = follow(DOCKER, {seenAt: () => bare}, MINUTE).last
  expect(lost.troubles.map(({reason}) => reason)).toEqual(['SourceVipMissing'])
})

describe.each(ROWS)('$name', ({due, reason, seen, steps}) => {
  const seenAt = (at: number): Seen => (at < BROKEN_AT ? FINE : seen)

  test('is reported, and repaired only when it is due', () => {
    const until = due ? BROKEN_AT + due[0] * 1000 : 60 * MINUTE
    const before = follow(DOCKER, {seenAt}, Math.min(until, BROKEN_AT + 11 * MINUTE) - 2000)
    expect(before.repairs).toEqual([])
    const {last, repairs} = follow(DOCKER, {seenAt}, due ? BROKEN_AT + due[1] * 1000 : 60 * MINUTE)
    expect(last.troubles.map((one) => one.reason)).toEqual([reason])
    expect(repairs.map((one) => one.steps)).toEqual(due ? [steps] : [])
  })

  test('is not repaired while it stands aside, and waited for from then on', () => {
    const end = 30 * MINUTE
    const {repairs} = follow(DOCKER, {isHeld: (at) => at < end, seenAt}, end + (due?.[1] ?? 0) * 1000)
    expect(repairs.map(({at}) => at)).toEqual(due ? [end - 2000 + Math.ceil(due[0] / 2) * 2000] : [])
  })
})

const from = (at: number, before: Seen, after: Seen): Seen => (at < BROKEN_AT ? before : after)

describe('what restarts again and again', () => {
  const living = (service: string, since: number): Seen => ({
    ...FINE,
    lives: {...FINE.lives, [service]: {id: since, since}},
  })

  test('a number of a process that Windows gives again is another life', () => {
    const seenAt = (at: number): Seen => {
      const since = Math.floor(at / 32_000) * 32_000
      return {...FINE, at, lives: {...FINE.lives, flanneld: {id: 2000, since}}}
    }
    expect(follow(DOCKER, {seenAt}, 3 * 32_000).last.troubles).toMatchObject([{reason: 'FlanneldCrashing'}])
  })

  test.each(['flanneld', 'kubelet'])('three short lives of %s are a reason, and one of a minute is none', (service) => {
    const seenAt = (at: number): Seen => ({...living(service, Math.floor(at / 32_000) * 32_000), at})
    const {last, repairs} = follow(DOCKER, {seenAt}, 3 * 32_000)
    expect(last.troubles.map(({reason}) => reason)).toEqual([expect.stringMatching('Crashing$')])
    expect(repairs.map(({at, steps}) => [at, steps])).toEqual([
      [3 * 32_000, expect.arrayContaining([`${service}-service`])],
    ])
    const slow = follow(
      DOCKER,
      {seenAt: (at) => ({...living(service, Math.floor(at / 80_000) * 80_000), at})},
      60 * MINUTE,
    )
    expect(slow.repairs).toEqual([])
  })

  test('it is well again after a life of a minute', () => {
    const since = (at: number): number => Math.floor(Math.min(at, BROKEN_AT) / 32_000) * 32_000
    const seenAt = (at: number): Seen => ({...living('flanneld', since(at)), at})
    expect(follow(DOCKER, {seenAt}, BROKEN_AT).last.troubles).toHaveLength(1)
    expect(follow(DOCKER, {seenAt}, BROKEN_AT + 80_000).last.troubles).toEqual([])
  })
})

describe('the delay that the service manager takes next', () => {
  const DAY = 24 * 60 * MINUTE
  /** It crashes at these times, and runs again half a minute later; the last time it stays down. */
  const crashing =
    (times: readonly number[], age: number) =>
    (at: number): Seen => {
      const last = times.filter((time) => time <= at).length - 1
      const isDown = last === times.length - 1 || at < (times[last] ?? -Infinity) + 30_000
      const since = last < 0 ? -age : (times[last] ?? 0) + 30_000
      const [id, lives] = [2000 + last, {...FINE.lives, kubelet: isDown ? undefined : {id: 2000 + last, since}}]
      return {...withStates(FINE, {kubelet: isDown ? stopped(1067) : running(id)}), at, lives}
    }

  test.each([
    {age: 2 * DAY, crashes: 1, due: 5 + 15},
    {age: 2 * DAY, crashes: 2, due: 10 + 15},
    {age: 2 * DAY, crashes: 3, due: 30 + 15},
    {age: 2 * DAY, crashes: 5, due: 30 + 15},
    {age: DAY / 2, crashes: 1, due: 30 + 15},
  ])('is that of crash $crashes of a service that ran for $age ms', ({age, crashes, due}) => {
    const times = Array.from({length: crashes}, (_, index) => BROKEN_AT + index * 10 * MINUTE)
    const {repairs} = follow(DOCKER, {seenAt: crashing(times, age)}, (times.at(-1) ?? 0) + 5 * MINUTE)
    const [first] = repairs.filter(({at}) => at >= (times.at(-1) ?? 0))
    expect(first?.at).toBe((times.at(-1) ?? 0) + Math.ceil(due / 2) * 2000)
  })
})

describe('intent', () => {
  test('shawl reports the exit code of its program only when it was asked to stop', () => {
    const seenAt = (at: number): Seen => from(at, FINE, withStates(FINE, {flanneld: stopped(1066)}))
    expect(follow(DOCKER, {seenAt}, BROKEN_AT + 9 * MINUTE).repairs).toEqual([])
    expect(follow(DOCKER, {seenAt}, BROKEN_AT + 605_000).repairs).toHaveLength(1)
    const others = (at: number): Seen => from(at, FINE, withStates(FINE, {kubelet: stopped(1066)}))
    expect(follow(DOCKER, {seenAt: others}, BROKEN_AT + MINUTE).repairs).toHaveLength(1)
  })

  test('the network is not repaired by a flanneld that a user has disabled', () => {
    const bare = {...FINE, hns: {...FINE.hns, overlay: undefined}}
    const seen = withStartType(withStates(bare, {flanneld: stopped(0)}), 'flanneld', 'disabled')
    const {last, repairs} = follow(DOCKER, {seenAt: () => seen}, 60 * MINUTE)
    expect(repairs).toEqual([])
    expect(last.troubles.map(({reason}) => reason)).toEqual(['FlanneldDisabled', 'OverlayNetworkMissing'])
  })

  test('the network is repaired without a kube-proxy that a user has disabled', () => {
    const bare = {...FINE, hns: {...FINE.hns, overlay: undefined}}
    const seen = withStartType(withStates(bare, {kubeproxy: stopped(0)}), 'kubeproxy', 'disabled')
    const [first] = follow(DOCKER, {seenAt: () => seen}, 2 * MINUTE).repairs
    expect(first?.steps).toEqual(network.filter((step) => step !== 'kubeproxy-service'))
  })

  test('a stop that takes minutes is one: 10 minutes from its request', () => {
    const asked = withStates(FINE, {kubelet: {...running(), state: 'stop-pending'}})
    for (const stopsAfter of [4 * MINUTE, 20 * MINUTE]) {
      const seenAt = (at: number): Seen =>
        at < BROKEN_AT + stopsAfter ? from(at, FINE, asked) : withStates(FINE, {kubelet: stopped(0)})
      const {repairs} = follow(DOCKER, {seenAt}, BROKEN_AT + 10 * MINUTE)
      expect(repairs.map(({at}) => at)).toEqual([BROKEN_AT + 10 * MINUTE])
    }
  })

  test('the network is not repaired by a flanneld that a user has deleted', () => {
    const seen = withStates({...FINE, hns: {...FINE.hns, overlay: undefined}}, {flanneld: undefined})
    expect(follow(DOCKER, {seenAt: () => seen}, 60 * MINUTE).repairs).toEqual([])
  })

  test('nothing is repaired while the host has another address, and nothing is given up', () => {
    const seen = withStates(
      {...FINE, addressLost: {adapters: 'none', address: '10.0.0.5'}},
      {flanneld: stopped(1067), kubelet: stopped(1067)},
    )
    const {givenUp, repairs} = follow(DOCKER, {seenAt: () => seen}, 60 * MINUTE)
    expect([givenUp, repairs]).toEqual([[], []])
    const lost = {...seen, lost: ['address 10.0.0.5']}
    expect(follow(DOCKER, {seenAt: () => lost}, MINUTE).repairs[0]?.steps).toContain('overlay-network')
  })

  test.each([
    {name: 'kubelet', patience: 10 * MINUTE, steps: ['kubeproxy-service'] as const},
    {name: 'kubelet', patience: 15_000, steps: ['kubelet-service'] as const},
    {name: 'kubeproxy', patience: 15_000, steps: ['flanneld-service', 'overlay-network'] as const},
  ])(
    'what stops during a repair of $steps is stopped by it only if it is its own: $name',
    ({name, patience, steps}) => {
      const seenAt = (at: number): Seen => from(at, FINE, withStates(FINE, {[name]: stopped(0)}))
      const repairing = (at: number) => (at >= MINUTE && at <= BROKEN_AT ? steps : undefined)
      const {repairs} = follow(DOCKER, {repairing, seenAt}, BROKEN_AT + 11 * MINUTE)
      expect(repairs[0]?.at).toBe(BROKEN_AT + Math.ceil(patience / 2000) * 2000)
    },
  )

  test('the kubelet is not started while the runtime of the user is stopped', () => {
    const seen = withStates(FINE, {docker: stopped(0), kubelet: stopped(1067)})
    expect(follow(DOCKER, {seenAt: () => seen}, 60 * MINUTE).repairs).toEqual([])
  })

  test('a containerd of k8s-win is started, another one is not', () => {
    const seen = (config: typeof CONTAINERD): Seen => withStates(well(config), {containerd: stopped(1067)})
    const own = follow(CONTAINERD, {seenAt: () => seen(CONTAINERD)}, MINUTE)
    expect(own.repairs.map(({steps}) => steps)).toEqual([['containerd-service']])
    const others = {...CONTAINERD, containerd: {...CONTAINERD.containerd, isOurs: false}}
    const {last, repairs} = follow(others, {seenAt: () => seen(others)}, 60 * MINUTE)
    expect(repairs).toEqual([])
    expect(last.troubles).toMatchObject([{component: 'runtime', error: {id: 'CONTAINERD_STOPPED'}}])
  })
})

describe('giving up', () => {
  const dead = withStates(FINE, {flanneld: stopped(1067)})

  test('after six repairs in an hour, with more and more time between them', () => {
    const {givenUp, last, repairs} = follow(DOCKER, {seenAt: () => dead}, 5 * 60 * MINUTE)
    expect(repairs).toHaveLength(MOST_REPAIRS)
    const pauses = repairs.slice(1).map(({at}, index) => at - (repairs[index]?.at ?? 0))
    expect(pauses).toEqual([30_000, 60_000, 120_000, 240_000, 480_000])
    expect(givenUp).toMatchObject([{what: 'flanneld'}])
    expect(last).toMatchObject({hasGivenUp: true, isRepairable: false, troubles: [{error: {id: 'WATCH_GAVE_UP'}}]})
  })

  test.each([
    ['flanneld', 'shawl'],
    ['kubelet', 'The service manager of Windows'],
  ])('says that %s is still restarted by %s', (service, restarter) => {
    const seen = withStates(FINE, {[service]: stopped(1067)})
    const {troubles} = follow(DOCKER, {seenAt: () => seen}, 60 * MINUTE).last
    expect(troubles.map(({error}) => error.fix)).toEqual([expect.stringContaining(restarter)])
  })

  test('also after repairs that take minutes', () => {
    const {givenUp, repairs} = follow(DOCKER, {seenAt: () => dead, takesMs: 5 * MINUTE}, 70 * MINUTE)
    expect(repairs).toHaveLength(MOST_REPAIRS)
    expect(givenUp).toMatchObject([{what: 'flanneld'}])
  })

  test('is not lifted because nothing is known of the services', () => {
    const seenAt = (at: number): Seen => (at > 120 * MINUTE && at < 126 * MINUTE ? {...dead, states: undefined} : dead)
    expect(follow(DOCKER, {seenAt}, 130 * MINUTE).repairs).toHaveLength(MOST_REPAIRS)
  })

  test('is lifted when its configuration or program has changed', () => {
    const seenAt = (at: number): Seen => (at < 120 * MINUTE ? dead : {...dead, stamp: 'changed'})
    expect(follow(DOCKER, {seenAt}, 120 * MINUTE + 20_000).repairs).toHaveLength(MOST_REPAIRS + 1)
  })

  test('is lifted when it was healthy for a while', () => {
    const seenAt = (at: number): Seen => (at > 120 * MINUTE && at < 126 * MINUTE ? FINE : dead)
    expect(follow(DOCKER, {seenAt}, 126 * MINUTE + 60_000).repairs).toHaveLength(MOST_REPAIRS + 1)
  })

  test('not because the cluster does not respond: six an hour are tried', () => {
    const {givenUp, repairs} = follow(DOCKER, {ends: () => 'silent', seenAt: () => dead}, 3 * 60 * MINUTE)
    expect(givenUp).toEqual([])
    expect(repairs.length).toBeGreaterThan(2 * MOST_REPAIRS)
    for (const {at} of repairs)
      expect(repairs.filter((one) => one.at >= at && one.at < at + 60 * MINUTE).length).toBeLessThanOrEqual(
        MOST_REPAIRS,
      )
  })

  test('a repair that another run kept from trying does not count', () => {
    const {givenUp, repairs} = follow(DOCKER, {ends: () => 'refused', seenAt: () => dead}, 60 * MINUTE)
    expect(givenUp).toEqual([])
    expect(repairs.length).toBeGreaterThan(MOST_REPAIRS)
  })
})

describe('a repair that the watch before did not end', () => {
  test('has stopped its daemons itself', () => {
    const memory = afterRepairs([{at: 0, outcome: 'begun', what: 'the overlay network'}], 0)
    const seenAt = (): Seen => withStates(FINE, {kubeproxy: stopped(0)})
    expect(follow(DOCKER, {memory, seenAt}, MINUTE).repairs[0]?.at).toBe(16_000)
    expect(follow(DOCKER, {seenAt}, 9 * MINUTE).repairs).toEqual([])
  })
})

describe('the repairs of the watch before', () => {
  const dead = withStates(FINE, {flanneld: stopped(1067)})
  /** One every 5 minutes, as health.json has them; the last 10 minutes ago. */
  const done = (what: string, count: number) =>
    Array.from(
      {length: count},
      (_, nth) => ({at: -(10 + 5 * (count - nth - 1)) * MINUTE, outcome: 'failed', what}) as const,
    )

  test.each(['flanneld', 'the overlay network', 'kubelet and the overlay network'])(
    'count: six of %s, and the next is an hour after the first',
    (what) => {
      const memory = afterRepairs(done(what, MOST_REPAIRS), 0)
      const {givenUp, repairs} = follow(DOCKER, {memory, seenAt: () => dead}, 25 * MINUTE)
      expect(givenUp).toEqual([])
      expect(repairs.map(({at}) => at)).toEqual([25 * MINUTE])
    },
  )

  test('do not count for another daemon, nor a day later', () => {
    for (const [what, now] of [
      ['kubelet', 0],
      ["the host's network", 0],
      ['flanneld', 24 * 60 * MINUTE],
    ] as const) {
      const {repairs} = follow(
        DOCKER,
        {memory: afterRepairs(done(what, MOST_REPAIRS), now), seenAt: () => dead},
        2 * MINUTE,
      )
      expect(repairs).not.toEqual([])
    }
  })

  test('what it gave up on stays so while the hour lasts, also if the clock was set back', () => {
    const repairs = [...done('flanneld', MOST_REPAIRS), {at: -MINUTE, outcome: 'gave up', what: 'flanneld'} as const]
    const seenAt = (): Seen => dead
    for (const [now, minutes] of [
      [0, 25],
      [-24 * 60 * MINUTE, 60],
    ] as const) {
      const memory = afterRepairs(repairs, now)
      const held = follow(DOCKER, {memory, seenAt}, minutes * MINUTE - 2000)
      expect([held.repairs, held.last.hasGivenUp]).toEqual([[], true])
      expect(follow(DOCKER, {memory, seenAt}, minutes * MINUTE).repairs).toHaveLength(1)
    }
  })
})

describe('load balancers', () => {
  const fewer: Seen = {...FINE, hns: {...FINE.hns, balancers: FINE.hns.balancers.slice(1)}}
  /** It is noticed in the next whole look. */
  const TRIED = Math.ceil(BROKEN_AT / WHOLE_MS) * WHOLE_MS + 30_000 + 60_000

  test('a loss leads to a repair, and is not shown before it is proven', () => {
    const {last, repairs} = follow(DOCKER, {ends: () => 'done', seenAt: (at) => from(at, FINE, fewer)}, 60 * MINUTE)
    expect(repairs).toMatchObject([{at: TRIED, steps: ['kubeproxy-service']}])
    expect(last.troubles).toEqual([])
    const failed = follow(DOCKER, {seenAt: (at) => from(at, FINE, fewer)}, TRIED + 2000)
    expect(failed.last.troubles).toMatchObject([{reason: 'LoadBalancersLost'}])
  })

  test('one that kube-proxy has replaced meanwhile is none', () => {
    const seenAt = (at: number): Seen => (at >= BROKEN_AT && at < TRIED - WHOLE_MS ? fewer : FINE)
    expect(follow(DOCKER, {seenAt}, 60 * MINUTE).repairs).toEqual([])
  })

  test('kube-proxy that was restarted creates them anew', () => {
    const seenAt = (at: number): Seen => from(at, FINE, withStates(fewer, {kubeproxy: running(2000)}))
    expect(follow(DOCKER, {seenAt}, 60 * MINUTE).repairs).toEqual([])
  })

  test('those of before its restart are not held against it', () => {
    // Its process is another one 6 s before the next whole look.
    const restarted = withStates(FINE, {kubeproxy: running(2000)})
    const seenAt = (at: number): Seen =>
      at < BROKEN_AT - 6000 ? FINE : at < BROKEN_AT ? restarted : withStates(fewer, {kubeproxy: running(2000)})
    expect(follow(DOCKER, {seenAt}, 60 * MINUTE).repairs).toEqual([])
  })

  test('a restart of HNS leads to one comparison', () => {
    const seenAt = (at: number): Seen => from(at, FINE, withStates(FINE, {hns: running(2000)}))
    const {repairs} = follow(DOCKER, {ends: () => 'done', seenAt}, 60 * MINUTE)
    expect(repairs).toMatchObject([{steps: ['kubeproxy-service']}])
  })
})

describe('Services that come and go', () => {
  /** Every 5 minutes one is created, and deleted a minute before the next. */
  const churning = (at: number): Seen => {
    const fine = well(DOCKER, at)
    const own = at % (5 * MINUTE) < 4 * MINUTE ? [`10.96.7.${Math.floor(at / (5 * MINUTE))}:80/6`] : []
    return {...fine, hns: {...fine.hns, balancers: [...fine.hns.balancers, ...own]}}
  }
  const DIES_AT = 3 * 60 * MINUTE

  test('a few are compared with the cluster, and nothing is given up', () => {
    const {givenUp, last, repairs} = follow(DOCKER, {ends: () => 'idle', seenAt: churning}, DIES_AT)
    expect(givenUp).toEqual([])
    expect(last.troubles).toEqual([])
    expect(repairs.length).toBeGreaterThan(2)
    for (const {at} of repairs)
      expect(repairs.filter((one) => one.at >= at && one.at < at + 60 * MINUTE).length).toBeLessThanOrEqual(4)
  })

  test.each([
    ['kube-proxy that dies', (at: number) => withStates(churning(at), {kubeproxy: stopped(1067)}), 'kubeproxy'],
    ['a lost network', (at: number) => ({...churning(at), hns: {balancers: []}}), 'the overlay network'],
  ])('%s is repaired as ever', (_, dead, named) => {
    const seenAt = (at: number): Seen => (at < DIES_AT ? churning(at) : dead(at))
    const ends = (_due: unknown, at: number) => (at < DIES_AT ? 'idle' : 'failed')
    const {repairs} = follow(DOCKER, {ends, seenAt}, DIES_AT + 60 * MINUTE)
    const own = repairs.filter(({at, what}) => at >= DIES_AT && what.includes(named))
    expect(own[0]?.at).toBeLessThanOrEqual(DIES_AT + 2 * MINUTE)
    // The last load balancer is missed once more.
    expect(own.length).toBeGreaterThanOrEqual(MOST_REPAIRS - 1)
  })

  test('a repair that changes something counts for kube-proxy, too', () => {
    const {repairs} = follow(DOCKER, {ends: () => 'done', seenAt: churning}, 60 * MINUTE)
    expect(repairs[0]?.components).toEqual(['load balancers', 'kubeproxy'])
    expect(repairs.length).toBeLessThanOrEqual(MOST_REPAIRS)
  })
})

describe('whatever happens', () => {
  const daemons = daemonsOf(CONTAINERD)
  const aService = fc.constantFrom(
    'crashed',
    'demand',
    'disabled',
    'never',
    'running',
    'running',
    'unhealthy',
    'stopped',
  )
  const aPart = fc.record({
    minutes: fc.integer({max: 40, min: 1}),
    network: fc.constantFrom('fine', 'fine', 'gone', 'silent'),
    services: fc.tuple(...daemons.map(() => aService)),
  })

  test('at most six repairs an hour and daemon, and none against an intent', () => {
    fc.assert(
      fc.property(fc.array(aPart, {maxLength: 8, minLength: 1}), fc.boolean(), (parts, works) => {
        const ends = parts.map(
          (_, index) => parts.slice(0, index + 1).reduce((sum, {minutes}) => sum + minutes, 0) * MINUTE,
        )
        const partAt = (at: number): number => Math.min(ends.findIndex((end) => at < end) >>> 0, parts.length - 1)
        const inState = (service: number, index: number): string => parts[index]?.services[service] ?? 'running'
        const seenAt = (at: number): Seen => {
          const {network: hns = 'fine'} = parts[partAt(at)] ?? {}
          let seen: Seen = well(CONTAINERD, at)
          if (hns !== 'fine') seen = {...seen, hns: hns === 'gone' ? {balancers: []} : undefined}
          for (const [index, {service}] of daemons.entries()) {
            const state = inState(index, partAt(at))
            const code = {crashed: 1067, demand: 0, disabled: 0, never: 1077, stopped: 0}[state]
            if (code !== undefined) seen = withStates(seen, {[service]: stopped(code)})
            if (state === 'demand' || state === 'disabled') seen = withStartType(seen, service, state)
            if (state === 'unhealthy') seen = {...seen, health: {...seen.health, [service]: unhealthy}}
          }
          return seen
        }
        const {repairs} = follow(
          CONTAINERD,
          {ends: () => (works ? 'done' : 'failed'), seenAt},
          ends.at(-1) ?? 0,
          10_000,
        )
        for (const [index, {service, step}] of daemons.entries()) {
          const own = repairs.filter(({components}) => components.includes(service))
          for (const {at} of own)
            expect(own.filter((one) => one.at >= at && one.at < at + 60 * MINUTE).length).toBeLessThanOrEqual(
              MOST_REPAIRS,
            )
          for (const {at, steps} of repairs) {
            if (!steps.includes(step)) continue
            const state = inState(index, partAt(at))
            expect(['demand', 'disabled']).not.toContain(state)
            const since = parts.findLastIndex((_, part) => part <= partAt(at) && inState(index, part) !== 'stopped')
            if (state === 'stopped') expect(at - (ends[since] ?? 0)).toBeGreaterThanOrEqual(10 * MINUTE)
          }
        }
      }),
      {numRuns: isWhole ? 40 : 10},
    )
  })
})
