// An API server that cannot be asked: reported once, and how far the connection came.
import {describe, expect, test} from 'vitest'
import {HttpError} from '../../src/machine/http.js'
import type {Machine} from '../../src/machine/machine.js'
import {check, KUBECONFIG, kubeconfigOf} from './cluster-bench.js'

describe('an API server that cannot be asked', () => {
  test('is reported once, and how far the connection came', async () => {
    const {problems, results} = await check({sicken: (world) => (world.cluster.reachable = false)})
    expect(problems.map(({id}) => id)).toEqual(['API_SERVER_UNREACHABLE'])
    expect(problems[0]?.reason).toMatch(/ECONNREFUSED.*nothing is listening on the port/)
    const failed = Object.values(results).filter(({result}) => result === 'fail' || result === 'warn')
    expect(failed.map(({id}) => id)).toEqual(['api-server'])
    const unchecked = Object.values(results).filter(({result}) => result === 'not-checked')
    expect(unchecked.length).toBeGreaterThanOrEqual(9)
    for (const {dependsOn} of unchecked) expect(dependsOn).toBe('api-server')
    expect(unchecked.map(({id}) => id)).toContain('permissions')
  })

  /** The requests to the cluster never come back; TCP does, or does not. */
  const silent =
    (isOpen: boolean) =>
    (machine: Machine): Machine => ({
      ...machine,
      http: {
        ...machine.http,
        request: (request) =>
          request.url.includes(':6443')
            ? Promise.reject(new HttpError(request.url, 'ETIMEDOUT', `${request.url}: no answer within 15 s`))
            : machine.http.request(request),
      },
      net: {...machine.net, canConnect: async () => isOpen},
    })

  test.each([
    [true, /A TCP connection succeeds, but the server does not respond with TLS/],
    [false, /A TCP connection fails/],
  ])('a time-out is distinguished: TCP %s', async (isOpen, reason) => {
    const {problems} = await check({around: silent(isOpen)})
    expect(problems.map(({id}) => id)).toEqual(['API_SERVER_UNREACHABLE'])
    expect(problems[0]?.reason).toMatch(reason)
  })

  test('a kubeconfig that is not there is reported once', async () => {
    const {problems} = await check({given: {'kubelet-kubeconfig': String.raw`c:\nowhere`}})
    expect(problems.map(({id}) => id)).toEqual(['KUBECONFIG_MISSING'])
  })

  test.each([
    [-10_800_000, /3 h ahead of/],
    [10_800_000, /3 h behind/],
  ])('review R2-4: a clock that explains why credentials are rejected is reported, too: %i', async (ahead, says) => {
    const {problems} = await check({
      files: {[KUBECONFIG]: kubeconfigOf({token: 'of-another-cluster'})},
      sicken: ({cluster}) => void (cluster.clockAheadMs = ahead),
    })
    expect(problems.map(({id}) => id)).toEqual(['API_SERVER_REFUSES', 'CLOCK_WRONG'])
    expect(problems[1]?.message).toMatch(says)
  })

  test('unknown credentials are reported once', async () => {
    const {problems} = await check({files: {[KUBECONFIG]: kubeconfigOf({token: 'of-another-cluster'})}})
    expect(problems.map(({id}) => id)).toEqual(['API_SERVER_REFUSES'])
  })
})
