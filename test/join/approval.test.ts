// What the cluster does with the node's request for a certificate, and with the rights of its node.
import {describe, expect, test} from 'vitest'
import type {Machine} from '../../src/machine/machine.js'
import type {World} from '../../src/simulator/world.js'
import {setupOn, type Watch} from '../setup/in-process.js'
import {JOIN, joiningHost, joinOn, PROFILE, SERVER, warningsOf} from './joining-host.js'

/** The cluster approves nothing by itself. */
const withoutApprover = ({cluster}: World): void => {
  cluster.roleBindings = (cluster.roleBindings ?? []).filter(({name}) => !name.includes('autoapprove'))
}

const withoutAccess = ({cluster}: World): void => {
  cluster.roleBindings = (cluster.roleBindings ?? []).filter(({name}) => !name.startsWith('k8s-win'))
}

const PATH = '/apis/certificates.k8s.io/v1/certificatesigningrequests'

/** An administrator who decides on the newest request, so long after the kubelet has made it. */
function administrator(type: 'Approved' | 'Denied', afterMs: number): Watch {
  return {
    async after(_, {clock}, {cluster}) {
      const request = cluster.certificateSigningRequests?.at(-1)
      const at = clock.now()
      if (!request || request.conditions || at - request.createdAt < afterMs) return
      request.conditions = [{at, message: 'by an administrator', reason: 'Kubectl', type}]
    },
  }
}

describe('the request for a certificate', () => {
  test('that is not approved is reported after a minute, and setup waits on', async () => {
    const host = await joiningHost(withoutApprover)
    const run = await joinOn(host, {}, administrator('Approved', 150_000))
    expect(run.result).toMatchObject({exitCode: 0, node: {ready: true}})
    const name = host.world.cluster.certificateSigningRequests?.at(-1)?.name ?? ''
    expect(warningsOf(run).filter((text) => text.includes(`kubectl certificate approve ${name}`))).toHaveLength(1)
  })

  test('that is approved at once is not reported', async () => {
    const host = await joiningHost(withoutApprover)
    const run = await joinOn(host, {}, administrator('Approved', 0))
    expect(run.result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect(warningsOf(run).join('\n')).not.toContain('kubectl certificate')
  })

  test('that is denied ends setup with its reason', async () => {
    const host = await joiningHost(withoutApprover)
    const {result} = await joinOn(host, {}, administrator('Denied', 5000))
    expect(result).toMatchObject({error: {id: 'CSR_DENIED'}, exitCode: 6})
    expect(result.error?.cause).toContain('by an administrator')
  })

  test('that is pending when the time is over is named with what approves it; the next run continues', async () => {
    const host = await joiningHost(withoutApprover)
    const {result} = await joinOn(host, {timeout: '4m'})
    const name = host.world.cluster.certificateSigningRequests?.at(-1)?.name ?? ''
    expect(result).toMatchObject({error: {id: 'CSR_PENDING'}, exitCode: 6})
    expect(result.error?.fix).toContain(`kubectl certificate approve ${name}`)
    const again = await joinOn(host, {}, administrator('Approved', 0))
    expect(again.result).toMatchObject({exitCode: 0, node: {ready: true}})
  })
})

/** What setup asks about requests for certificates, and when, from the start of the kubelet. */
function recorder(watch: Watch): Watch & {readonly asked: {at: number; url: string}[]} {
  const asked: {at: number; url: string}[] = []
  let startedAt = 0
  return {
    asked,
    async after(effect, machine, world) {
      const [url = ''] = effect.args
      if (effect.what === 'startService' && url.includes('kubelet')) startedAt = machine.clock.now()
      if (effect.via === 'http' && url.includes(PATH)) asked.push({at: machine.clock.now() - startedAt, url})
      await watch.after?.(effect, machine, world)
    },
  }
}

const isList = ({url}: {readonly url: string}): boolean => url.includes('?')

describe('review J3: the requests of all nodes', () => {
  test('are not listed where the cluster approves within a minute', async () => {
    const {asked, ...watch} = recorder({})
    expect((await joinOn(await joiningHost(), {}, watch)).result.exitCode).toBe(0)
    expect(asked).toEqual([])
  })

  test("are listed once after a minute, by their signer; then this node's own is asked for by its name", async () => {
    const host = await joiningHost(withoutApprover)
    const {asked, ...watch} = recorder(administrator('Approved', 10 * 60_000))
    expect((await joinOn(host, {}, watch)).result.exitCode).toBe(0)
    const [first] = asked
    expect(first?.url).toContain('fieldSelector=spec.signerName%3D')
    expect(first?.url).toContain('limit=500')
    expect(first?.at).toBeGreaterThanOrEqual(60_000)
    // Other hosts that started together come at other moments.
    expect(first?.at).not.toBe(60_000)
    expect(asked.filter(isList)).toHaveLength(1)
    const name = host.world.cluster.certificateSigningRequests?.at(-1)?.name ?? 'none'
    expect(new Set(asked.slice(1).map(({url}) => url))).toEqual(new Set([`${SERVER}${PATH}/${name}`]))
    const pauses = asked.slice(1).map(({at}, index) => at - (asked[index]?.at ?? 0))
    expect(new Set(pauses).size).toBeGreaterThan(2)
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(5000)
  })

  test('are listed again where it is gone', async () => {
    const host = await joiningHost(withoutApprover)
    const {asked, ...watch} = recorder({})
    let isGone = false
    const wrap = ({http, ...rest}: Machine): Machine => ({
      ...rest,
      http: {
        ...http,
        async request(request) {
          const answer = await http.request(request)
          if (isGone || !request.url.startsWith(`${SERVER}${PATH}/`)) return answer
          isGone = true
          return {...answer, status: 404}
        },
      },
    })
    await joinOn(host, {timeout: '6m'}, {...watch, wrap})
    expect(asked.filter(isList)).toHaveLength(2)
    expect(asked.length).toBeGreaterThan(3)
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
