// The property of a joined node: kube-proxy and flanneld are never without a valid identity, because the kubelet renews the
// certificate that its kubeconfig names, and both read it from there (client-go does so every five minutes).
import {X509Certificate} from 'node:crypto'
import {describe, expect, it} from 'vitest'

import {openKubeconfig} from '../../../src/simulator/daemons/kubeconfig.js'
import {reboot} from '../../boot/reboot.js'
import {isWhole, turn} from '../../sample.js'
import {
  BOOTSTRAP,
  CURRENT,
  isRegistered,
  type JoiningOptions,
  KUBECONFIG,
  makeJoiningNode,
  PKI,
} from '../joining-node.js'
import {type TestNode, withNetwork, writeCniConf} from '../node.js'
import {nightly} from '../../nightly.js'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const YEAR = 365 * DAY
const NODE = 'system:node:win-1'
/** What kube-proxy and flanneld ask the API server for, again and again. */
const NEEDS = [
  ['list', 'services'],
  ['list', 'endpointslices'],
  ['list', 'nodes'],
  ['patch', 'nodes/status', 'win-1'],
] as const

/** What is wrong with the identity of kube-proxy and flanneld now; undefined if nothing is. */
async function identityProblem({stage}: TestNode): Promise<string | undefined> {
  const client = {env: () => undefined, stage, version: {minor: 21, text: 'v1.21.5'}}
  const opened = await openKubeconfig(client, KUBECONFIG)
  if (opened.error !== undefined) return opened.error
  const {user} = opened.identity()
  if (user !== NODE) return `the API server knows it as ${user}`
  // No answer says nothing of the identity: the API server is away, or flanneld's network is being created.
  return NEEDS.map(([verb, resource, name]) => opened.problem(verb, resource, name)).find(
    (one) => one !== undefined && !one.includes('dial tcp'),
  )
}

interface Life {
  /** The first moment without an identity. */
  readonly lost: string[]
  readonly node: TestNode
}

async function join(options: JoiningOptions = {}, prepare: (node: TestNode) => void = () => {}): Promise<Life> {
  const node = await makeJoiningNode(options)
  prepare(node)
  await writeCniConf(node)
  await withNetwork(node)
  await node.win32.startService('kubeproxy')
  await node.stage.elapse(30_000)
  expect(isRegistered(node)).toBe(true)
  // As setup does once the node has its certificate.
  await node.stage.files.remove(BOOTSTRAP)
  return {lost: [], node}
}

/** Lets time pass in steps, and after each checks the identity. */
async function live({lost, node}: Life, ms: number, step = 12 * HOUR): Promise<void> {
  for (let left = ms; left > 0; left -= step) {
    await node.stage.skip(Math.min(step, left))
    const problem = await identityProblem(node)
    // One is enough to see why.
    if (problem !== undefined && lost.length === 0) lost.push(`${new Date(node.stage.now()).toISOString()}: ${problem}`)
  }
}

async function restartWindows(life: Life): Promise<void> {
  const {stage} = life.node
  stage.world.os.time = stage.now()
  reboot(stage.world)
  await live(life, 2 * 60_000, 2000)
  const states = ['kubelet', 'flanneld', 'kubeproxy'].map((name) => stage.world.services[name]?.state)
  expect(states).toEqual(['running', 'running', 'running'])
}

/** The clock is set right. Timers of processes do not follow: Go's run on the monotonic clock. */
async function correctClock({node: {stage}}: Life): Promise<void> {
  const {cluster, os, services} = stage.world
  const by = cluster.clockAheadMs ?? 0
  for (const entry of Object.values(services)) {
    entry.startedAt += by
    const {rotation} = entry.process ?? {}
    if (!rotation) continue
    rotation.at += by
    if (rotation.pending) rotation.pending.until += by
  }

  os.offlineUntil += by
  delete cluster.clockAheadMs
  await stage.skip(by)
}

