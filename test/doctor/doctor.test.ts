// doctor as a whole: which checks run where, in which groups, what they end with, and that none hides the others.
import {describe, expect, it} from 'vitest'
import {CHECK_IDS, NODE_CHECK_IDS} from '../../src/config/check-ids.js'
import {checksOf} from '../fixtures/checks-of.js'
import {InterruptedError} from '../../src/pipeline/run/to-user-error.js'
import {GROUP_OF, GROUPS} from '../../src/config/check-ids.js'
import {NODE_CHECKS, REPORTING_CHECKS} from '../../src/health/health-checks.js'
import {schemaErrors} from '../schemas.js'
import {noteBeginning} from '../pipeline/ledger/note-in.js'
import {examine, freshHost, setUpNode} from './doctor-rig.js'

describe('the checks of a node', () => {
  it('are those that have a name, each with a title of its own and a group', () => {
    const checks = [...REPORTING_CHECKS, ...NODE_CHECKS]
    expect(checks.map(({id}) => id).sort()).toEqual([...NODE_CHECK_IDS].sort())
    expect(new Set(checks.map(({title}) => title)).size).toBe(checks.length)
    expect(Object.keys(GROUP_OF).sort()).toEqual([...CHECK_IDS, ...NODE_CHECK_IDS].sort())
    expect(new Set(Object.values(GROUP_OF))).toEqual(new Set(Object.keys(GROUPS)))
  })
})

describe('a host that was never set up', () => {
  it('gets the checks of setup and no others, and passes', async () => {
    const {document, told} = await examine(await freshHost())
    const ids = document.groups.flatMap(({checks}) => checks.map(({id}) => id))
    expect(ids.sort()).toEqual(checksOf('docker'))
    expect(document).toMatchObject({command: 'doctor', exitCode: 0, node: 'absent', verdict: 'passed'})
    expect(document.recap).toEqual({failed: 0, notChecked: 0, passed: checksOf('docker').length, warned: 0})
    expect(told.map(({id}) => id).sort()).toEqual(checksOf('docker'))
    expect(schemaErrors('doctor', document)).toEqual([])
  })

  it('that does not qualify: exit 3, all reasons with their fix, warnings beside them', async () => {
    const host = await freshHost((world) => {
      world.docker.mode = 'linux'
      world.os.ubr = 1
      world.adapters[0] = {...world.adapters[0], dhcp: true} as (typeof world.adapters)[number]
    })
    const {check, document, notable} = await examine(host)
    expect(notable).toEqual({'docker-mode': 'fail', 'interface-address': 'warn', 'windows-patch': 'fail'})
    expect(document).toMatchObject({exitCode: 3, recap: {failed: 2, warned: 1}, verdict: 'failed'})
    expect(check('docker-mode').fix).toMatch(/Windows containers/)
    expect(schemaErrors('doctor', document)).toEqual([])
  })

  it('warnings alone do not fail', async () => {
    const host = await freshHost((world) => {
      world.adapters[0] = {...world.adapters[0], dhcp: true} as (typeof world.adapters)[number]
    })
    const {document} = await examine(host)
    expect(document).toMatchObject({exitCode: 0, verdict: 'warned'})
  })

  it('a check that is ignored only warns', async () => {
    const host = await freshHost((world) => (world.docker.mode = 'linux'))
    const {document, notable} = await examine(host, {given: {'ignore-check': ['docker-mode']}})
    expect(notable).toEqual({'docker-mode': 'warn'})
    expect(document.exitCode).toBe(0)
  })

  it('is judged with the options setup would get', async () => {
    const {notable} = await examine(await freshHost(), {
      environment: {K8S_WIN_CLUSTER_CIDR: '10.200.0.0/16'},
      given: {'interface-name': 'Ethernet9'},
    })
    expect(notable).toMatchObject({'flannel-config': 'fail', interface: 'fail', 'pod-network': 'fail'})
  })
})

