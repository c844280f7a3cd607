// The smoke test at the end of setup.
import {describe, expect, it} from 'vitest'
import {HttpError} from '../../src/machine/http.js'
import type {Effect} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {ADMIN_CERTIFICATE} from '../../src/simulator/cluster/certificates.js'
import {makeKubeconfig} from '../../src/simulator/cluster/kubeconfig.js'
import type {TimedEvent} from '../../src/pipeline/run/events.js'
import {faultyMachine} from '../fakes/faulty.js'
import {CONTAINERD_PROFILE, setUpHost} from '../reset/set-up-host.js'
import {setupOn} from '../setup/in-process.js'
import type {HostFolder} from '../steps/host-folder.js'
import {all, checksOf, creations, podsLeft} from './verify-run.js'

const told = (events: readonly TimedEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'log' ? [event.message] : []))
const notRun = (events: readonly TimedEvent[]): string[] =>
  told(events).filter((message) => message.startsWith('smoke test not run: '))

describe('as the node', () => {
  const node = setUpHost()

  it('is not run: one line says who can, and the cluster is not asked', async () => {
    const host = node.copy()
    const {events, result} = await setupOn(host.dir)
    expect(result.error).toBeUndefined()
    expect(checksOf(result)).toEqual(all('not checked'))
    expect(notRun(events)).toHaveLength(1)
    expect(notRun(events)[0]).toContain('can: "k8s-win verify --kubeconfig <file>"')
    expect(creations(host)).toBe(0)
  })
})

describe('as an administrator', () => {
  const node = setUpHost(
    {},
    (host) => host.put(String.raw`k\kubeconfig`, makeKubeconfig(host.world.cluster.serverURL, ADMIN_CERTIFICATE)),
    CONTAINERD_PROFILE,
  )
  const breakDns = (host: HostFolder): void => {
    host.edit(({cluster}) => {
      for (const service of cluster.services) if (service.name === 'kube-dns') service.endpoints = []
    })
  }

  it('is run', async () => {
    const host = node.copy()
    const {events, result} = await setupOn(host.dir)
    expect(result.error).toBeUndefined()
    expect(checksOf(result)).toEqual(all('pass'))
    expect(notRun(events)).toEqual([])
    expect(creations(host)).toBe(1)
    expect(podsLeft(host)).toEqual([])
  })

  it('fails setup, unless --ignore-check names the check', async () => {
    const host = node.copy()
    breakDns(host)
    const {result} = await setupOn(host.dir)
    expect(result).toMatchObject({error: {id: 'SMOKE_DNS_FAILED'}, exitCode: 6})
    expect(checksOf(result)).toMatchObject({'smoke-dns': 'fail', 'smoke-service': 'pass'})
    const ignored = await setupOn(host.dir, {'ignore-check': ['smoke-dns']})
    expect(ignored.result.error).toBeUndefined()
    expect(checksOf(ignored.result)).toMatchObject({'smoke-dns': 'warn', 'smoke-service': 'pass'})
  })

  it('with a skipped step is a warning', async () => {
    const host = node.copy()
    breakDns(host)
    const {events, result} = await setupOn(host.dir, {skip: ['firewall-rules']})
    expect(result.exitCode).toBe(0)
    expect(told(events).some((message) => message.startsWith('Pods on this node cannot use the cluster DNS'))).toBe(
      true,
    )
  })

  it('that the API server does not answer is not run, and setup has done its work', async () => {
    const host = node.copy()
    const lost = new HttpError('https://10.0.0.10:6443', 'ECONNREFUSED', 'refused')
    const at = ({args, what}: Effect): boolean => what === 'POST' && String(args[0]).endsWith('/pods')
    const wrap = (machine: Machine): Machine => faultyMachine(machine, [{at, does: lost, when: 'before'}])
    const {events, result} = await setupOn(host.dir, {}, {wrap})
    expect(result.error).toBeUndefined()
    expect(checksOf(result)).toEqual(all('not checked'))
    expect(notRun(events)).toHaveLength(1)
  })
})
