// A detached run with secrets that it fetches: a token is fetched again by the service and is in no file meanwhile; a
// kubeconfig is copied before, as one of a file is.
import {expect, test} from 'vitest'
import type {GivenOptions} from '../../src/config/options/options.js'
import {makeKubeconfig} from '../../src/simulator/cluster/kubeconfig.js'
import {JOIN, KUBECONFIG, placesOfToken, TOKEN} from '../join/joining-host.js'
import type {HostFolder} from '../steps/host-folder.js'
import {hostWithProgram, requestOn, restart, serve, session, SMALL} from './detached.js'

const SOURCE = 'azure-kv:k8s-vault/join'
const {token: _, ...WITHOUT_TOKEN} = JOIN

async function machineWith(secret: (host: HostFolder) => string): Promise<HostFolder> {
  const host = await hostWithProgram()
  host.remove(KUBECONFIG)
  host.edit(({os}) => void (os.metadata = {cloud: 'azure', secrets: {[SOURCE]: secret(host)}}))
  return host
}

const fetchesOf = (host: HostFolder): number =>
  host.transcript.filter(({what}) => what.startsWith('GET https://k8s-vault.')).length

async function detach(host: HostFolder, given: GivenOptions): Promise<void> {
  expect(await session(host, {given: {...SMALL, ...given}})).toMatchObject({exitCode: 0, outcome: 'detached'})
}

test('a token is handed over by its source, also across a restart of Windows', async () => {
  const host = await machineWith(() => TOKEN)
  await detach(host, {...WITHOUT_TOKEN, 'token-from': SOURCE})
  expect(requestOn(host)).toContain(`--token-from=${SOURCE}`)
  expect([placesOfToken(host), fetchesOf(host)]).toEqual([['the world'], 1])
  restart(host)
  expect(await serve(host)).toMatchObject({exitCode: 0, node: {ready: true}})
  expect([placesOfToken(host), fetchesOf(host)]).toEqual([['the world'], 2])
})

test('a kubeconfig is there when the service starts, which fetches nothing', async () => {
  const host = await machineWith(({world}) => makeKubeconfig(world.cluster.serverURL))
  await detach(host, {'kubeconfig-from': SOURCE})
  expect([host.has(KUBECONFIG), fetchesOf(host)]).toEqual([true, 1])
  expect(requestOn(host)).not.toContain('client-key-data')
  expect(await serve(host)).toMatchObject({exitCode: 0, node: {ready: true}})
  expect(fetchesOf(host)).toBe(1)
})
