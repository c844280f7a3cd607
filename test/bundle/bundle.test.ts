// A support bundle of a healthy node: what is in it, what it says, where it goes.
import {createHash} from 'node:crypto'
import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {COLLECTORS} from '../../src/bundle/table.js'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {InterruptedError} from '../../src/pipeline/run/to-user-error.js'
import {openRealMachine} from '../../src/machine/real/index.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {setupOn} from '../setup/in-process.js'
import {HostFolder} from '../steps/host-folder.js'
import {bundleOn, type Made} from './bundle-on.js'
import {unzip} from './unzip.js'

const host = HostFolder.empty()
/** For files of the real machine. */
const folder = mkdtempSync(join(tmpdir(), 'k8s-win-'))
let made: Made

beforeAll(async () => {
  const {result} = await setupOn(host.dir)
  expect(result.exitCode).toBe(0)
  made = await bundleOn(host)
})

afterAll(() => rmSync(folder, {recursive: true}))

describe('a bundle of a healthy node', () => {
  it('has the summary on top, then the manifest', () => {
    expect([...made.members.keys()].slice(0, 2)).toEqual(['summary.txt', 'manifest.json'])
    expect(made.text('summary.txt')).toMatch(/^k8s-win support bundle\n/)
    expect(made.text('summary.txt')).toContain('Verdict         status: healthy (exit code 0)')
    expect(made.text('summary.txt')).toMatch(/Verdict {9}doctor: (?:passed|warned) \(exit code 0\)/)
    expect(made.text('summary.txt')).toContain('Made by         k8s-win 1.2.3')
    expect(made.text('summary.txt')).toMatch(/^[\n -~]+$/)
  })

  it('reports no failure that setup got over: the kubelet waits for its CNI configuration, and then has it', () => {
    const logs = [...made.members].filter(([name]) => name.startsWith('logs/kubelet/'))
    expect(logs.map(([, bytes]) => bytes.toString('utf8')).join('')).toContain('no networks found in')
    expect(made.text('summary.txt')).not.toContain('cni-config-missing')
  })

  it('holds all there is to know', () => {
    expect(made.report.manifest.failed).toEqual([])
    expect(made.report.manifest.leftOut).toEqual([])
    const names = [...made.members.keys()].map((name) => name.replace(/(logs\/[^/]+)\/.*/, '$1'))
    expect(names).toEqual(
      expect.arrayContaining([
        'status.json',
        'doctor.json',
        ...['node.yaml', 'net-conf.json', 'cni.conf', 'kubelet-config.yaml', 'subnet.env', 'kubeconfigs.json'].map(
          (name) => `configuration/${name}`,
        ),
        ...['journal.ndjson', 'result.json', 'base-directory.json', 'cni-networks.json'].map((name) => `state/${name}`),
        ...['flanneld', 'kubelet', 'kubeproxy', 'k8s-win'].map((name) => `logs/${name}`),
        ...['networks', 'endpoints', 'policylists', 'portpools', 'version'].map((name) => `hns/${name}.json`),
        ...['kubelet', 'kubeproxy', 'flanneld', 'docker', 'hns'].map((name) => `windows/services/${name}.json`),
        ...['system', 'memory', 'drives', 'firewall', 'environment', 'access'].map((name) => `windows/${name}.json`),
        ...['system', 'application', 'hns-admin'].map((name) => `windows/events-${name}.ndjson`),
        ...['adapters.json', 'routes.json', 'excluded-ports-tcp.txt', 'dynamic-ports-udp.txt'].map(
          (name) => `network/${name}`,
        ),
        ...['neighbours', 'interfaces'].map((name) => `network/${name}.txt`),
        'windows/updates.json',
        ...['version', 'info', 'images', 'containers'].map((name) => `docker/${name}.json`),
        ...['server', 'node', 'flannel'].map((name) => `cluster/${name}.json`),
        'simulator/transcript.ndjson',
      ]),
    )
  })

  it('lists every member with its size and digest', () => {
    const {entries} = JSON.parse(made.text('manifest.json')) as Made['report']['manifest']
    expect(entries).toEqual(made.report.manifest.entries)
    const seen = [...made.members]
      .filter(([name]) => name !== 'manifest.json')
      .map(([path, bytes]) => ({
        bytes: bytes.length,
        path,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      }))
    expect(entries).toEqual(seen)
  })

  it('says of a kubeconfig whose it is and until when, and nothing more', () => {
    const outline = JSON.parse(made.text('configuration/kubeconfigs.json')) as Record<string, unknown>
    expect(outline[String.raw`C:\k\kubeconfig`]).toMatchObject({
      cluster: {server: 'https://10.0.0.10:6443/'},
      user: {certificate: {subject: 'O=system:nodes, CN=system:node:win-1'}, kinds: ['client certificate']},
    })
    expect(made.text('configuration/kubeconfigs.json')).not.toMatch(/data|BEGIN|LS0t/)
  })

  it('has JSON that is JSON, line by line where it is lines', () => {
    for (const [name, bytes] of made.members) {
      const text = bytes.toString('utf8')
      if (name.endsWith('.json')) JSON.parse(text)
      if (name.endsWith('.ndjson')) for (const line of text.split('\n')) if (line !== '') JSON.parse(line)
    }
    expect(made.text('state/journal.ndjson').split('\n').length).toBeGreaterThan(20)
  })

  it('is made within the time of one collector, and leaves the host as it was', async () => {
    expect(made.report.manifest.durationMs).toBeLessThan(5000)
    const before = host.state
    const changes = host.read(String.raw`k\k8s-win\journal.ndjson`)
    await bundleOn(host)
    expect(host.state).toEqual(before)
    expect(host.read(String.raw`k\k8s-win\journal.ndjson`)).toBe(changes)
  })

  it('has collectors of different names', () => {
    expect(new Set(COLLECTORS.map(({id}) => id)).size).toBe(COLLECTORS.length)
  })
})

