// An upgrade keeps the registries of --registry-config, and takes back those of one that fails.
import {expect, it} from 'vitest'
import {CLUSTER_CA} from '../../src/simulator/cluster/certificates.js'
import {setupOn} from '../setup/in-process.js'
import type {HostFolder} from '../steps/host-folder.js'
import {at, nodeAt, releasesOf} from './node-at.js'
import {refusing} from './refusing.js'

const FOLDER = String.raw`C:\registries`
const CERTS = String.raw`k\containerd\certs.d`
const GIVEN = {'registry-config': FOLDER}

/** With one registry. */
function put(host: HostFolder, name: string): void {
  host.remove('registries')
  host.put(`registries\\${name}\\ca.crt`, CLUSTER_CA)
  host.edit(({security}) => void (security[FOLDER.toLowerCase()] = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'))
}

async function nodeWith(name: string): Promise<HostFolder> {
  const host = await nodeAt('1.30.14', '1.31.14')
  put(host, name)
  expect((await setupOn(host.dir, {...GIVEN, release: '1.30.14'})).result.error).toBeUndefined()
  return host
}

it('they are kept, without the folder', async () => {
  const host = await nodeWith('one.example')
  host.remove('registries')
  expect((await setupOn(host.dir, {release: '1.31.14'})).result.error).toBeUndefined()
  expect(releasesOf(host)).toEqual(at('1.31.14'))
  expect(host.list(CERTS)).toEqual(['one.example'])
})

it('those of before are back after an upgrade with others that is rolled back', async () => {
  const host = await nodeWith('one.example')
  put(host, 'two.example')
  const {result} = await setupOn(host.dir, {...GIVEN, release: '1.31.14'}, {wrap: refusing('kubelet', 1)})
  expect(result).toMatchObject({error: {id: 'UPGRADE_ROLLED_BACK'}})
  expect(host.list(CERTS)).toEqual(['one.example'])
  expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
})
