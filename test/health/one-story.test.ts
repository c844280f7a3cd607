// status and doctor tell one story of a node: the same drift, the same programs, the same warnings.
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest'
import {statusRows} from '../../src/output/status/status-rows.js'
import type {StatusDocument} from '../../src/pipeline/run/status-report.js'
import type {World} from '../../src/simulator/world.js'
import {examine} from '../doctor/doctor-rig.js'
import {setupOn} from '../setup/in-process.js'
import {healthyNode, statusOn} from '../status/status-on.js'
import {firewallRulesDrifts} from '../steps/drifts/windows.js'
import {HostFolder} from '../steps/host-folder.js'

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

const rowOf = (document: StatusDocument, label: string) => statusRows(document).find((row) => row.label === label)

const stopped =
  (name: string) =>
  ({services}: World): void => {
    Object.assign(services[name] ?? {}, {processId: 0, stage: '', state: 'stopped'})
  }

test('review U6: with Docker stopped the images are not checked, and have not drifted', async () => {
  const host = copy((made) =>
    made.edit((world) => {
      stopped('docker')(world)
      world.docker.running = false
    }),
  )
  const {document} = await statusOn(host.dir)
  const states = document.drift?.filter(({step}) => step === 'base-images' || step === 'pause-image')
  expect(states?.map(({state}) => state)).toEqual(['not-checked', 'not-checked'])
  expect(rowOf(document, 'drift')).toMatchObject({
    mark: 'not-checked',
    text: expect.stringMatching(/^none; .*not checked/) as string,
  })
  expect((await examine(host)).check('drift')).toMatchObject({
    result: 'not-checked',
    message: expect.stringContaining('base-images, pause-image') as string,
  })
})

test('review U5: a full disk is reported with what is free and what is needed', async () => {
  const GIB = 2 ** 30
  const full = {fileSystem: 'NTFS', freeBytes: 3 * GIB, kind: 'fixed', totalBytes: 128 * GIB} as const
  const host = copy((made) => made.edit(({os}) => void (os.drives = {'C:': full})))
  const told = {id: 'DISK_FULL', seen: 'Drive C: has 3 GB free of 128 GB', wanted: 'at least 12.8 GB free'}
  expect((await statusOn(host.dir)).document.problems).toMatchObject([told])
  expect((await examine(host)).document.problems).toMatchObject([told])
})

describe('review U5: doctor does not call undrifted what status calls drifted', () => {
  test.each<[string, string, (host: HostFolder) => void]>([
    ['firewall-rules', 'node-firewall', (host) => firewallRulesDrifts[0]?.make(host)],
    ['flannel-binary', 'node-programs', (host) => host.put(String.raw`k\flanneld.exe`, 'other')],
    ['kubelet-service', 'node-services', (host) => host.edit(stopped('kubelet'))],
    [
      'node-registered',
      'node-condition',
      (host) => host.edit(({cluster}) => void (cluster.nodes = cluster.nodes.filter(({name}) => name !== 'win-1'))),
    ],
    [
      'pause-image',
      'image-build',
      (host) =>
        host.edit(
          ({docker}) =>
            void (docker.images = docker.images.filter((image) => !JSON.stringify(image).includes('pause'))),
        ),
    ],
  ])('%s', async (step, owner, change) => {
    const host = copy(change)
    const {document} = await statusOn(host.dir)
    const drifted = document.drift?.filter(({state}) => state === 'drifted' || state === 'missing')
    expect(drifted?.map((one) => one.step)).toContain(step)
    const {check} = await examine(host)
    expect(check('drift')).toMatchObject({
      dependsOn: owner,
      result: 'not-checked',
      message: expect.stringContaining(step) as string,
    })
    expect(check(owner as 'node-firewall').result).toBe('fail')
  })

  test('a healthy node has none', async () => {
    expect((await examine(copy(() => {}))).check('drift')).toMatchObject({result: 'pass'})
  })
})

test('review U5: programs whose digests a cut journal has lost are not checked, in status and doctor', async () => {
  const journal = String.raw`k\k8s-win\journal.ndjson`
  const host = copy((made) => made.put(journal, made.read(journal).slice(0, 6000)))
  const {document} = await statusOn(host.dir)
  const lost = document.programs?.filter(({state}) => state === 'not-checked').length ?? 0
  expect(lost).toBeGreaterThan(0)
  expect(document.programs?.map(({state}) => state)).not.toContain('other version')
  expect(document.notChecked.map(({what}) => what)).toContain(`${lost} programs`)
  expect(rowOf(document, 'programs')).toMatchObject({
    mark: 'not-checked',
    text: expect.stringContaining(`${lost} not checked`) as string,
  })
  expect((await examine(host)).check('node-programs')).toMatchObject({
    result: 'not-checked',
    message: expect.stringContaining(`${lost} programs: the journal has lost the digests`) as string,
  })
})

test('review U5: what doctor warns of status and the end of setup warn of too', async () => {
  const host = copy((made) =>
    made.edit(({cluster}) => {
      const {annotations = {}} = cluster.nodes.find(({name}) => name === 'linux-1') ?? {}
      annotations['flannel.alpha.coreos.com/backend-data'] = '{"VNI":1}'
    }),
  )
  const warning = /linux-1 has VNI 1/
  const {document} = await statusOn(host.dir)
  expect(document).toMatchObject({verdict: 'healthy', warnings: [expect.stringMatching(warning) as string]})
  expect((await examine(host)).check('peers')).toMatchObject({result: 'warn'})
  const {events, result} = await setupOn(host.dir)
  expect(result.exitCode).toBe(0)
  const warned = events.flatMap((event) => (event.type === 'log' && event.level === 'warn' ? [event.message] : []))
  expect(warned.filter((message) => warning.test(message))).toHaveLength(1)
})

test('review U5: this node is none of the other nodes', async () => {
  const host = copy((made) =>
    made.edit(({cluster}) => {
      Object.assign(cluster.nodes.find(({name}) => name === 'win-1') ?? {}, {annotations: {}})
    }),
  )
  expect((await examine(host)).check('peers')).toMatchObject({result: 'pass'})
})

test('review U6: a drive that does not exist is the root cause, for doctor and setup', async () => {
  const given = {'base-dir': String.raw`Z:\k`}
  const host = HostFolder.empty()
  onTestFinished(() => host.discard())
  const {result} = await setupOn(host.dir, given)
  const ids = (result.errors ?? (result.error ? [result.error] : [])).map(({id}) => id)
  expect(ids[0]).toBe('DRIVE_MISSING')
  expect(ids).not.toContain('BASE_DIR_MISSING')
  const {document} = await examine(host, {given})
  expect(document.problems[0]).toMatchObject({id: 'DRIVE_MISSING'})
  expect(document.problems.map(({id}) => id)).not.toContain('BASE_DIR_MISSING')
})

test('review U6: the row of the identity says that there is no kubeconfig', async () => {
  const host = copy((made) => made.remove(String.raw`k\kubeconfig`))
  const {document} = await statusOn(host.dir)
  expect(rowOf(document, 'identity')).toMatchObject({
    mark: 'bad',
    text: expect.stringMatching(/^no kubeconfig/) as string,
  })
  const [problem] = document.problems
  const [identity] = document.identities ?? []
  const lapsed = {
    ...document,
    problems: problem ? [{...problem, id: 'CREDENTIALS_LAPSED', subject: identity?.file ?? ''}] : [],
  }
  expect(rowOf(lapsed, 'identity')?.text).toContain('expired')
})
