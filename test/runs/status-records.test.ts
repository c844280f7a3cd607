// What status says where setup never was, did not end, or left records that a user has changed since.
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest'
import type {StepId} from '../../src/config/step-ids.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {healthyNode, statusOn, told} from '../status/status-on.js'
import {noteBeginning, noteStop} from '../pipeline/ledger/note-in.js'
import {HostFolder} from '../steps/host-folder.js'
import {temporaryFolder} from '../steps/rig.js'

const NODE_YAML = String.raw`k\k8s-win\node.yaml`
const JOURNAL = String.raw`k\k8s-win\journal.ndjson`

let node = HostFolder.empty()
beforeAll(async () => {
  node.discard()
  node = await healthyNode()
})
afterAll(() => node.discard())

function copy(change: (host: HostFolder) => void): HostFolder {
  const host = node.copy()
  onTestFinished(() => host.discard())
  change(host)
  return host
}

describe('where there is no node', () => {
  test('status ends with 9 and names the next command', async () => {
    const dir = temporaryFolder()
    await openSimulator({dir, profile: 'ws2019'})
    const {document} = await statusOn(dir)
    expect(document).toMatchObject({drift: null, exitCode: 9, node: null, services: [], verdict: 'not set up'})
    expect(document.problems).toMatchObject([{area: 'setup', command: 'k8s-win setup', subject: String.raw`C:\k`}])
  })

  test.each([String.raw`D:\elsewhere`, String.raw`C:\other`])('a folder that is not its own: %s', async (baseDir) => {
    const {document} = await statusOn(node.dir, {baseDir})
    expect(document).toMatchObject({baseDir, exitCode: 9})
    expect(document.problems[0]?.cause).toContain(String.raw`run from C:\k`)
    expect(document.problems[0]?.next).toContain(String.raw`--base-dir "C:\k"`)
  })

  test('the folder may come from the environment', async () => {
    const environment = {K8S_WIN_BASE_DIR: String.raw`C:\other`, K8S_WIN_RELEASE: '1.22.17'}
    expect((await statusOn(node.dir, {environment})).document).toMatchObject({
      baseDir: String.raw`C:\other`,
      exitCode: 9,
    })
    // What else is there would make it look like another node.
    const {document} = await statusOn(node.dir, {environment: {K8S_WIN_RELEASE: '1.22.17'}})
    expect(document).toMatchObject({exitCode: 0, release: '1.21.5'})
  })

  test('a folder that cannot be one is the mistake of who asks', async () => {
    await expect(statusOn(node.dir, {baseDir: 'relative'})).rejects.toMatchObject({exitCode: 2})
  })
})

describe('where setup did not finish', () => {
  test('what is there is reported, and how the last run ended', async () => {
    const host = copy((one) => {
      noteBeginning(one, 'setup')
      one.remove(NODE_YAML)
      one.put(
        String.raw`k\k8s-win\result.json`,
        JSON.stringify({command: 'setup', error: {message: 'The disk is full'}}),
      )
    })
    const {document} = await statusOn(host.dir)
    expect(document).toMatchObject({drift: null, exitCode: 8, node: {ready: true}})
    expect(document.problems).toMatchObject([
      {
        area: 'setup',
        cause: 'The last run ended with: The disk is full.',
        next: 'Run "k8s-win setup" with the options it was run with: it resumes.',
      },
    ])
    expect(document.notChecked.map(({what}) => what)).toEqual(['drift'])
  })

  test('review U2-12: it is one problem with its step, and what follows from it is none', async () => {
    const host = copy((one) => {
      noteStop(one, 'setup', 'source-vip')
      one.remove(NODE_YAML)
      one.remove(String.raw`var\lib\cni\networks\vxlan0`)
      one.edit(({services}) => void Reflect.deleteProperty(services, 'kubeproxy'))
    })
    const {document} = await statusOn(host.dir)
    expect(document.problems.map(({id}) => id)).toEqual(['SETUP_UNFINISHED'])
    expect(document.problems[0]?.seen).toContain('at the step source-vip')
    expect(document.network).toMatchObject({sourceVip: null})
  })

  test.each<[StepId, readonly string[]]>([
    ['overlay-network', ['SETUP_UNFINISHED']],
    ['source-vip', ['SETUP_UNFINISHED', 'INTERFACE_WITHOUT_ADDRESS', 'API_SERVER_UNREACHABLE']],
  ])('review U2-12: the interruption of the network is part of it at the step %s: %j', async (id, problems) => {
    const host = copy((one) => {
      noteStop(one, 'setup', id)
      one.remove(NODE_YAML)
      one.edit((world) => {
        world.cluster.reachable = false
        world.adapters = world.adapters.map((adapter) => ({...adapter, addresses: []}))
      })
    })
    const {document} = await statusOn(host.dir)
    // Of the complete node that this one was made from.
    const ofKubeProxy = 'SERVICES_UNREADABLE'
    expect(document.problems.map((one) => one.id).filter((one) => one !== ofKubeProxy)).toEqual(problems)
  })

  test('review U2-12: of a setup that was killed the journal names the step', async () => {
    const host = copy((one) => {
      noteBeginning(one, 'setup')
      one.remove(NODE_YAML)
      one.remove(String.raw`k\k8s-win\result.json`)
      one.put(String.raw`k\k8s-win\lock.json`, JSON.stringify({command: 'k8s-win setup'}))
    })
    const step = host.journal.findLast(({kind}) => kind !== 'began')?.step
    const {document} = await statusOn(host.dir)
    expect(document.problems.map(({id}) => id)).toEqual(['SETUP_UNFINISHED'])
    expect(document.problems[0]?.seen).toContain(`at the step ${String(step)}`)
  })
})

