import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {COMMON_DAEMONS} from '../../src/config/daemons.js'
import {UTC_ZONE} from '../../src/logs/zone.js'
import {createRedactor} from '../../src/output/text/redact.js'
import {logPaths} from '../../src/runs/logs/logs.js'
import {readLogsRequest} from '../../src/runs/logs/logs-request.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {handClock} from '../fakes/hand-clock.js'
import {hostWith, type Layout} from '../fixtures/present-containerd.js'
import {klogLine} from '../logs/log-reader.js'
import {setupOn} from '../setup/in-process.js'
import {HostFolder} from '../steps/host-folder.js'
import {logs} from './run-logs.js'

const node = HostFolder.empty()
beforeAll(async () => {
  await setupOn(node.dir)
})
afterAll(() => node.discard())

describe('the logs of a node that was set up', () => {
  it('review U8: are those of its daemons in the order of time; those of k8s-win itself where they are asked for', async () => {
    const {code, entries, notes} = await logs(node)
    expect([code, notes]).toEqual([0, []])
    expect(new Set(entries.map(({component}) => component))).toEqual(new Set(['flanneld', 'kubelet', 'kubeproxy']))
    // The times of shawl are whole seconds.
    const times = entries.map(({time}) => time)
    expect(times.every((time, at) => at === 0 || time >= (times[at - 1] ?? 0) - 1000)).toBe(true)
    expect(entries.filter(({file}) => /\.(?:WARNING|ERROR)\./.test(file))).toEqual([])
    const flannel = entries.filter(({component, source}) => component === 'flanneld' && source !== undefined)
    expect(flannel.length).toBeGreaterThan(0)
    const {entries: own} = await logs(node, {tail: '5'}, ['k8s-win'])
    expect(own.map(({component}) => component)).toEqual(Array.from({length: 5}, () => 'k8s-win'))
  })

  it('review U2-28: of k8s-win are its log, or with --verbose the trace, never both', async () => {
    const {entries: log} = await logs(node, {}, ['k8s-win'])
    const {entries: trace} = await logs(node, {verbose: true}, ['k8s-win'])
    expect(new Set(log.map(({file}) => file.endsWith('.trace')))).toEqual(new Set([false]))
    expect(new Set(trace.map(({file}) => file.endsWith('.trace')))).toEqual(new Set([true]))
    // The trace has the same events, and effects among them; the log has its first line.
    expect(trace.length).toBeGreaterThan(log.length)
    const messages = new Set(trace.map(({message}) => message))
    expect(log.slice(1).filter(({message}) => !messages.has(message))).toEqual([])
  })

  it('are of one component, its end, or what matches', async () => {
    const {entries} = await logs(node, {tail: '5'}, ['kube-proxy'])
    expect(entries.map(({component}) => component)).toEqual(Array.from({length: entries.length}, () => 'kubeproxy'))
    expect(entries.length).toBeGreaterThan(0)
    const {entries: all} = await logs(node, {}, ['kubelet'])
    const {entries: last} = await logs(node, {tail: '3'}, ['kubelet'])
    expect(last).toEqual(all.slice(-3))
    const {entries: some} = await logs(node, {grep: ['FLAG|Registered']}, ['kubelet'])
    expect(some.every(({lines}) => /FLAG|Registered/.test(lines.join()))).toBe(true)
  })

  it('say so where nothing is wanted, there was no run before, or nothing was written yet', async () => {
    const all = COMMON_DAEMONS.map(({service}) => service).sort()
    expect((await logs(node, {grep: ['no such words']})).notes).toEqual([
      `No entries in the logs of ${all.join(', ')} match these flags.`,
    ])
    expect((await logs(node, {previous: true}, ['kubelet'])).notes).toEqual([
      'There was no run of kubelet before the last one.',
    ])
    const {code: withDocker, notes: told} = await logs(node, {follow: true}, ['containerd'])
    expect([withDocker, told]).toEqual([0, ['There are no logs of containerd: this node uses Docker.']])
    const host = node.copy()
    for (const name of ['kubelet', 'flanneld']) host.move(`k\\logs\\${name}`, `k\\${name}`)
    const {code, entries, notes} = await logs(host, {}, ['kubelet', 'flanneld'])
    expect([code, entries]).toEqual([0, []])
    expect(notes.join()).toContain('There are no logs of flanneld, kubelet yet')
    host.discard()
  })

  it("are read in the original script's folder too, and never through a link", async () => {
    const host = node.copy()
    host.put(String.raw`k\logs\kube-proxy\old.log`, klogLine(1, 'of the original'))
    host.put(String.raw`secret\passwords.log`, 'secret\n')
    host.link(String.raw`k\logs\kubeproxy\link.log`, String.raw`secret\passwords.log`)
    const {entries, notes} = await logs(host, {}, ['kubeproxy'])
    expect(entries.map(({message}) => message)).toContain('of the original')
    expect(entries.map(({message}) => message)).not.toContain('secret')
    expect(notes).toEqual([String.raw`C:\k\logs\kubeproxy\link.log is a link, which is not followed.`])
    const machine = await openSimulator({dir: host.dir, profile: 'ws2019', readOnly: true})
    const run = {environment: {}, machine, signal: new AbortController().signal}
    const request = readLogsRequest(['kubeproxy'], {}, UTC_ZONE)
    expect((await logPaths({...run, request})).map(({path}) => path)).toEqual([
      String.raw`C:\k\logs\kubeproxy`,
      String.raw`C:\k\logs\kube-proxy`,
    ])
    host.discard()
  })

  it('are followed until it is stopped, over a new file and a rename', async () => {
    const host = node.copy()
    const stop = new AbortController()
    const file = String.raw`k\logs\kubelet\new.log`
    const acts = [
      () => host.put(file, klogLine(80_000, 'one')),
      () => host.move(file, `${file}.1`),
      () => host.put(file, klogLine(80_001, 'two') + klogLine(80_002, 'three').slice(0, 20)),
      () => host.append(file, klogLine(80_002, 'three').slice(20)),
      () => {},
      () => {},
      () => stop.abort(),
    ]
    const clock = handClock()
    const {code, entries} = await logs(host, {follow: true, tail: '0'}, ['kubelet'], {
      clock: {
        ...clock,
        async sleep(ms) {
          expect(ms).toBeLessThanOrEqual(250)
          acts.shift()?.()
        },
      },
      signal: stop.signal,
    })
    expect(code).toBe(130)
    expect(entries.map(({message}) => message)).toEqual(['one', 'two', 'three'])
    host.discard()
  })

  it('end quietly when nothing reads any more', async () => {
    let shown = 0
    const {code} = await logs(node, {follow: true, tail: 'all'}, [], {
      emit: async () => {
        shown++
        return false
      },
    })
    expect([code, shown]).toEqual([0, 1])
  })

  it('hide what the kubeconfig holds', async () => {
    const host = node.copy()
    const redactor = createRedactor()
    host.put(String.raw`k\logs\kubelet\new.log`, klogLine(1, 'x'))
    await logs(host, {}, [], {redactor})
    const kubeconfig = host.read(String.raw`k\kubeconfig`)
    const secret = /(?:token|client-key-data): "?([\w+/=.-]{12,})/.exec(kubeconfig)?.[1] ?? ''
    expect(secret).not.toBe('')
    expect(redactor.redact(`see ${secret} here`)).not.toContain(secret)
    host.discard()
  })
})

