// reset on a simulated host: what goes, in which order, what stays, and that a setup can follow.
import {describe, expect, test} from 'vitest'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {schemaErrors} from '../schemas.js'
import {setupOn} from '../setup/in-process.js'
import {resetOn} from './reset-run.js'
import {setUpHost} from './set-up-host.js'
import {differences, wholeHost} from './whole-host.js'
import {HostFolder} from '../steps/host-folder.js'

const HEALTH = String.raw`k\k8s-win\health.json`
const JOURNAL = String.raw`k\k8s-win\journal.ndjson`
const {before, copy} = setUpHost()

/** Every change of the host, in order; our own records and the log aside. */
function watchChanges(): {changes: string[]; wrap: (machine: Machine) => Machine} {
  const changes: string[] = []
  const isRecord = (path = ''): boolean => /\\k8s-win(?:\\|$)/.test(path)
  const wrap = (machine: Machine): Machine =>
    interceptMachine(machine, async ({args, kind, what}, perform) => {
      if (kind === 'change' && what !== 'takeMutex' && !isRecord(args[0])) changes.push([what, ...args].join(' '))
      return perform()
    })
  return {changes, wrap}
}

describe('with --purge', () => {
  test('the host is as it was before setup', async () => {
    const host = copy()
    host.put(HEALTH, '{}')
    const {result, warnings} = await resetOn(host.dir, {given: {purge: true}})
    expect(result).toMatchObject({command: 'reset', exitCode: 0, outcome: 'done', recap: {failed: 0, skipped: 0}})
    expect(warnings).toEqual([])
    const ids = result.steps.map(({id}) => id)
    expect(ids).toContain('pause-image')
    expect(ids.filter((id) => id.startsWith('containerd') || id === 'sandbox-image')).toEqual([])
    expect(differences(before(), wholeHost(host))).toEqual([])
  })

  test('a second reset finds nothing, says so and leaves no trace', async () => {
    const host = copy()
    await resetOn(host.dir, {given: {purge: true}})
    const {events, result} = await resetOn(host.dir, {given: {purge: true}})
    expect(result).toMatchObject({exitCode: 0, outcome: 'done', recap: {changed: 0, ok: 0}, steps: []})
    expect(JSON.stringify(events)).toContain('there is nothing to remove')
    expect(differences(before(), wholeHost(host))).toEqual([])
  })

  test('the records of a setup that went no further than its checks go too', async () => {
    const host = await HostFolder.fresh(({docker}) => (docker.running = false))
    const fresh = wholeHost(host)
    expect((await setupOn(host.dir)).result.exitCode).toBe(3)
    expect(differences(fresh, wholeHost(host))).not.toEqual([])
    expect((await resetOn(host.dir, {given: {purge: true}})).result.exitCode).toBe(0)
    expect(differences(fresh, wholeHost(host))).toEqual([])
  })
})