describe('the file of a bundle', () => {
  const target = (path: string) => ({files: openRealMachine().files, path})

  it.each(['PK\u0003\u0004 an older bundle', 'PK\u0005\u0006 an empty one', ''])(
    'that is there already is not replaced unasked: %j',
    async (old) => {
      const path = join(folder, 'there.zip')
      writeFileSync(path, old)
      await expect(bundleOn(host, {replace: false, target: target(path)})).rejects.toMatchObject({
        exitCode: 2,
        id: 'BUNDLE_EXISTS',
      })
      expect(readFileSync(path, 'utf8')).toBe(old)
      await bundleOn(host, {replace: true, target: target(path), withTranscript: false})
      expect(unzip(readFileSync(path)).length).toBeGreaterThan(40)
    },
  )

  it.each(['apiVersion: v1\nkind: Config\n', 'MZ\u0090', 'PK'])(
    'that is no zip is never replaced: %j',
    async (precious) => {
      const path = join(folder, 'precious')
      writeFileSync(path, precious)
      for (const replace of [true, false]) {
        await expect(bundleOn(host, {replace, target: target(path)})).rejects.toMatchObject({
          exitCode: 2,
          id: 'BUNDLE_TARGET_UNUSABLE',
          reason: expect.stringContaining('not a zip file') as string,
        })
      }
      expect(readFileSync(path, 'utf8')).toBe(precious)
    },
  )

  it.each([
    ['in a folder that is not there', 'none/support.zip', /Folder not found/],
    ['that is a folder', 'folder', /It is a folder/],
    ['below a file', 'file/support.zip', /folder/],
    ['without a name', '', /valid/],
  ])('%s is refused before anything is checked', async (_, name, reason) => {
    mkdirSync(join(folder, 'folder'), {recursive: true})
    writeFileSync(join(folder, 'file'), '')
    const path = name === '' ? '' : join(folder, name)
    const refused = bundleOn(host, {target: target(path)})
    await expect(refused).rejects.toMatchObject({
      exitCode: 2,
      id: 'BUNDLE_TARGET_UNUSABLE',
      reason: expect.stringMatching(reason) as string,
    })
  })

  it('review P3-5: that lost its backslash in a shell is refused: it would be in the current folder of the drive', async () => {
    const refused = bundleOn(host, {target: target('c:support.zip')})
    await expect(refused).rejects.toMatchObject({
      id: 'BUNDLE_TARGET_UNUSABLE',
      reason: expect.stringContaining('no backslash') as string,
    })
  })

  it('may be on the simulated drive', async () => {
    const machine = await openSimulator({dir: host.dir, profile: 'ws2019'})
    const inside = {files: machine.files, path: String.raw`C:\k\support.zip`}
    await bundleOn(host, {target: inside, withTranscript: false, wrap: () => machine})
    const written = await machine.files.read(String.raw`C:\k\support.zip`)
    expect(unzip(written ?? Buffer.alloc(0)).length).toBeGreaterThan(40)
    host.remove(String.raw`k\support.zip`)
  })

  it.each([
    ['administrators only', true, 'D:P(A;;FA;;;SY)(A;;FA;;;BA)'],
    ['administrators and a user who made it', false, 'D:P(A;;FA;;;SY)(A;;FA;;;BA)(A;;FA;;;S-1-5-21-9-9-9-1001)'],
  ])('review S2-12: is readable for %s', async (_, isAdministrator, list) => {
    const machine = await openSimulator({dir: host.dir, profile: 'ws2019'})
    const win32 = {
      ...machine.win32,
      accountSid: async () => 'S-1-5-21-9-9-9-1001',
      isAdministrator: async () => isAdministrator,
    }
    const path = String.raw`C:\k\support.zip`
    const written: unknown[] = []
    const write: typeof machine.files.write = async (file, data, options) => {
      written.push(file, options)
      await machine.files.write(file, data, options)
    }
    const inside = {files: {...machine.files, write}, onDrive: true, path}
    await bundleOn(host, {target: inside, withTranscript: false, wrap: () => ({...machine, win32})})
    expect(written).toEqual([path, {sddl: list}])
    expect(await machine.win32.securityOf(path)).toContain(list.slice('D:P'.length))
    host.remove(String.raw`k\support.zip`)
  })

  it('that cannot be written is reported, and nothing is left of it', async () => {
    const {files} = openRealMachine()
    const {FileError} = await import('../../src/machine/files.js')
    const path = join(folder, 'full.zip')
    const full = {...files, write: () => Promise.reject(new FileError('write', path, 'ENOSPC'))}
    await expect(bundleOn(host, {target: {files: full, path}, withTranscript: false})).rejects.toMatchObject({
      exitCode: 5,
      id: 'BUNDLE_NOT_WRITTEN',
    })
    expect(existsSync(path)).toBe(false)
  })

  it('has no more in it than it may, and says what is missing', async () => {
    const limitBytes = 40_000
    const {members, report, text} = await bundleOn(host, {limitBytes})
    const {entries, leftOut} = report.manifest
    const [summary = 0, ...rest] = entries.map(({bytes}) => bytes)
    expect(rest.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(limitBytes)
    expect(summary).toBeGreaterThan(0)
    expect([...members.keys()].filter((name) => name.startsWith('logs/'))).toEqual([])
    expect(leftOut.map(({path}) => path).join()).toContain(String.raw`C:\k\logs\kubelet`)
    for (const {path} of leftOut) expect(text('summary.txt')).toContain(path)
  })

  it('is not written where the run is interrupted on its way', async () => {
    const path = join(folder, 'half.zip')
    const interrupted = new AbortController()
    const stopping = (machine: Machine): Machine =>
      interceptMachine(machine, (effect, perform) => {
        if (effect.what === 'hnsCall') interrupted.abort(new InterruptedError())
        return perform()
      })
    const stopped = bundleOn(host, {signal: interrupted.signal, target: target(path), wrap: stopping})
    await expect(stopped).rejects.toMatchObject({exitCode: 130, id: 'INTERRUPTED'})
    expect(existsSync(path)).toBe(false)
  })

  it('is not written where the run is interrupted', async () => {
    const path = join(folder, 'interrupted.zip')
    const interrupted = new AbortController()
    interrupted.abort(new InterruptedError())
    await expect(bundleOn(host, {signal: interrupted.signal, target: target(path)})).rejects.toMatchObject({
      exitCode: 130,
    })
    expect(existsSync(path)).toBe(false)
  })
})

it('a base directory that cannot be one is refused', async () => {
  await expect(bundleOn(host, {baseDir: 'k'})).rejects.toMatchObject({exitCode: 2})
})

describe('review S15: JSON nested thousands deep in every file', () => {
  const deep = `${'{"a":['.repeat(20_000)}1${']}'.repeat(20_000)}`

  it('costs a bundle nothing but what is too deep', async () => {
    const nested = host.copy()
    const journal = String.raw`k\k8s-win\journal.ndjson`
    nested.put(journal, `${nested.read(journal)}${deep}\n`)
    for (const file of ['result.json', 'lock.json']) nested.put(`k\\k8s-win\\${file}`, deep)
    nested.put(String.raw`etc\kube-flannel\net-conf.json`, deep)
    nested.put(String.raw`k\cni\config\cni.conf`, deep)
    nested.put(String.raw`k\logs\k8s-win\deep.log`, `2026-01-01T00:00:00Z event ${deep}\n`)
    nested.put(String.raw`k\kubelet.kubeconfig`, deep)
    const wrap = (machine: Machine): Machine =>
      interceptMachine(machine, async (effect, perform) => {
        const answer = await perform()
        return effect.via === 'win32' && effect.what === 'hnsCall' ? {...answer, response: deep} : answer
      })
    const {text} = await bundleOn(nested, {wrap})
    for (const member of [
      'configuration/net-conf.json',
      'state/result.json',
      'state/journal.ndjson',
      'hns/networks.json',
    ]) {
      expect(text(member), member).toContain('nested too deeply')
    }
  })
})