describe('of a containerd that was on the host before', () => {
  it.each<[string, Layout, string]>([
    ['are in no file that is known', {}, 'its service names no log file'],
    [
      'are where its arguments say',
      {files: {[String.raw`its logs\c.log`]: ''}, nssm: String.raw`--log-file "C:\its logs\c.log"`},
      String.raw`C:\its logs\c.log`,
    ],
    [
      'are where nssm writes them',
      {nssm: '', stderr: String.raw`%SystemDrive%\k\c.err.log`},
      String.raw`C:\k\c.err.log`,
    ],
  ])('%s', async (_, layout, where) => {
    const host = await hostWith(layout)
    expect((await setupOn(host.dir, {'base-images': 'none'})).result.error).toBeUndefined()
    const machine = await openSimulator({dir: host.dir, profile: host.world.os.profile, readOnly: true})
    const {code, notes} = await logs(host, {}, ['containerd'], {machine})
    expect([code, notes]).toEqual([0, [expect.stringContaining(where)]])
    const request = readLogsRequest(['containerd'], {}, UTC_ZONE)
    expect(await logPaths({environment: {}, machine, request, signal: new AbortController().signal})).toEqual([])
    host.discard()
  })
})

describe('without a node', () => {
  it('there is nothing to show: exit 9', async () => {
    const host = HostFolder.empty()
    await expect(logs(host)).rejects.toMatchObject({exitCode: 9, id: 'NO_NODE'})
    await expect(logs(host, {follow: true})).rejects.toMatchObject({id: 'NO_NODE'})
    host.discard()
  })

  it('what is left of one is shown, with exit 9', async () => {
    const host = HostFolder.empty()
    await openSimulator({dir: host.dir, profile: 'ws2019'})
    host.put(String.raw`k\logs\k8s-win\setup-1.log`, '2026-11-15T06:00:00.000Z event {}\n')
    const {code, entries, notes} = await logs(host, {}, ['k8s-win'])
    expect([code, entries.length]).toEqual([9, 1])
    expect(notes[0]).toContain('No node is set up in C:\\k')
    host.discard()
  })
})
