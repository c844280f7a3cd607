// HNS reports vxlan0 without its subnet: the subnet is unknown, and not another one.
import {beforeAll, describe, expect, test} from 'vitest'
import {isRecord} from '../../src/config/shape.js'
import {parseJson} from '../../src/host/document.js'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import type {HnsReply} from '../../src/machine/win32.js'
import {examine} from '../doctor/doctor-rig.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {daemonsOn} from './daemons/daemons-on.js'
import {recoverOn} from './recover-on.js'
import {repairOn} from './watch/repair-on.js'

let made: HostFolder
beforeAll(async () => {
  made = HostFolder.empty()
  expect((await setupOn(made.dir)).result.exitCode).toBe(0)
})

function withoutSubnets(machine: Machine): Machine {
  return interceptMachine(machine, async (effect, perform) => {
    const answer = await perform()
    if (effect.what !== 'hnsCall' || effect.args[1] !== '/networks/') return answer
    const {response, ...rest} = answer as HnsReply
    const document = parseJson(response)
    const networks = isRecord(document) && Array.isArray(document['Output']) ? (document['Output'] as object[]) : []
    const output = networks.map((network) => ({...network, Subnets: undefined}))
    return {...rest, response: JSON.stringify({...(document as object), Output: output})} as typeof answer
  })
}

const COMMANDS: Readonly<Record<string, (host: HostFolder) => Promise<unknown>>> = {
  recover: ({dir}) => recoverOn(dir, {wrap: withoutSubnets}),
  setup: ({dir}) => setupOn(dir, {}, {wrap: withoutSubnets}),
  start: ({dir}) => daemonsOn(dir, 'start', {wrap: withoutSubnets}),
  'a repair by the service': ({dir}) => repairOn(dir, {wrap: withoutSubnets}),
}

const ids = (all: readonly Record<string, unknown>[]): unknown[] => all.map(({ID}) => ID).sort()
const kept = ({paths, world: {hns, services}}: HostFolder) => ({
  endpoints: ids(hns.endpoints),
  networks: ids(hns.networks),
  policyLists: ids(hns.policyLists),
  processes: Object.entries(services).map(([name, {processId}]) => [name, processId]),
  reserved: paths.filter((path) => path.includes('networks/vxlan0')),
})

describe('a subnet that HNS does not report is not another subnet', () => {
  test.each(Object.keys(COMMANDS))('%s changes nothing for it', async (command) => {
    const host = made.copy()
    const before = kept(host)
    await COMMANDS[command]?.(host)
    expect(kept(host)).toEqual(before)
  })

  test('recover has nothing to change', async () => {
    const {result} = await recoverOn(made.copy().dir, {wrap: withoutSubnets})
    expect(result).toMatchObject({recap: {changed: 0}})
    expect(result.steps.filter(({state}) => state === 'failed')).toEqual([])
  })

  test('status says that it is unknown, and names no problem', async () => {
    const {document} = await statusOn(made.dir, {wrap: withoutSubnets})
    expect(document.problems).toEqual([])
    expect(document.notChecked).toContainEqual(expect.objectContaining({what: 'the subnet of vxlan0'}))
    expect(document).toMatchObject({network: {present: true, subnet: ''}, verdict: 'unknown'})
  })

  test('doctor says of the addresses of pods what it could not compare', async () => {
    const {check} = await examine(made.copy(), {wrap: withoutSubnets})
    expect(check('pod-addresses')).toMatchObject({result: 'not-checked'})
  })
})
