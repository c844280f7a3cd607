// A file that a daemon reads at its start only, changed behind our back: put back, and the daemon started again.
import {beforeAll, describe, expect, test} from 'vitest'
import {setup} from '../fixtures/run-setup.js'
import {HostFolder} from '../steps/host-folder.js'

const CASES = [
  ['kubelet', 'kubelet-service', String.raw`k\kubelet-config.yaml`],
  ['kubelet', 'kubelet-service', String.raw`k\client-ca.crt`],
  ['flanneld', 'flanneld-service', String.raw`etc\kube-flannel\net-conf.json`],
] as const

const node = HostFolder.empty()
beforeAll(async () => {
  expect((await setup(node.dir)).result?.exitCode).toBe(0)
  return () => node.discard()
})

function copyOf(host: HostFolder): HostFolder {
  return host.copy()
}

const startsOf = (effects: Awaited<ReturnType<typeof setup>>['effects'], service: string): number =>
  effects.filter(({args, what}) => what === 'startService' && args[0] === service).length

describe.each(CASES)('%s (%s) and its %s', (service, step, path) => {
  test('that has different content', async () => {
    const host = copyOf(node)
    host.put(path, '{}')
    const {effects, result} = await setup(host.dir)
    expect(result?.error).toBeUndefined()
    expect(result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect(result?.steps.find(({id}) => id === step)?.state).toBe('changed')
    expect(startsOf(effects, service)).toBe(1)
    expect((await setup(host.dir)).result?.recap).toMatchObject({changed: 0})
  })

  test('that was put back by a run that died before it came to the daemon', async () => {
    const host = copyOf(node)
    host.put(path, '{}')
    const isStop = ({args, what}: {args: readonly unknown[]; what: string}): boolean =>
      what === 'stopService' && args[0] === service
    const killed = await setup(host.dir, {}, [{at: isStop, does: 'crash', when: 'before'}])
    expect(killed.result).toBeUndefined()
    expect(host.read(path)).toBe(node.read(path))
    const {effects, result} = await setup(host.dir)
    expect(result?.exitCode).toBe(0)
    expect(startsOf(effects, service)).toBe(1)
  })
})

test('cni.conf is checked by the kubelet every few seconds: nothing is started again for it', async () => {
  const host = copyOf(node)
  host.put(String.raw`k\cni\config\cni.conf`, '{}')
  const {effects, result} = await setup(host.dir)
  expect(result?.exitCode).toBe(0)
  expect(effects.filter(({what}) => what === 'startService')).toEqual([])
})
