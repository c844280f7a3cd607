// node.yaml is lost, and only that: it is no longer known what the node was set up with. No command calls the node by
// another name, and setup makes no other node of it unless it is asked to.
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest'
import {openSimulator} from '../../src/simulator/simulator.js'
import {examine} from '../doctor/doctor-rig.js'
import {allowEverything} from '../fakes/administrator.js'
import {noteBeginning} from '../pipeline/ledger/note-in.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn, told} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {recoverOn} from './recover-on.js'

const STATE = String.raw`k\k8s-win`
const NODE_YAML = String.raw`${STATE}\node.yaml`
const GIVEN = {'node-label': ['a=b'], 'node-name': 'worker-7', release: '1.22.17'}

const node = HostFolder.empty()
beforeAll(async () => {
  await openSimulator({dir: node.dir, profile: 'ws2019'})
  // The certificate of the fresh host is for win-1.
  node.edit(allowEverything)
  expect((await setupOn(node.dir, GIVEN)).result.exitCode).toBe(0)
})
afterAll(() => node.discard())

function without(path: string): HostFolder {
  const host = node.copy()
  onTestFinished(() => host.discard())
  host.remove(path)
  return host
}

const nodesOf = ({world}: HostFolder) => world.cluster.nodes.map(({name}) => name)
const kubeletOf = ({world}: HostFolder) => world.services['kubelet']?.config.imagePath ?? ''

describe('setup', () => {
  test.each([
    [NODE_YAML, 'NODE_OPTIONS_LOST', String.raw`--config C:\k\k8s-win\node-copy.yaml`],
    [STATE, 'RECORDS_LOST', '--node-label a=b'],
  ])('review W3-7: without %s is refused, again and again: %s, as by other commands', async (path, id, known) => {
    const host = without(path)
    const {document} = await statusOn(host.dir)
    expect(document.problems[0]?.id).toBe(id)
    expect((await recoverOn(host.dir)).result).toMatchObject({
      error: {fix: document.problems[0]?.next, id},
      exitCode: 3,
    })
    for (const given of [{}, {release: '1.22.17'}, {}]) {
      const {result} = await setupOn(host.dir, given)
      expect(result).toMatchObject({error: {fix: document.problems[0]?.next, id}, exitCode: 3})
      expect(result.error?.fix).toContain(`"k8s-win setup --node-name worker-7 ${known}" with all other options`)
    }
    expect(kubeletOf(host)).toBe(kubeletOf(node))
  })

  test('continues with the options of the node, and stores them again', async () => {
    const host = without(NODE_YAML)
    const {result} = await setupOn(host.dir, GIVEN)
    expect(result).toMatchObject({exitCode: 0, recap: {changed: 0}})
    expect(host.read(NODE_YAML)).toBe(node.read(NODE_YAML))
  })

  test('that is run without them does not rename the node', async () => {
    const host = without(NODE_YAML)
    const {result} = await setupOn(host.dir, {'ignore-check': ['node-name']})
    expect(result).toMatchObject({exitCode: 0, node: {name: 'worker-7'}})
    expect(nodesOf(host)).toEqual(nodesOf(node))
  })

  test('of a node that was cut short continues under the name it has', async () => {
    const host = without(NODE_YAML)
    noteBeginning(host, 'setup')
    const {result} = await setupOn(host.dir, {release: '1.22.17'})
    expect(result).toMatchObject({exitCode: 0, node: {name: 'worker-7'}})
  })
})

test('status of a base directory that the node has left says where it is', async () => {
  const host = node.copy()
  onTestFinished(() => host.discard())
  host.edit(({services}) => {
    for (const service of Object.values(services))
      service.config = {...service.config, imagePath: service.config.imagePath.replaceAll('C:\\k\\', 'C:\\k2\\')}
  })
  const {document} = await statusOn(host.dir)
  expect(document).toMatchObject({drift: null, exitCode: 9, verdict: 'not set up'})
  expect(document.problems.map(told)).toEqual([String.raw`setup: C:\k`])
  expect(document.problems[0]).toMatchObject({
    cause: expect.stringContaining(String.raw`C:\k2`) as string,
    next: expect.stringContaining(String.raw`--base-dir "C:\k2"`) as string,
  })
})

test('status says that the options are lost, and calls no other node missing', async () => {
  const {document} = await statusOn(without(NODE_YAML).dir)
  expect(document).toMatchObject({drift: null, exitCode: 8, node: {name: 'worker-7', ready: true}, release: '1.22.17'})
  expect(document.programs?.every(({state}) => state === 'verified')).toBe(true)
  expect(document.problems.map(told)).toEqual([`setup: C:\\${NODE_YAML}`])
  expect(document.problems[0]).toMatchObject({
    id: 'NODE_OPTIONS_LOST',
    next: expect.stringMatching(/^Run "k8s-win setup --node-name worker-7 --config /) as string,
  })
})

test('status of a setup that was cut short holds nothing against the defaults', async () => {
  const host = without(NODE_YAML)
  noteBeginning(host, 'setup')
  const {document} = await statusOn(host.dir)
  expect(document.node?.name).toBe('worker-7')
  expect(document.problems.map(told)).toEqual([String.raw`setup: C:\k`])
  expect(document.problems[0]?.next).toBe('Run "k8s-win setup" with the options it was run with: it resumes.')
})

test.each([NODE_YAML, STATE])('doctor without %s looks at the right node, and fails', async (path) => {
  const {check, document, notable} = await examine(without(path))
  expect(document).toMatchObject({exitCode: 3, node: 'unknown'})
  expect(notable).toMatchObject({'node-records': 'fail'})
  expect(check('node-records').fix).toMatch(/--node-name/)
  expect([check('node-name').message, check('node-condition').message]).toEqual(['worker-7', 'worker-7 is Ready'])
})
