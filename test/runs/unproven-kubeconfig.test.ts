// A kubeconfig with the authority of another cluster lies in the base directory: what was derived from the right one stays.
import {readFileSync} from 'node:fs'
import {beforeAll, describe, expect, test} from 'vitest'
import type {StatusDocument} from '../../src/pipeline/run/status-report.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {recoverOn} from './recover-on.js'

const KUBECONFIG = String.raw`k\kubeconfig`
const CLIENT_CA = String.raw`k\client-ca.crt`
const OTHER = readFileSync(new URL('../machine/certificates/ca.pem', import.meta.url)).toString('base64')

let made: HostFolder
beforeAll(async () => {
  made = HostFolder.empty()
  expect((await setupOn(made.dir)).result.exitCode).toBe(0)
})

function withOtherAuthority(): HostFolder {
  const host = made.copy()
  const text = host.read(KUBECONFIG)
  host.put(KUBECONFIG, text.replace(/(certificate-authority-data: )\S+/, `$1${OTHER}`))
  expect(host.read(KUBECONFIG)).not.toBe(text)
  return host
}

const rootsOf = ({problems}: StatusDocument): string[] =>
  problems.flatMap(({explainedBy, id}) => (explainedBy === undefined ? [id] : []))
const processes = ({world}: HostFolder) => Object.values(world.services).map(({processId}) => processId)

describe('review R3-10: nothing is derived from a kubeconfig that has not verified its server', () => {
  test('recover leaves what was made from the right one, and names the cause', async () => {
    const host = withOtherAuthority()
    const {result} = await recoverOn(host.dir)
    expect(result).toMatchObject({error: {id: 'API_SERVER_UNTRUSTED'}, exitCode: 6, recap: {changed: 0}})
    expect(host.read(CLIENT_CA)).toBe(made.read(CLIENT_CA))
    expect(processes(host)).toEqual(processes(made))
  })

  test('status names the cause, and no drift beside it', async () => {
    const {document} = await statusOn(withOtherAuthority().dir)
    expect(document.problems.map(({id}) => id)).not.toContain('DRIFTED')
    expect(rootsOf(document)).toEqual(['API_SERVER_UNTRUSTED'])
  })

  test('a drift that it explains is folded under it', async () => {
    const host = withOtherAuthority()
    host.remove(CLIENT_CA)
    const {document} = await statusOn(host.dir)
    expect(document.problems.map(({id}) => id)).toContain('DRIFTED')
    expect(rootsOf(document)).toEqual(['API_SERVER_UNTRUSTED'])
  })

  test('a lost file is not made from it either, and comes back with the right one', async () => {
    const host = withOtherAuthority()
    host.remove(CLIENT_CA)
    await recoverOn(host.dir)
    expect(host.has(CLIENT_CA)).toBe(false)
    expect(processes(host)).toEqual(processes(made))
    host.copyFrom(made, KUBECONFIG)
    expect((await recoverOn(host.dir)).result.exitCode).toBe(0)
    expect(host.read(CLIENT_CA)).toBe(made.read(CLIENT_CA))
  })
})

test('a client CA that was changed by hand is repaired, as the cluster answers', async () => {
  const host = made.copy()
  host.put(CLIENT_CA, 'another')
  expect((await recoverOn(host.dir)).result.exitCode).toBe(0)
  expect(host.read(CLIENT_CA)).toBe(made.read(CLIENT_CA))
})
