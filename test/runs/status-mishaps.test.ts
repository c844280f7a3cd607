// Whatever a machine answers, refuses or lost: status reports, in a document of its schema, and never breaks.
import fc from 'fast-check'
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest'
import {type Effect, interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {answerOf, refusalOf} from '../interruption/wrong-answers.js'
import {healthyNode, statusOn} from '../status/status-on.js'
import {UNHEALTHY_HOSTS} from '../hosts/unhealthy-nodes.js'
import {DRIFTS} from '../steps/drifts/index.js'
import {HostFolder} from '../steps/host-folder.js'
import {isWhole, turn} from '../sample.js'

let node = HostFolder.empty()
beforeAll(async () => {
  node.discard()
  node = await healthyNode()
})
afterAll(() => node.discard())

const nameOf = ({via, what}: Effect): string => `${via} ${what}`

/** Every effect of a kind is answered in another way. */
function answering(
  kind: string,
  answer: (effect: Effect) => (() => unknown) | undefined,
): (machine: Machine) => Machine {
  return (machine) =>
    interceptMachine(machine, async (effect, perform) => {
      const other = nameOf(effect) === kind ? answer(effect) : undefined
      return other ? (other() as never) : perform()
    })
}

const refusing = (effect: Effect) => () => {
  throw refusalOf(effect) ?? new Error('refused')
}

describe('every kind of question that status asks', () => {
  let kinds: string[] = []
  beforeAll(async () => {
    kinds = [...new Set((await statusOn(node.dir)).effects.map(nameOf))]
  })

  test.each([
    ['refused', 0, refusing],
    ['answered with nothing', 1, (effect: Effect) => answerOf(effect, 'wrong')],
    ['answered with rubbish', 2, (effect: Effect) => answerOf(effect, 'garbage')],
  ] as const)('may be %s', async (_, nth, answer) => {
    expect(kinds.length).toBeGreaterThan(12)
    for (const kind of turn(kinds, nth, Math.ceil(kinds.length / 3))) {
      const {document} = await statusOn(node.dir, {wrap: answering(kind, answer)})
      expect([kind, [0, 8, 9].includes(document.exitCode)]).toEqual([kind, true])
      expect(JSON.stringify(document)).not.toMatch(/TypeError|undefined is not|Cannot read prop| at \w+ \(/)
    }
  })
})

test('many things at once are all reported, each with a cause and a next command', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.subarray([...DRIFTS, ...UNHEALTHY_HOSTS.filter(({verdict}) => verdict !== 'unknown')], {
        maxLength: 12,
        minLength: 1,
      }),
      async (kinds) => {
        const host = node.copy()
        try {
          for (const kind of kinds) kind.make(host)
          const {document} = await statusOn(host.dir)
          expect(document.exitCode).toBe(8)
          expect(document.problems.length).toBeGreaterThan(0)
          const told = document.problems.map(({area, seen, subject}) => `${area} ${subject} ${seen}`)
          expect(new Set(told).size).toBe(told.length)
        } finally {
          host.discard()
        }
      },
    ),
    {numRuns: isWhole ? 50 : 3},
  )
})

/** At a shutdown of Windows the services stop in any order, and a kubelet complains of what is gone already. */
const SHUTDOWN = '"Error updating node status, will retry" err="dial tcp 10.0.0.10:6443: connectex: refused"'
/** A working kubelet repeats this for every pod whose image cannot be pulled. */
const BACK_OFF = String.raw`"Error syncing pod, skipping" err="failed to do request: Head \"https://r.example/v2/a\": dial tcp 10.0.0.9:443: i/o timeout"`

test.each([
  [1067, 'api-server-unreachable', SHUTDOWN],
  [1069, 'service-error-1069', SHUTDOWN],
  [1077, 'service-error-1077', SHUTDOWN],
  [1067, 'service-error-1067', BACK_OFF],
])('a service with exit code %i is explained by %s', async (exitCode, signature, said) => {
  const host = node.copy()
  onTestFinished(() => host.discard())
  host.edit(({services}) => {
    const {kubelet} = services
    if (kubelet) Object.assign(kubelet, {exitCode, processId: 0, state: 'stopped'})
  })
  const name = 'kubelet.exe.WIN-1.WORKGROUP_WIN-1$.log.INFO.20991231-235959.9999'
  host.put(String.raw`k\logs\kubelet` + `\\${name}`, `E1231 23:59:59.000000    9999 kubelet.go:1] ${said}\n`)
  const {problems} = (await statusOn(host.dir)).document
  expect(problems.find(({id, subject}) => id === 'SERVICE_DOWN' && subject === 'kubelet')).toMatchObject({signature})
})

test('what a daemon said last is shown without its secrets', async () => {
  const host = node.copy()
  onTestFinished(() => host.discard())
  host.edit(({services}) => {
    const {kubelet} = services
    if (kubelet) Object.assign(kubelet, {exitCode: 1067, processId: 0, state: 'stopped'})
  })
  const secret = 'c2VjcmV0LXNlY3JldC1zZWNyZXQ'
  const name = 'kubelet.exe.WIN-1.WORKGROUP_WIN-1$.log.INFO.20991231-235959.9999'
  const line = 'F1231 23:59:59.000000    9999 server.go:1] "Failed" header="Authorization: Bearer'
  host.put(String.raw`k\logs\kubelet` + `\\${name}`, `${line} ${secret}"\n`)
  const {document} = await statusOn(host.dir)
  const text = JSON.stringify(document)
  expect(text).toContain('Last log line: F1231 23:59:59.000000')
  expect(text).not.toContain(secret)
})
