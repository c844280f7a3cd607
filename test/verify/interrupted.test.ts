// The smoke test cut short: its pod is removed, at the latest by the next one.
import {describe, expect, it} from 'vitest'
import {HttpError, type HttpResponse} from '../../src/machine/http.js'
import {type Effect, interceptMachine} from '../../src/machine/intercept.js'
import {InterruptedError} from '../../src/pipeline/run/to-user-error.js'
import {CrashError, faultyMachine} from '../fakes/faulty.js'
import {CONTAINERD_PROFILE, setUpHost} from '../reset/set-up-host.js'
import {HostFolder} from '../steps/host-folder.js'
import {all, podsLeft, verifyOn} from './verify-run.js'

const node = setUpHost({}, undefined, CONTAINERD_PROFILE)
const POD = 'k8s-win-verify-win-1'
const isCreation = ({args, what}: Effect): boolean => what === 'POST' && String(args[0]).endsWith('/pods')
const isOfPods = ({args, via}: Effect): boolean =>
  via === 'http' && String(args[0]).includes('/namespaces/default/pods')

describe('Ctrl-C', () => {
  it('while the pod runs: it is deleted', async () => {
    const host = node.copy()
    const stop = new AbortController()
    const {result} = await verifyOn(host, {
      signal: stop.signal,
      wrap: (machine) =>
        interceptMachine(machine, async (effect, perform) => {
          const done = await perform()
          if (isCreation(effect)) stop.abort(new InterruptedError())
          return done
        }),
    })
    expect(result).toMatchObject({exitCode: 130, outcome: 'interrupted'})
    expect(podsLeft(host)).toEqual([])
  })
})

it('--timeout expires: the pod is deleted', async () => {
  const host = node.copy()
  host.edit(({hns}) => (hns.networks = hns.networks.filter(({Name}) => Name !== 'vxlan0')))
  const {result} = await verifyOn(host, {timeoutMs: 60_000})
  expect(result).toMatchObject({error: {id: 'TIMEOUT_PASSED'}, exitCode: 6})
  expect(podsLeft(host)).toEqual([])
})

describe('the API server is lost', () => {
  const lost = (url: string): HttpError => new HttpError(url, 'ECONNREFUSED', `${url}: refused`)

  it('for good: what remains is reported, and the next verify removes it', async () => {
    const host = node.copy()
    let isCreated = false
    const {events, result} = await verifyOn(host, {
      wrap: (machine) =>
        interceptMachine(machine, async (effect, perform) => {
          if (isCreated && effect.via === 'http') throw lost(String(effect.args[0]))
          const done = await perform()
          isCreated ||= isCreation(effect)
          return done
        }),
    })
    expect(result).toMatchObject({error: {id: 'API_SERVER_LOST'}, exitCode: 6})
    const warnings = events.flatMap((event) => (event.type === 'log' && event.level === 'warn' ? [event.message] : []))
    expect(warnings.filter((message) => message.includes(`kubectl delete pod -n default ${POD}`))).toHaveLength(1)
    expect(podsLeft(host)).toEqual([POD])
    expect((await verifyOn(host)).checks).toEqual(all('pass'))
    expect(podsLeft(host)).toEqual([])
  })

  it('for a moment: the test continues', async () => {
    const host = node.copy()
    let failures = 0
    const {checks} = await verifyOn(host, {
      wrap: (machine) =>
        interceptMachine(machine, async (effect, perform) => {
          if (effect.what === 'GET' && isOfPods(effect) && failures++ % 2 === 1) throw lost(String(effect.args[0]))
          return perform()
        }),
    })
    expect(failures).toBeGreaterThan(3)
    expect(checks).toEqual(all('pass'))
    expect(podsLeft(host)).toEqual([])
  })

  it('before the answer to the creation came: the pod is deleted', async () => {
    const host = node.copy()
    const {result} = await verifyOn(host, {
      wrap: (machine) =>
        faultyMachine(machine, [{at: isCreation, does: lost('https://10.0.0.10:6443/api'), when: 'after'}]),
    })
    expect(result).toMatchObject({error: {id: 'API_SERVER_UNREACHABLE'}, exitCode: 3})
    expect(podsLeft(host)).toEqual([])
  })
})

