// containerd's files and service, letter by letter (golden/containerd), and what they must not contain.
import {win32} from 'node:path'
import {parse} from 'smol-toml'
import {describe, expect, it} from 'vitest'
import {
  containerdConfiguration,
  containerdService,
  type ContainerdSettings,
  crictlConfiguration,
  MICROSOFT_REGISTRY,
  mirrorFiles,
  mirrorHosts,
  registryPaths,
} from '../../src/components/containerd.js'
import {pauseImageOf} from '../../src/components/releases/release-table.js'
import {layoutOf} from '../../src/config/layout.js'
import {parseVersion, type Version} from '../../src/config/version.js'
import {joinCommandLine} from '../../src/host/command-line.js'
import {tomlString} from '../../src/host/containerd/toml-text.js'
import {readHostsFile} from '../../src/host/containerd/hosts-toml.js'
import {ADMINISTRATORS_ONLY_FILE} from '../../src/host/security/security.js'
import {golden} from './golden.js'

const settings = (version: string, baseDir = String.raw`C:\k`): ContainerdSettings => ({
  baseDir,
  sandboxImage: 'registry.k8s.io/pause:3.10.2',
  version: parseVersion(version) as Version,
})

describe('config.toml', () => {
  it.each(['1.7.25', '2.0.11', '2.3.4'])('of containerd %s', (version) => {
    const produced = containerdConfiguration(settings(version))
    expect(produced).toBe(golden(`containerd/${version}/config.toml`, produced))
  })

  it.each([
    ['1.6.39', 2],
    ['1.7.25', 2],
    ['2.0.11', 3],
    ['2.1.4', 3],
    ['2.3.4', 3],
  ])('of containerd %s has version %s, and takes nothing from other files', (version, expected) => {
    const produced = containerdConfiguration(settings(version))
    expect(produced).toMatch(new RegExp(`^version = ${expected}\n`))
    expect(produced).not.toContain('imports')
    // Both together are an error (facts of containerd 2.1 and newer).
    expect(produced.match(/bin_dirs? = /g)).toHaveLength(1)
  })

  it.each(['1.7.25', '2.3.4'])('lets containerd %s find its own shim before any on the Path', (version) => {
    const [, path = ''] =
      /^\[plugins\."io\.containerd\.internal\.v1\.opt"\]\n {2}path = '(.*)'$/m.exec(
        containerdConfiguration(settings(version)),
      ) ?? []
    expect(win32.join(path, 'bin')).toBe(win32.dirname(layoutOf(String.raw`C:\k`).containerd.shim))
  })

  it('holds a folder with an apostrophe, which a literal string cannot, and one with spaces', () => {
    const produced = containerdConfiguration(settings('2.3.4', String.raw`C:\Bob's node`))
    expect(produced).toContain(String.raw`conf_dir = "C:\\Bob's node\\cni\\config"`)
    expect(produced).toContain(String.raw`bin_dirs = ["C:\\Bob's node\\cni"]`)
    expect(containerdConfiguration(settings('2.3.4', String.raw`D:\my node`))).toContain(
      String.raw`config_path = 'D:\my node\containerd\certs.d'`,
    )
  })

  it.each([
    [String.raw`C:\k\n`, String.raw`'C:\k\n'`],
    [`it's "x"`, String.raw`"it's \"x\""`],
    ['a\nb\u007F\u0085', String.raw`"a\nb\u007f\u0085"`],
    ['Größe', `'Größe'`],
  ])('writes %j so that nothing ends the string', (text, expected) => {
    expect(tomlString(text)).toBe(expected)
  })
})

describe('the service', () => {
  it('is the documented one', () => {
    const spec = containerdService(settings('2.3.4'), {})
    expect(joinCommandLine(spec.command)).toBe(
      String.raw`"C:\k\shawl.exe" run --name containerd --log-dir C:\k\logs\containerd --restart --stop-timeout 4000 -- C:\k\containerd\bin\containerd.exe --config C:\k\containerd\config.toml`,
    )
    expect(spec.name).toBe('containerd')
  })

  it('has the proxy in its environment, but never a password', () => {
    const open = {HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: '10.0.0.0/8,me@x'}
    expect(containerdService(settings('2.3.4'), open).environment).toMatchObject(open)
    const secret = {HTTP_PROXY: 'http://user:secret@proxy:3128', HTTPS_PROXY: 'user:secret@proxy:3128'}
    expect(JSON.stringify(containerdService(settings('2.3.4'), secret))).not.toContain('secret')
  })

  it('has another mark, and so restarts, only where its program or configuration is another', () => {
    const mark = (given: ContainerdSettings, proxy = {}) =>
      containerdService(given, proxy).environment.K8S_WIN_CONFIGURATION
    const usual = mark(settings('2.3.4'))
    expect(mark(settings('2.3.4'))).toBe(usual)
    expect(mark(settings('2.3.3'))).not.toBe(usual)
    expect(mark({...settings('2.3.4'), sandboxImage: 'registry.k8s.io/pause:3.9'})).not.toBe(usual)
  })
})