describe('without --purge', () => {
  test('only images, downloads, logs and our records stay', async () => {
    const host = copy()
    host.put(HEALTH, '{}')
    expect((await resetOn(host.dir)).result.exitCode).toBe(0)
    const stays = /^(?:files > k\/|world > security > c:\\k\\)(?:downloads|logs|k8s-win)\b|^world > docker > images\b/
    const left = differences(before(), wholeHost(host))
    expect(left.filter((difference) => !stays.test(difference))).toEqual([])
    expect(host.has(String.raw`k\k8s-win\node.yaml`)).toBe(false)
    expect(host.has(HEALTH)).toBe(false)
    expect(host.world.docker.images.flatMap(({tags}) => tags).sort()).toEqual([
      'kubeletwin/pause:latest',
      'mcr.microsoft.com/windows/nanoserver:1809',
      'mcr.microsoft.com/windows/servercore:ltsc2019',
    ])
  })

  test('what stays is reported in a line at the end, as the plan does', async () => {
    const host = copy()
    const LINE = 'this stays: images, downloads, logs (--purge removes them)'
    for (const given of [{'dry-run': true}, {}]) {
      const {events} = await resetOn(host.dir, {given})
      expect(events.at(-2)).toMatchObject({level: 'info', message: LINE, type: 'log'})
    }

    expect(JSON.stringify((await resetOn(host.dir, {given: {purge: true}})).events)).not.toContain('this stays')
  })

  test('a second reset changes nothing, also not the journal', async () => {
    const host = copy()
    await resetOn(host.dir)
    const journal = host.read(JOURNAL)
    const {changes, wrap} = watchChanges()
    const {result} = await resetOn(host.dir, {wrap})
    expect(result).toMatchObject({exitCode: 0, recap: {changed: 0, failed: 0}})
    expect(changes).toEqual([])
    expect(host.read(JOURNAL)).toBe(journal)
  })

  test('the journal names what stays, and a later reset --purge removes it', async () => {
    const host = copy()
    await resetOn(host.dir)
    const kinds = new Set([...host.read(JOURNAL).matchAll(/"kind":"([\w-]+)"/g)].map(([, kind]) => kind))
    expect([...kinds].sort()).toEqual(['directory', 'download', 'image-pull', 'image-tag', 'reset'])
    expect((await resetOn(host.dir, {given: {purge: true}})).result.exitCode).toBe(0)
    expect(differences(before(), wholeHost(host))).toEqual([])
  })

  test('a setup follows as on a fresh host, without fetching anything anew; and a reset follows that', async () => {
    const host = copy()
    await resetOn(host.dir)
    const {changes, wrap} = watchChanges()
    const {result} = await setupOn(host.dir, {}, {wrap})
    expect(result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect(changes.filter((change) => /^DOWNLOAD|images\/create/.test(change))).toEqual([])
    expect((await setupOn(host.dir)).result.recap).toMatchObject({changed: 0})
    await resetOn(host.dir, {given: {purge: true}})
    expect(differences(before(), wholeHost(host))).toEqual([])
  })
})

test('everything comes to rest, leaves the cluster while there is a network, and is taken away in this order', async () => {
  const {changes, wrap} = watchChanges()
  const host = copy()
  const container = (letter: string, labels: Record<string, string>) =>
    ({exitCode: 0, id: letter.repeat(64), image: 'sha256:gone', labels, name: letter, state: 'running'}) as const
  // A label that images of others have, and their containers with them.
  const theirs = container('b', {'io.kubernetes.display-name': 'a web server'})
  host.edit(({docker}) =>
    docker.containers.push(
      container('a', {'io.kubernetes.docker.type': 'container', 'io.kubernetes.pod.uid': 'u'}),
      theirs,
    ),
  )
  await resetOn(host.dir, {given: {purge: true}, wrap})
  const places = [
    /^stopService kubeproxy/,
    /^stopService flanneld/,
    /^stopService kubelet/,
    /^DELETE .*\/containers\/a+/,
    /^DELETE .*\/api\/v1\/nodes\/win-1/,
    /^hnsCall DELETE \/policylists/,
    /^hnsCall DELETE \/endpoints/,
    /^hnsCall DELETE \/networks/,
    /^deleteService kubeproxy/,
    /^deleteService kubelet/,
    /netsh\.exe advfirewall firewall delete/,
    /^setRegistryValue .*Path/,
    /^remove C:\\k\\kubernetes\\node\\bin\\kubelet\.exe/,
    /^DELETE .*\/images\/mcr/,
    /^setSecurity C:\\k /,
    /^remove C:\\k\\logs/,
  ].map((pattern) => changes.findIndex((change) => pattern.test(change)))
  expect(places).not.toContain(-1)
  expect(places).toEqual([...places].sort((a, b) => a - b))
  expect(host.world.docker.containers).toEqual([theirs])
})

test('its document and its events are valid against the schemas', async () => {
  const host = copy()
  const {events, result} = await resetOn(host.dir)
  for (const [id, document] of [['result', result], ...events.map((event) => ['event', event] as const)] as const) {
    expect(schemaErrors(id, document)).toEqual([])
  }

  expect(JSON.parse(host.read(String.raw`k\k8s-win\result.json`))).toEqual(result)
  expect(result.log).toMatch(/^C:\\k\\logs\\k8s-win\\reset-.*\.log$/)
  expect(host.read(`${String(result.log).slice(3)}.trace`)).toContain('run-finished')
})

test.each([undefined, String.raw`C:\nothing here`])(
  'where nothing was ever set up (%s) it says so, and nothing is changed',
  async (baseDir) => {
    const host = await HostFolder.fresh()
    const fresh = wholeHost(host)
    const {events, result} = await resetOn(host.dir, {...(baseDir !== undefined && {baseDir})})
    expect(result).toMatchObject({exitCode: 0, outcome: 'done', steps: []})
    expect(events.map(({type}) => type)).toEqual(['log', 'run-finished'])
    expect(differences(fresh, wholeHost(host))).toEqual([])
  },
)

test('a base directory that can be none is reported, and nothing is checked', async () => {
  const host = await HostFolder.fresh()
  const {result} = await resetOn(host.dir, {baseDir: String.raw`\\server\k`})
  expect(result).toMatchObject({error: {id: 'BAD_VALUE'}, exitCode: 2})
})

test('a stored configuration that cannot be used is reported, and does not keep the node', async () => {
  const host = copy()
  host.put(String.raw`k\k8s-win\node.yaml`, 'apiVersion: [')
  host.remove(String.raw`k\k8s-win\node-copy.yaml`)
  const {result, warnings} = await resetOn(host.dir, {given: {purge: true}})
  expect(result.exitCode).toBe(0)
  expect(warnings.join()).toContain('node.yaml, the stored configuration of the last setup, cannot be used')
  expect(differences(before(), wholeHost(host))).toEqual([])
})