describe('a node that is set up', () => {
  it('passes everything, the checks that make sense only before setup too', async () => {
    const {document, notable, told} = await examine(await setUpNode())
    expect(notable).toEqual({})
    expect(document).toMatchObject({exitCode: 0, node: 'set-up', verdict: 'passed'})
    // One of them is of containerd only.
    expect(document.recap.passed).toBe(checksOf('docker').length + NODE_CHECK_IDS.length - 1)
    expect(document.groups.map(({id}) => id)).toEqual(Object.keys(GROUPS).filter((id) => id !== 'containerd'))
    expect(told.every(({durationMs, group}) => durationMs >= 0 && group in GROUPS)).toBe(true)
    expect(schemaErrors('doctor', document)).toEqual([])
  })

  it('half-made: the records say so', async () => {
    const host = await setUpNode((world) => Reflect.deleteProperty(world.services, 'kubeproxy'))
    noteBeginning(host, 'setup')
    for (const file of ['node.yaml', 'result.json']) host.remove(`k\\k8s-win\\${file}`)
    const {check, document} = await examine(host)
    expect(document).toMatchObject({exitCode: 3, node: 'begun'})
    expect(check('node-records').result).toBe('fail')
    expect(document.problems[0]).toMatchObject({id: 'SETUP_UNFINISHED'})
  })

  it.each([
    ['nonsense', 'nonsense: [', /cannot be used/],
    ['another kind', 'apiVersion: v1\nkind: Pod\n', /cannot be used/],
    ['a release that is none', 'apiVersion: k8s-win/v1\nkind: NodeConfig\nrelease: "9.9.9"\n', /cannot be used/],
  ])('with %s stored: a finding, not the end', async (_, content, message) => {
    const host = await setUpNode()
    host.put(String.raw`k\k8s-win\node.yaml`, content)
    const {check, document} = await examine(host)
    expect(check('node-records')).toMatchObject({message: expect.stringMatching(message) as string, result: 'fail'})
    expect(document.exitCode).toBe(3)
    expect(schemaErrors('doctor', document)).toEqual([])
  })

  it('with a damaged journal: degraded, as status says', async () => {
    const host = await setUpNode()
    const path = String.raw`k\k8s-win\journal.ndjson`
    host.put(path, `{"at":1,"what\n${host.read(path)}`)
    const {check} = await examine(host)
    expect(check('node-records')).toMatchObject({fix: expect.stringMatching(/setup/) as string, result: 'fail'})
  })

  it('for a user who is not an administrator: what can be seen is reported, and nothing breaks', async () => {
    const {document, notable} = await examine(await setUpNode((world) => (world.os.administrator = false)))
    expect(notable).toMatchObject({
      administrator: 'fail',
      'overlay-network': 'not-checked',
      'stale-endpoints': 'not-checked',
    })
    expect(document.groups.flatMap(({checks}) => checks.map(({message}) => message)).join()).not.toMatch(/broke/)
    expect(schemaErrors('doctor', document)).toEqual([])
  })
})

describe('a check that does not finish', () => {
  const onPorts = ({args, via}: {args: readonly string[]; via: string}): boolean =>
    via === 'run' && args.includes('excludedportrange')

  it('is given up, and the others are reported', async () => {
    const {check, document, notable} = await examine(await setUpNode(), {
      faults: [
        {at: ({what}) => what === 'canSend', does: 'hang', when: 'before'},
        {at: onPorts, does: 'hang', when: 'before'},
      ],
    })
    expect(notable).toEqual({'reserved-ports': 'warn', 'vxlan-port': 'warn'})
    expect(check('reserved-ports').message).toMatch(/No response to: .*netsh/)
    expect(document.durationMs).toBeLessThan(61_000)
    expect(schemaErrors('doctor', document)).toEqual([])
  })

  it('that breaks by a bug of k8s-win is reported as one, and hides nothing', async () => {
    const broken = new TypeError('x is not a function')
    const {check, document, notable} = await examine(await setUpNode(), {
      faults: [{at: onPorts, does: broken, when: 'before'}],
    })
    expect(notable).toEqual({'reserved-ports': 'warn'})
    expect(check('reserved-ports').message).toMatch(/^The check "reserved-ports" failed unexpectedly/)
    expect(document.exitCode).toBe(0)
  })
})

describe('secrets', () => {
  it('are in nothing that is reported, also where an error has them', async () => {
    const host = await freshHost()
    const [, data = ''] = /client-key-data: (\S+)/.exec(host.read(String.raw`k\kubeconfig`)) ?? []
    const key = Buffer.from(data, 'base64').toString('utf8')
    expect(key).toContain('PRIVATE KEY')
    const leak = new Error(`${data} ${key}`)
    const {document, told} = await examine(host, {
      faults: [{at: ({what}) => what === 'memory', does: leak, when: 'before'}],
    })
    const text = JSON.stringify([document, told])
    expect(text).toContain('failed unexpectedly')
    for (const secret of [data, ...key.split('\n').filter((line) => /^[\w+/=]{20,}$/.test(line))]) {
      expect(text).not.toContain(secret)
    }
  })
})

describe('a request that is wrong by itself', () => {
  it.each([
    [{'base-dir': 'k'}, 'BAD_VALUE'],
    [{'cluster-cidr': '10.244.0.0'}, 'BAD_VALUE'],
    [{config: 'C:\\nothing.yaml'}, 'CONFIG_FILE_UNUSABLE'],
    [{'ignore-check': ['dokcer']}, 'BAD_VALUE'],
  ])('%j: exit 2', async (given, id) => {
    const problem = await examine(await freshHost(), {given}).catch((error: unknown) => error)
    expect(problem).toMatchObject({exitCode: 2, problems: [expect.objectContaining({id})]})
  })

  it('interrupted: exit 130', async () => {
    const signal = AbortSignal.abort(new InterruptedError())
    await expect(examine(await freshHost(), {signal})).rejects.toMatchObject({exitCode: 130, id: 'INTERRUPTED'})
  })
})
