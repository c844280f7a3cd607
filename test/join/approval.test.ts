// What the cluster does with the node's request for a certificate, and with the rights of its node.
import {describe, expect, test} from 'vitest'
import type {Machine} from '../../src/machine/machine.js'
import {ADMIN_CERTIFICATE, CLUSTER_CA} from '../../src/simulator/cluster/certificates.js'
import type {World} from '../../src/simulator/world.js'
import {setupOn, type Watch} from '../setup/in-process.js'
import type {HostFolder} from '../steps/host-folder.js'
import {JOIN, joiningHost, joinOn, PROFILE, SERVER, warningsOf} from './joining-host.js'

/** The cluster approves nothing by itself. */
const withoutApprover = ({cluster}: World): void => {
  cluster.roleBindings = (cluster.roleBindings ?? []).filter(({name}) => !name.includes('autoapprove'))
}

const withoutAccess = ({cluster}: World): void => {
  cluster.roleBindings = (cluster.roleBindings ?? []).filter(({name}) => !name.startsWith('k8s-win'))
}

const PATH = '/apis/certificates.k8s.io/v1/certificatesigningrequests'

/** As kubectl certificate does it. */
async function decide({http}: Machine, name: string, type: 'Approved' | 'Denied'): Promise<void> {
  const ask = {deadlineMs: 1000, tls: {ca: CLUSTER_CA, ...ADMIN_CERTIFICATE}}
  const url = `${SERVER}${PATH}/${name}`
  const {body} = await http.request({...ask, effect: 'read', method: 'GET', url})
  const conditions = [{message: 'by an administrator', reason: 'Kubectl', status: 'True', type}]
  const request = {...(JSON.parse(body.toString('utf8')) as object), status: {conditions}}
  const headers = {'content-type': 'application/json'}
  const put = {...ask, body: JSON.stringify(request), effect: 'change', headers, method: 'PUT'} as const
  expect((await http.request({...put, url: `${url}/approval`})).status).toBe(200)
}

/** An administrator who decides on the newest request, so long after setup first asked for it. */
function administrator(host: HostFolder, type: 'Approved' | 'Denied', afterMs: number): Watch {
  let askedAt = 0
  let isDone = false
  return {
    async after({args, via}, machine) {
      if (isDone || via !== 'http' || !String(args[0]).includes(PATH)) return
      askedAt ||= machine.clock.now()
      const name = host.world.cluster.certificateSigningRequests?.at(-1)?.name
      if (name === undefined || machine.clock.now() - askedAt < afterMs) return
      isDone = true
      await decide(machine, name, type)
    },
  }
}

describe('the request for a certificate', () => {
  test('that is not approved is reported after a minute, and setup waits on', async () => {
    const host = await joiningHost(withoutApprover)
    const run = await joinOn(host, {}, administrator(host, 'Approved', 150_000))
    expect(run.result).toMatchObject({exitCode: 0, node: {ready: true}})
    const name = host.world.cluster.certificateSigningRequests?.at(-1)?.name ?? ''
    expect(warningsOf(run).filter((text) => text.includes(`kubectl certificate approve ${name}`))).toHaveLength(1)
  })

  test('that is approved at once is not reported', async () => {
    const host = await joiningHost(withoutApprover)
    const run = await joinOn(host, {}, administrator(host, 'Approved', 0))
    expect(run.result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect(warningsOf(run).join('\n')).not.toContain('kubectl certificate')
  })

  test('that is denied ends setup with its reason', async () => {
    const host = await joiningHost(withoutApprover)
    const {result} = await joinOn(host, {}, administrator(host, 'Denied', 5000))
    expect(result).toMatchObject({error: {id: 'CSR_DENIED'}, exitCode: 6})
    expect(result.error?.cause).toContain('by an administrator')
  })

  test('that is pending when the time is over is named with what approves it; the next run continues', async () => {
    const host = await joiningHost(withoutApprover)
    const {result} = await joinOn(host, {timeout: '4m'})
    const name = host.world.cluster.certificateSigningRequests?.at(-1)?.name ?? ''
    expect(result).toMatchObject({error: {id: 'CSR_PENDING'}, exitCode: 6})
    expect(result.error?.fix).toContain(`kubectl certificate approve ${name}`)
    const again = await joinOn(host, {}, administrator(host, 'Approved', 0))
    expect(again.result).toMatchObject({exitCode: 0, node: {ready: true}})
  })
})

describe('node access', () => {
  test('that is missing is found before flanneld starts, and the next run continues without a token', async () => {
    const host = await joiningHost(withoutAccess)
    const {result} = await joinOn(host)
    expect(result).toMatchObject({error: {id: 'NODE_ACCESS_MISSING'}, exitCode: 6})
    expect(result.error?.fix).toContain('k8s-win manifest node-access | kubectl apply -f -')
    expect(host.world.services['flanneld']).toBeUndefined()
    const again = await setupOn(host.dir, {...JOIN, token: 'zzzzzz.zzzzzzzzzzzzzzzz'}, {}, PROFILE)
    expect(again.result).toMatchObject({error: {id: 'NODE_ACCESS_MISSING'}, exitCode: 3})
    const fresh = await joiningHost()
    host.edit(({cluster}) => (cluster.roleBindings = fresh.world.cluster.roleBindings ?? []))
    const {token: _, ...withoutToken} = JOIN
    expect((await setupOn(host.dir, withoutToken, {}, PROFILE)).result).toMatchObject({
      exitCode: 0,
      node: {ready: true},
    })
  })
})
