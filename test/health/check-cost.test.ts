// A check costs no more than it says: a loop over the cheap ones starts no program, and asks nobody but this host.
import {expect, test} from 'vitest'
import type {Node} from '../../src/config/model.js'
import {NODE_CHECKS, reportingChecks} from '../../src/health/health-checks.js'
import {nodeCheck} from '../../src/health/node.js'
import {hostOptions, openHost} from '../../src/host/host.js'
import {type Effect, interceptMachine} from '../../src/machine/intercept.js'
import type {Check} from '../../src/preflight/check.js'
import {Facts} from '../../src/preflight/facts.js'
import {CHECKS} from '../../src/preflight/index.js'
import {resolveNode} from '../../src/preflight/node-config.js'
import {runCheck} from '../../src/preflight/run-check.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {assets} from '../fixtures/assets.js'
import {setupConfig} from '../fixtures/setup-config.js'
import {setupOn} from '../setup/in-process.js'
import {HostFolder} from '../steps/host-folder.js'

/** Only where a library is missing, there is another containerd, or the kubelet has renewed its certificate. */
const ELSEWHERE = ['containerd', 'containers-feature', 'node-identities']

/** The kubelet's own port is asked on an address of this host. */
function costOf(effects: readonly Effect[], {nodeIP}: Node): Check['cost'] {
  const isRemote = ({args: [target = ''], via, what}: Effect): boolean =>
    (via === 'http' && target.startsWith('https:')) || (via === 'net' && what !== 'isPortFree' && target !== nodeIP)
  if (effects.some(isRemote)) return 'cluster'
  return effects.some(({via}) => via === 'run') ? 'process' : 'cheap'
}

test.each([
  ['ws2019', '1.23.17'],
  ['ws2025', '1.36.4'],
])('%s', async (profile, release) => {
  const folder = await HostFolder.fresh(() => {}, profile)
  expect((await setupOn(folder.dir, {}, {}, profile)).result.error).toBeUndefined()
  const effects: Effect[] = []
  const machine = interceptMachine(
    await openSimulator({dir: folder.dir, profile, readOnly: true}),
    (effect, perform) => {
      effects.push(effect)
      return perform()
    },
  )
  const {signal} = new AbortController()
  const asked = setupConfig({release})
  const host = openHost(machine, hostOptions(assets, asked))
  const open = <Config extends typeof asked>(config: Config) =>
    new Facts(config, host, {all: () => [], entries: () => []}, {signal})
  const node = await resolveNode(open(asked))
  const checks = [...CHECKS, ...NODE_CHECKS, nodeCheck, ...reportingChecks(node)].filter(
    ({runtime = node.runtime}) => runtime === node.runtime,
  )
  for (const check of checks) {
    effects.length = 0
    await runCheck(check, {
      clock: host.clock,
      deadlineMs: 60_000,
      facts: () => open(node),
      signal,
      waitsFor: () => undefined,
    })
    const seen = costOf(effects, node)
    if (!(seen === 'cheap' && ELSEWHERE.includes(check.id))) expect([check.id, check.cost]).toEqual([check.id, seen])
  }
  folder.discard()
})