test.each([
  ['is running', true, /^k8s-win is running on this node \(since 2026-11-15T12:00:00\.000Z: k8s-win setup\)$/],
  ['died', false, /^a run of k8s-win was killed on this node \(since 2026-11-15T12:00:00\.000Z: k8s-win setup\)$/],
])('a run that %s on a node that is set up is a warning', async (_, isHeld, warning) => {
  const record = JSON.stringify({
    command: 'k8s-win setup',
    processId: 4711,
    since: '2026-11-15T12:00:00.000Z',
    user: 'x',
  })
  const host = copy((one) => one.put(String.raw`k\k8s-win\lock.json`, record))
  const release = isHeld ? host.lock(String.raw`Global\k8s-win`) : undefined
  const {document} = await statusOn(host.dir)
  await release?.()
  expect(document.warnings).toEqual([expect.stringMatching(warning)])
})

test('a Docker elsewhere, which a user works with, is not the one of the node', async () => {
  const {document} = await statusOn(node.dir, {dockerHost: 'tcp://10.9.9.9:2375'})
  expect(document).toMatchObject({exitCode: 0, runtime: {running: true}})
})

describe('records that were changed', () => {
  const rubbish = '\u0000\u0001rubbish\n'

  test.each<[string, (host: HostFolder) => void, string]>([
    [
      'others may write node.yaml',
      (host) =>
        host.edit(({security}) => {
          security[`c:\\${NODE_YAML}`] = 'O:BAD:AI(A;;FA;;;SY)(A;;FA;;;BA)(A;;FA;;;WD)'
        }),
      `setup: C:\\${NODE_YAML}`,
    ],
    ['node.yaml is rubbish', (host) => host.put(NODE_YAML, rubbish), `setup: C:\\${NODE_YAML}`],
    ['node.yaml is empty', (host) => host.put(NODE_YAML, ''), `setup: C:\\${NODE_YAML}`],
    [
      'node.yaml is a folder',
      (host) => {
        host.remove(NODE_YAML)
        host.put(`${NODE_YAML}\\x`, '')
      },
      `setup: C:\\${NODE_YAML}`,
    ],
    [
      'a line of the journal is rubbish',
      (host) => host.put(JOURNAL, `${rubbish}${host.read(JOURNAL)}`),
      `setup: C:\\${JOURNAL}`,
    ],
    ['the journal is rubbish', (host) => host.put(JOURNAL, rubbish.repeat(10)), `setup: C:\\${JOURNAL}`],
    [
      'the journal is a folder',
      (host) => {
        host.remove(JOURNAL)
        host.put(`${JOURNAL}\\x`, '')
      },
      `setup: C:\\${JOURNAL}`,
    ],
  ])('%s', async (_, change, problem) => {
    const {document} = await statusOn(copy(change).dir)
    expect(document.exitCode).toBe(8)
    expect(document.problems.filter(({area}) => area === 'setup').map(told)).toEqual([problem])
    expect(document).toMatchObject({network: {subnet: '10.244.3.0/24'}, node: {ready: true}})
    expect(document.services).not.toEqual([])
    expect(document.services.filter(({state}) => state !== 'running')).toEqual([])
  })

  test('a journal that names the programs of others believes none of it', async () => {
    const host = copy((one) =>
      one.put(JOURNAL, one.read(JOURNAL).replaceAll(/"sha256":"[0-9a-f]{64}"/g, `"sha256":"${'0'.repeat(64)}"`)),
    )
    const {document} = await statusOn(host.dir)
    expect(document.programs).toHaveLength(9)
    expect(document.programs?.map(({state}) => state)).not.toContain('verified')
  })

  test('the journal is gone', async () => {
    const {document} = await statusOn(copy((host) => host.remove(JOURNAL)).dir)
    expect(document).toMatchObject({exitCode: 8, programs: null})
    expect(document.notChecked.map(({what}) => what)).toContain('the programs')
  })
})
