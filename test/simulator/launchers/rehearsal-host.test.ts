// The host of a rehearsal: what its secret store holds, also where an earlier rehearsal or its user has left something.
import {expect, it} from 'vitest'
import {prepareRehearsal, type Rehearsed, SIMULATED_CLUSTER} from '../../../src/simulator/launchers/rehearsal-host.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {HostFolder} from '../../steps/host-folder.js'

const SOURCE = 'aws-sm:k8s/join'
const {token} = SIMULATED_CLUSTER

/** The secret after a rehearsal that reads it with this key, or as a whole. */
async function rehearsed(host: HostFolder, key?: string): Promise<unknown> {
  const tokenFrom: Rehearsed['tokenFrom'] = {...(key !== undefined && {key}), text: SOURCE}
  const prepare = prepareRehearsal({
    cloud: 'aws',
    digest: '0'.repeat(64),
    tokenFrom,
    url: 'https://x.example/k8s-win.exe',
  })
  await openSimulator({dir: host.dir, prepare, profile: 'ws2025'})
  const secret = host.world.os.metadata?.secrets?.[SOURCE] ?? ''
  return secret.startsWith('{') ? JSON.parse(secret) : secret
}

const change = (host: HostFolder, secret: string): void =>
  host.edit(({os}) => (os.metadata = {cloud: 'aws', secrets: {[SOURCE]: secret}}))

it('has what this rehearsal reads, whatever an earlier one read', async () => {
  const host = HostFolder.empty()
  expect(await rehearsed(host, 'old')).toEqual({old: token})
  expect(await rehearsed(host, 'new')).toEqual({new: token, old: token})
  expect(await rehearsed(host)).toBe(token)
  expect(await rehearsed(host, 'new')).toEqual({new: token})
})

it('keeps what its user has changed', async () => {
  const host = HostFolder.empty()
  await rehearsed(host)
  change(host, 'ghijkl.0123456789abcdef')
  expect(await rehearsed(host)).toBe('ghijkl.0123456789abcdef')
  change(host, '{"new":"changed"}')
  expect(await rehearsed(host, 'new')).toEqual({new: 'changed'})
})
