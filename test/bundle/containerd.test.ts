// What a bundle has of containerd: its answers by field, its configuration without passwords; nothing on a node with Docker.
import {beforeAll, describe, expect, it} from 'vitest'
import type {CollectorContext} from '../../src/bundle/collector.js'
import {runCollectors} from '../../src/bundle/collector.js'
import {knownKeys} from '../../src/bundle/known-keys.js'
import {recogniseIn} from '../../src/bundle/summary.js'
import {COLLECTORS} from '../../src/bundle/table.js'
import {layoutOf} from '../../src/config/layout.js'
import {createRedactor} from '../../src/output/text/redact.js'
import {applySteps, type ContainerdHost, openContainerdHost, RUNTIME_STEPS} from '../health/containerd-host.js'

const OF_CONTAINERD = COLLECTORS.filter(({id}) => /^(?:containerd|docker)\/|^configuration\/containerd|^logs$/.test(id))

let made: ContainerdHost
beforeAll(async () => {
  made = await openContainerdHost()
  await applySteps(made, ...RUNTIME_STEPS)
})

async function collect({config, host, machine}: ContainerdHost) {
  const context: CollectorContext = {
    config,
    environment: {},
    host,
    logBytes: 2 ** 20,
    machine,
    register: () => {},
    signal: new AbortController().signal,
  }
  const {collected, failures} = await runCollectors(OF_CONTAINERD, context)
  const entries = collected.flatMap((one) => one.entries)
  const of = (path: string): unknown => entries.find((entry) => entry.path === path)?.content
  return {entries, failures, of}
}

describe('a node with containerd', () => {
  it('has its version, state, pods, containers, images, configuration and log, and nothing of Docker', async () => {
    const {entries, failures, of} = await collect(made)
    expect(failures).toEqual([])
    expect(entries.map(({path}) => path).filter((path) => path.startsWith('docker/'))).toEqual([])
    expect(JSON.stringify(of('containerd/version.txt'))).toContain('RuntimeName:  containerd')
    expect(of('containerd/info.json')).toMatchObject({
      document: {status: {conditions: [{type: 'RuntimeReady'}, {status: false, type: 'NetworkReady'}, {status: true}]}},
    })
    expect(of('containerd/images.json')).toMatchObject({document: {length: 3}})
    expect(of('containerd/pods.json')).toEqual({document: []})
    expect(of('containerd/containers.json')).toEqual({document: []})
    expect(JSON.stringify(of('configuration/containerd.toml'))).toContain('registry.k8s.io/pause')
    expect(entries.map(({path}) => path)).toContain('logs/containerd/shawl_for_containerd_rCURRENT.log')
  })

  it('shows no password of a registry that someone wrote into config.toml', async () => {
    const own = await openContainerdHost()
    const path = layoutOf(own.config.baseDir).containerd.config
    await own.machine.files.makeDirectory(path.slice(0, path.lastIndexOf('\\')))
    await own.machine.files.write(
      path,
      `[plugins.x.auth]\n  password = "hunter2hunter"\nauth = {username = 'a', password='zzz'}\n`,
    )
    const {failures, of} = await collect(own)
    const text = JSON.stringify(of('configuration/containerd.toml') ?? failures)
    expect(text).toContain("password = '***'")
    expect(text).not.toMatch(/hunter2|zzz/)
    // crictl is not there: each of its files fails by itself.
    expect(failures.map(({collector}) => collector)).toEqual(expect.arrayContaining(['containerd/info.json']))
  })

  it.each([
    ['a quote in a password', String.raw`password = "ab\"s3cr3t-w"`],
    ['a table of headers', '[plugins.x.registry.headers]\n  X-Meta = [\n    "s3cr3t-w",\n  ]\n  [x]\n  shown = 1'],
    ['a table of headers, quoted', `[host."https://m".'header']\nX = "s3cr3t-w"\n[x]\nshown = 1`],
    ['review S2-9: headers in lines', 'headers = {X-Meta = [\n "a]s3cr3t-w",\n ["s3cr3t-w"]\n]}\nshown = 1'],
    ['headers in a line', 'registry.headers.X-Meta = ["s3cr3t-w"]\nheaders = {X-Meta = ["s3cr3t-w"]}'],
  ])('shows no credentials of a registry in %s', (_, toml) => {
    const text = createRedactor().redact(String(Object.values(knownKeys(toml))[0]))
    expect(text).not.toContain('s3cr3t')
    if (toml.includes('shown')) expect(text).toContain('shown = 1')
  })

  it("names a known failure of containerd's log", () => {
    const text =
      'time="2026-11-15T02:41:07Z" level=fatal msg="Failed to run CRI service" error="cni conf dir is removed, stop watching"'
    const path = 'logs/containerd/shawl_for_containerd_rCURRENT.log'
    expect(recogniseIn([{bytes: Buffer.from(text), path, text}])).toMatchObject([
      {path, signature: {id: 'cni-folder-removed'}},
    ])
  })
})