it('the pod is deleted meanwhile', async () => {
  const host = node.copy()
  let isCreated = false
  const {result} = await verifyOn(host, {
    wrap: (machine) =>
      interceptMachine(machine, async (effect, perform) => {
        const done = await perform()
        if (isCreated && effect.what === 'GET' && isOfPods(effect)) return {...(done as object), status: 404} as never
        isCreated ||= isCreation(effect)
        return done
      }),
  })
  expect(result).toMatchObject({error: {id: 'SMOKE_POD_NOT_RUN'}, exitCode: 6})
  expect(result.error?.cause).toContain('deleted')
})

it('a pod of the same name that another made meanwhile is neither believed nor deleted', async () => {
  const host = node.copy()
  const deleted: unknown[] = []
  let isCreated = false
  const {checks, result} = await verifyOn(host, {
    wrap: (machine) =>
      interceptMachine(machine, async (effect, perform) => {
        if (effect.what === 'DELETE' && isOfPods(effect)) deleted.push(effect.args[0])
        const done = await perform()
        isCreated ||= isCreation(effect)
        if (!isCreated || effect.what !== 'GET' || !isOfPods(effect)) return done
        const {body} = done as HttpResponse
        return {
          ...(done as object),
          body: Buffer.from(body.toString().replace(/"uid":"[^"]*"/, '"uid":"other"')),
        } as never
      }),
  })
  expect(result).toMatchObject({error: {id: 'SMOKE_POD_NOT_RUN'}, exitCode: 6})
  expect(checks).toEqual({})
  expect(deleted).toEqual([])
})

describe('killed', () => {
  const isChange = ({kind, via}: Effect): boolean => kind === 'change' && via === 'http'

  it.each([
    [1, 'before', 0],
    [1, 'after', 1],
    [2, 'before', 1],
    [2, 'after', 0],
  ] as const)(
    'at request %s that changes something, %s it: the next verify leaves nothing',
    async (nth, when, left) => {
      const host = node.copy()
      let seen = 0
      const at = (effect: Effect): boolean => isChange(effect) && ++seen === nth
      const killed = verifyOn(host, {wrap: (machine) => faultyMachine(machine, [{at, does: 'crash', when}])})
      await expect(killed).rejects.toBeInstanceOf(CrashError)
      expect(podsLeft(host)).toHaveLength(left)
      const again = await verifyOn(host)
      expect(again.result.error).toBeUndefined()
      expect(again.checks).toEqual(all('pass'))
      expect(podsLeft(host)).toEqual([])
    },
  )

  it('at any other effect: there is nothing to remove', async () => {
    const effects: Effect[] = []
    await verifyOn(node.copy(), {
      wrap: (machine) =>
        interceptMachine(machine, (effect, perform) => {
          effects.push(effect)
          return perform()
        }),
    })
    expect(effects.filter(isChange)).toHaveLength(2)
    const before = effects.findIndex(isChange)
    const host = node.copy()
    const fault = {at: before - 1, does: 'crash', when: 'after'} as const
    await expect(verifyOn(host, {wrap: (machine) => faultyMachine(machine, [fault])})).rejects.toThrow()
    expect(podsLeft(host)).toEqual([])
  })
})

it('without a node: exit code 9', async () => {
  const host = await HostFolder.fresh()
  const {result} = await verifyOn(host)
  expect(result).toMatchObject({error: {id: 'NO_NODE'}, exitCode: 9})
})

it('while another run holds the lock: exit code 11', async () => {
  const host = node.copy()
  const free = host.lock(String.raw`Global\k8s-win`)
  const {result} = await verifyOn(host)
  expect(result).toMatchObject({error: {id: 'LOCK_HELD'}, exitCode: 11})
  await free?.()
})

it('by a user who is not an administrator of this host', async () => {
  const host = node.copy()
  host.edit(({os}) => (os.administrator = false))
  const {result} = await verifyOn(host)
  expect(result).toMatchObject({error: {id: 'NOT_ADMINISTRATOR'}, exitCode: 3})
})
