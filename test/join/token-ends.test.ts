// A bootstrap token that ends during a join: before the node has its certificate, and after.
import {describe, expect, test} from 'vitest'
import {isTransient} from '../../src/errors/catalogue.js'
import type {Effect} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {ADMIN_CERTIFICATE, CLUSTER_CA} from '../../src/simulator/cluster/certificates.js'
import type {InProcessRun, Watch} from '../setup/in-process.js'
import type {HostFolder} from '../steps/host-folder.js'
import {joiningHost, joinOn, KEYS, SERVER} from './joining-host.js'

const SECRET = '/api/v1/namespaces/kube-system/secrets/bootstrap-token-abcdef'

/** As the cluster's token cleaner does it. */
async function endToken({http}: Machine): Promise<void> {
  const tls = {ca: CLUSTER_CA, ...ADMIN_CERTIFICATE}
  const {status} = await http.request({
    deadlineMs: 1000,
    effect: 'change',
    method: 'DELETE',
    tls,
    url: `${SERVER}${SECRET}`,
  })
  expect(status).toBe(200)
}

interface Ended {
  /** Requests with the token since its end. */
  readonly asked: string[]
  readonly watch: Watch
}

/** The token ends after the first effect that is `when`. */
function tokenEnds(when: (effect: Effect) => boolean): Ended {
  const asked: string[] = []
  let isOver = false
  return {
    asked,
    watch: {
      async after(effect, machine) {
        if (isOver || !when(effect)) return
        isOver = true
        await endToken(machine)
      },
      wrap: (machine) => ({
        ...machine,
        http: {
          ...machine.http,
          request(request) {
            if (isOver && request.headers?.['authorization'] !== undefined) asked.push(request.url)
            return machine.http.request(request)
          },
        },
      }),
    },
  }
}

const stepOf = ({result}: InProcessRun): string | undefined => result.steps.find(({state}) => state === 'failed')?.id

/** Of the files that only a kubelet with a certificate has. */
const isCertificate = (host: HostFolder): boolean => host.list(KEYS).some((name) => /^kubelet-client-\d/.test(name))

describe('a token that ends', () => {
  test('review J1: after the certificate was issued: everything speaks as the node, and the join succeeds', async () => {
    const host = await joiningHost()
    const {asked, watch} = tokenEnds(({what}) => what === 'securityOf' && isCertificate(host))
    const run = await joinOn(host, {}, watch)
    expect(run.result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect(host.world.cluster.secrets).toEqual([])
    expect(asked).toEqual([])
  })

  test('review R2-1: before the kubelet starts: a new token is asked for, and a launcher may try again', async () => {
    const host = await joiningHost()
    const run = await joinOn(host, {}, tokenEnds(({what}) => what === 'DOWNLOAD').watch)
    expect(stepOf(run)).toBe('kubelet-service')
    expect(run.result).toMatchObject({error: {id: 'JOIN_TOKEN_REFUSED'}, exitCode: 5})
    expect(run.result.error?.fix).toContain('k8s-win token create')
    expect(isTransient([run.result.error?.id ?? ''])).toBe(true)
  })

  test('review J2: before the request for a certificate: it is reported, long before the time of the run is over', async () => {
    const host = await joiningHost()
    const isKubelet = ({args, what}: Effect): boolean =>
      what === 'createService' && args[0]?.includes('kubelet') === true
    const run = await joinOn(host, {}, tokenEnds(isKubelet).watch)
    expect(host.world.cluster.certificateSigningRequests ?? []).toEqual([])
    expect(stepOf(run)).toBe('node-certificate')
    expect(run.result).toMatchObject({error: {id: 'JOIN_TOKEN_REFUSED'}, exitCode: 5})
    expect(run.result.durationMs).toBeLessThan(10 * 60_000)
  })
})
