// config.toml by the version of containerd and of the file.
import {expect, it} from 'vitest'

import {containerdConfiguration} from '../../../src/components/containerd.js'
import {parseVersion} from '../../../src/config/version.js'
import {configVersion, loadContainerdConfig, type LoadedConfig} from '../../../src/simulator/containerd/config.js'
import {CONFIG_2, CONFIG_3} from '../containerd-node.js'

const load = (text: string | undefined, version: string): LoadedConfig =>
  loadContainerdConfig(text, String.raw`C:\c.toml`, version, {
    programData: String.raw`C:\ProgramData`,
    programFiles: String.raw`C:\Program Files`,
  })
const OURS = {
  address: String.raw`\\.\pipe\containerd-containerd`,
  cniBinDirs: [String.raw`C:\k\cni`],
  cniConfDir: String.raw`C:\k\cni\config`,
  pullProgressTimeout: '30m',
  registryConfigPath: String.raw`C:\k\containerd\certs.d`,
  root: String.raw`C:\ProgramData\containerd\root`,
  sandboxImage: 'registry.k8s.io/pause:3.10.2',
  state: String.raw`C:\ProgramData\containerd\state`,
}

it.each([
  ['v1.6.39', 2],
  ['v1.7.25', 2],
  ['v2.0.11', 3],
  ['v2.2.7', 3],
  ['v2.3.4', 4],
])('%s reads files up to version %i', (version, newest) => {
  expect(configVersion(version)).toBe(newest)
  expect(load(`version = ${newest}`, version).error).toBeUndefined()
  expect(load(`version = ${newest + 1}`, version).error).toContain(`\`${newest + 1}\``)
})

it.each([
  ['v1.7.25', CONFIG_2],
  ['v2.0.11', CONFIG_2],
  ['v2.3.4', CONFIG_2],
  ['v2.1.9', CONFIG_3],
  ['v2.3.4', CONFIG_3],
  ['v2.3.4', CONFIG_3.replace('version = 3', 'version = 4')],
])('%s reads our file as it is meant: %#', (version, text) => {
  expect(load(text, version)).toMatchObject({config: OURS})
  expect(load(text, version)).not.toHaveProperty('config.criProblem')
})

it.each(['1.7.25', '2.0.11', '2.1.9', '2.2.7', '2.3.4'])('%s reads what k8s-win writes for it, key by key', (text) => {
  const version = parseVersion(text)
  if (!version) throw new Error(text)
  const file = containerdConfiguration({baseDir: String.raw`C:\k`, sandboxImage: OURS.sandboxImage, version})
  const loaded = load(file, `v${text}`)
  expect(loaded).toMatchObject({config: OURS})
  expect(loaded).not.toHaveProperty('config.criProblem')
  // 2.3 migrates version 3 in memory; no key is unknown.
  expect(loaded).toHaveProperty(
    'warnings',
    text === '2.3.4' ? [expect.stringContaining('Configuration migrated from version 3')] : [],
  )
})

it('takes the keys of a newer version for nothing', () => {
  const old = load(CONFIG_3.replace('version = 3', 'version = 2'), 'v1.7.25')
  const config = {
    cniConfDir: String.raw`C:\Program Files\containerd\cni\conf`,
    sandboxImage: 'registry.k8s.io/pause:3.8',
  }
  expect(old).toMatchObject({config, warnings: []})
  // bin_dirs came with 2.1.
  expect(load(CONFIG_3, 'v2.0.11')).toMatchObject({
    config: {cniBinDirs: [String.raw`C:\Program Files\containerd\cni\bin`]},
  })
})

it('moves the keys of version 2 only while the file is older than containerd', () => {
  const asThree = CONFIG_2.replace('version = 2', 'version = 3')
  expect(load(asThree, 'v2.3.4')).toMatchObject({config: OURS})
  const kept = load(asThree, 'v2.2.7')
  expect(kept).toMatchObject({config: {sandboxImage: 'registry.k8s.io/pause:3.10.1'}})
  expect(kept).toHaveProperty('warnings', expect.arrayContaining([expect.stringContaining('sandbox_image')]))
})

it('names keys that it does not know', () => {
  const text = `version = 4\nroots = 'x'\n[plugins.'io.containerd.cri.v1.images']\nsandbox = 'x'`
  expect(load(text, 'v2.3.4')).toHaveProperty('warnings', [
    'Ignoring unknown key in TOML: roots',
    'Ignoring unknown key in TOML for plugin io.containerd.cri.v1.images: sandbox',
  ])
})

it('without a file, and without a version', () => {
  expect(load(undefined, 'v2.3.4')).toMatchObject({
    config: {
      ...OURS,
      pullProgressTimeout: '5m',
      cniBinDirs: expect.anything() as string[],
      cniConfDir: expect.anything() as string,
      registryConfigPath: '',
    },
  })
  expect(load(`[plugins.cri]\nsandbox_image = 'x/pause:1'`, 'v1.7.25')).toMatchObject({
    config: {sandboxImage: 'x/pause:1'},
  })
})

it.each([
  ["version = 3\nroot = 'C:\\x'\nstate = 'C:\\x'", 'root and state must be different paths'],
  ["version = 3\nroot = 'C:\\x", 'failed to unmarshal TOML at row 2 column'],
  ['version = 3\nroot = 5', 'cannot decode TOML number'],
  ["version = 3\n[plugins.'io.containerd.cri.v1.runtime'.cni]\nbin_dirs = 'C:\\k'", 'type []string'],
])('%j ends containerd', (text, error) => {
  expect(load(text, 'v2.3.4').error).toContain(error)
})

it.each([
  [
    "[plugins.'io.containerd.cri.v1.images']\nimage_pull_progress_timeout = 'soon'",
    'invalid image pull progress timeout',
  ],
  ["[plugins.'io.containerd.cri.v1.runtime'.cni]\nbin_dirs = ['a']\nbin_dir = 'b'", 'cannot be set at the same time'],
  [
    "[plugins.'io.containerd.cri.v1.images'.registry]\nconfig_path = 'a'\nmirrors.x.endpoint = ['b']",
    '`mirrors` cannot be set',
  ],
])('%j leaves it without the CRI', (text, problem) => {
  const loaded = load(`version = 3\n${text}`, 'v2.3.4')
  expect(loaded).toHaveProperty('config.criProblem', expect.stringContaining(problem))
})

it('a disabled plugin is not loaded', () => {
  expect(load(`disabled_plugins = ['io.containerd.grpc.v1.cri']`, 'v1.7.25')).toHaveProperty('config.criProblem')
})

it('moves the keys of version 1 with 1.x and from 2.3 on', () => {
  const image = (version: string): unknown => {
    const loaded = load(`[plugins.cri]\nsandbox_image = 'x/pause:1'`, version)
    return 'config' in loaded ? loaded.config.sandboxImage : loaded.error
  }
  expect(['v1.7.25', 'v2.0.6', 'v2.2.7', 'v2.3.4'].map(image)).toEqual([
    'x/pause:1',
    'registry.k8s.io/pause:3.10',
    'registry.k8s.io/pause:3.10.1',
    'x/pause:1',
  ])
})

it.each(['v1.7.25', 'v2.0.6', 'v2.3.4'])(
  'a disabled plugin by its name of version 1 ends %s, except with such a file',
  (version) => {
    expect(load(`version = 2\ndisabled_plugins = ['cri']`, version).error).toContain(
      'invalid disabled plugin URI "cri"',
    )
    expect(load(`disabled_plugins = ['cri']`, version)).toHaveProperty('config.criProblem')
  },
)