const rotationAt = ({node}: Life): number => node.stage.world.services['kubelet']?.process?.rotation?.at ?? Number.NaN
const certificates = async ({node}: Life): Promise<number> =>
  (await node.stage.files.list(PKI)).filter((name) => /-\d+\.pem$/.test(name)).length

/** The API server does not answer for a day, from just before the certificate is due. */
async function loseServer(life: Life): Promise<void> {
  const {cluster} = life.node.stage.world
  await live(life, rotationAt(life) - life.node.stage.now() - HOUR)
  const before = await certificates(life)
  cluster.reachable = false
  await live(life, DAY, HOUR)
  expect(await certificates(life)).toBe(before)
  cluster.reachable = true
  await live(life, HOUR, 60_000)
  expect(await certificates(life)).toBe(before + 1)
}

describe('over more than a year', () => {
  const CLOCKS: readonly (readonly [string, number])[] = [
    ['twenty days behind at first', 20 * DAY],
    ['right from the start', 0],
    ['twenty days ahead at first', -20 * DAY],
  ]
  it.each(turn(CLOCKS, 0))(
    'kube-proxy and flanneld keep their identity: a clock %s, restarts, an API server away for a day',
    async (_, ahead) => {
      const life = await join({}, ({stage}) => void (stage.world.cluster.clockAheadMs = ahead))
      await live(life, 2 * HOUR, 60_000)
      await correctClock(life)
      for (let season = 0; season < 2; season++) {
        await live(life, 90 * DAY)
        await restartWindows(life)
      }

      await loseServer(life)
      for (let season = 0; season < 2; season++) {
        await live(life, 90 * DAY)
        await restartWindows(life)
      }

      expect(life.lost).toEqual([])
      const {subject} = new X509Certificate(await life.node.stage.text(CURRENT))
      expect(subject).toContain(NODE)
    },
    60_000,
  )

  nightly(
    'also without a restart, after a clock that was twenty days behind',
    async () => {
      const life = await join({}, ({stage}) => void (stage.world.cluster.clockAheadMs = 20 * DAY))
      await live(life, HOUR)
      await correctClock(life)
      await live(life, YEAR + 100 * DAY)
      expect(life.lost).toEqual([])
      expect(await certificates(life)).toBe(2)
    },
    180_000,
  )

  it('also where the cluster signs for a month only', async () => {
    const life = await join({}, ({stage}) => void (stage.world.cluster.signingDurationMs = 30 * DAY))
    const months = isWhole ? 12 : 4
    for (let month = 0; month < months; month++) {
      await live(life, 10 * DAY)
      await restartWindows(life)
      await loseServer(life)
    }

    expect(life.lost).toEqual([])
    expect(await certificates(life)).toBe(months + 1)
  }, 180_000)
})

describe('the property can fail', () => {
  it('where renewals are not approved: the kubelet ends, and needs a new bootstrap kubeconfig', async () => {
    const life = await join({}, ({stage: {world}}) => {
      const rotation = 'kubeadm:node-autoapprove-certificate-rotation'
      world.cluster.roleBindings = world.cluster.roleBindings?.filter(({name}) => name !== rotation) ?? []
    })
    await live(life, YEAR + DAY)
    expect(life.lost[0]).toContain('system:anonymous')
    const kubelet = life.node.stage.world.services['kubelet']
    expect(kubelet?.state).toBe('stopped')
    await life.node.win32.startService('kubelet')
    await life.node.stage.elapse(5000)
    expect(kubelet?.state).toBe('stopped')
    expect(await life.node.log('kubelet')).toContain('unable to load bootstrap kubeconfig')
  }, 180_000)

  nightly(
    'after a clock that was half a year behind, without a restart: the timer of the kubelet fires too late',
    async () => {
      const life = await join({}, ({stage}) => void (stage.world.cluster.clockAheadMs = YEAR / 2))
      await live(life, HOUR)
      await correctClock(life)
      await live(life, YEAR + DAY)
      expect(life.lost[0]).toContain('system:anonymous')
    },
    180_000,
  )
})