describe('hosts.toml', () => {
  it.each([
    ['mirror', 'registry.example:5000'],
    ['mirror-with-path', 'registry.example:5000/mcr/copy'],
  ])('of a %s', (name, mirror) => {
    const hosts = mirrorHosts(String.raw`C:\k`, MICROSOFT_REGISTRY, mirror)
    expect(hosts.path).toBe(String.raw`C:\k\containerd\certs.d\mcr.microsoft.com\hosts.toml`)
    expect(hosts.content).toBe(golden(`containerd/${name}/hosts.toml`, hosts.content))
  })

  const mirrored = (files: Readonly<Record<string, string>>, imageRegistry = 'mirror.example:5000/copy') =>
    mirrorFiles({
      baseDir: String.raw`C:\k`,
      imageRegistry,
      registries: {files: Object.entries(files).map(([path, content]) => ({content, path})), problems: []},
    })

  it('of a mirror has the certificates and headers that --registry-config has for it', () => {
    const own = `[host."https://mirror.example:5000"]
  ca = "ca.crt"
  client = [["client.cert", "client.key"]]
  capabilities = ["pull"]
  skip_verify = false
  [host."https://mirror.example:5000".header]
    Authorization = "Basic x"
`
    const files = mirrored({[String.raw`mirror.example_5000_\hosts.toml`]: own})
    expect(files.map(({sddl}) => sddl)).toEqual(Array(2).fill(ADMINISTRATORS_ONLY_FILE))
    const [, sandbox] = files
    expect(sandbox?.path).toBe(String.raw`C:\k\containerd\certs.d\registry.k8s.io\hosts.toml`)
    expect(readHostsFile(sandbox?.content ?? '').problems).toEqual([])
    const folder = String.raw`C:\k\containerd\certs.d\mirror.example_5000_`
    expect(parse(sandbox?.content ?? '')).toEqual({
      host: {
        'https://mirror.example:5000/v2/copy': {
          ca: String.raw`${folder}\ca.crt`,
          capabilities: ['pull', 'resolve'],
          client: [[String.raw`${folder}\client.cert`, String.raw`${folder}\client.key`]],
          header: {Authorization: 'Basic x'},
          override_path: true,
          skip_verify: false,
        },
      },
      server: 'https://registry.k8s.io',
    })
  })

  it.each([
    ['before all tables', {[String.raw`mirror.example_5000_\hosts.toml`]: 'ca = "a.crt"\n'}, 'a.crt'],
    ['in the form of Docker', {[String.raw`mirror.example_5000_\b.crt`]: 'x'}, 'b.crt'],
    ['for all registries', {[String.raw`_default\c.crt`]: 'x'}, 'c.crt'],
    ['of another server', {[String.raw`mirror.example_5000_\hosts.toml`]: 'server = "https://x"\nca = "d.crt"\n'}, ''],
    ['of another registry', {[String.raw`other.example\e.crt`]: 'x'}, ''],
  ])('of a mirror: what stands %s', (_, files, name) => {
    const contents = mirrored(files).map(({content}) => content)
    for (const content of contents) {
      if (name === '') expect(content).not.toContain('.crt')
      else expect(content).toContain(`\\${name}'`)
    }
  })

  it('of a registry with a port is in a folder without a colon', () => {
    const hosts = mirrorHosts(String.raw`C:\k`, 'registry.local:5000', 'other.example')
    expect(hosts.path).toBe(String.raw`C:\k\containerd\certs.d\registry.local5000\hosts.toml`)
  })

  it('of a mirror covers the base images and the sandbox image; without a mirror there is none', () => {
    const files = mirrorFiles({baseDir: String.raw`C:\k`, imageRegistry: 'registry.example/copy'})
    const [sandbox] = pauseImageOf(parseVersion('1.36.4') as Version).split('/')
    expect(files.map(({path}) => path.split('\\').at(-2))).toEqual([MICROSOFT_REGISTRY, sandbox])
    expect(files.map(({path}) => path)).toEqual(registryPaths({baseDir: String.raw`C:\k`}))
    expect(mirrorFiles({baseDir: String.raw`C:\k`, imageRegistry: MICROSOFT_REGISTRY})).toEqual([])
  })
})

it('crictl.yaml names the pipe, and gives a pod time to stop and an image time to go', () => {
  expect(crictlConfiguration()).toBe(golden('containerd/crictl.yaml', crictlConfiguration()))
})
