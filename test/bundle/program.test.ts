// logs --bundle and manifest flannel, as people call them.
import {existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {parseAllDocuments} from 'yaml'
import {k8sWin} from '../cli/program.js'
import {setupOn} from '../setup/in-process.js'
import {DiskHost} from '../steps/host-folder.js'
import {unzip} from './unzip.js'

const host = DiskHost.empty()
const simulated = {K8S_WIN_SIMULATE: 'ws2019', K8S_WIN_SIMULATE_DIR: host.dir}

beforeAll(async () => {
  await setupOn(host.dir)
})

afterAll(() => host.discard())

describe('logs --bundle', () => {
  it('writes a bundle, reports on standard error, and replaces it only with --yes', async () => {
    const path = join(host.dir, 'support.zip')
    const first = await k8sWin(['logs', '--bundle', path], simulated)
    expect(first).toMatchObject({code: 0, stdout: ''})
    expect(first.stderr).toContain(`Wrote ${path} (`)
    expect(unzip(readFileSync(path))[0]?.name).toBe('summary.txt')

    const again = await k8sWin(['logs', '--bundle', path], simulated)
    expect(again).toMatchObject({code: 2, stdout: ''})
    expect(again.stderr).toContain('BUNDLE_EXISTS')

    const replaced = await k8sWin(['logs', '--bundle', path, '--yes', '--json'], simulated)
    expect(replaced).toMatchObject({code: 0, stderr: ''})
    expect(JSON.parse(replaced.stdout)).toMatchObject({command: 'logs', exitCode: 0, failed: [], path})
  })

  it('takes a path with a drive letter for one of the simulated drive', async () => {
    const {code} = await k8sWin(
      ['logs', '-Bundle', String.raw`C:\support.zip`, '-BaseDir', String.raw`c:\k`],
      simulated,
    )
    expect(code).toBe(0)
    expect(unzip(readFileSync(host.file('support.zip'))).length).toBeGreaterThan(40)
  })

  it('refuses what would be ignored', async () => {
    const path = join(host.dir, 'alone.zip')
    const {code, stderr} = await k8sWin(['logs', 'kubelet', '--bundle', path, '--follow', '--grep', 'x'], simulated)
    expect(code).toBe(2)
    for (const other of ['"kubelet"', '--follow', '--grep']) {
      expect(stderr).toContain(`--bundle and ${other} contradict each other`)
    }
    expect(existsSync(path)).toBe(false)
  })

  it('refuses a name that Windows would not open as a zip file', async () => {
    const path = join(host.dir, 'support.txt')
    const {code, stderr} = await k8sWin(['logs', '--bundle', path], simulated)
    expect(code).toBe(2)
    expect(stderr).toContain('BAD_VALUE')
    expect(existsSync(path)).toBe(false)
  })

  it('refuses a folder that is not there', async () => {
    const path = join(host.dir, 'none', 'support.zip')
    const {code, stderr} = await k8sWin(['logs', '--bundle', path], simulated)
    expect(code).toBe(2)
    expect(stderr).toContain('BUNDLE_TARGET_UNUSABLE')
    expect(existsSync(path)).toBe(false)
  })
})

describe('manifest flannel', () => {
  it('prints YAML and nothing else, on any system', async () => {
    const {code, stderr, stdout} = await k8sWin(['manifest', 'flannel', '-ClusterCidr', '10.100.0.0/16'])
    expect({code, stderr}).toEqual({code: 0, stderr: ''})
    const objects = parseAllDocuments(stdout).map((document) => document.toJS() as {kind: string})
    expect(objects.map(({kind}) => kind)).toContain('DaemonSet')
    expect(stdout).toContain('"Network": "10.100.0.0/16"')
  })

  it('prints JSON too, and refuses what is wrong', async () => {
    const [good, bad] = await Promise.all([
      k8sWin(['manifest', 'flannel', '--json']),
      k8sWin(['manifest', 'flannel', '--cluster-cidr', 'x', '--flannel-version', 'y']),
    ])
    expect(JSON.parse(good.stdout)).toMatchObject({kind: 'List'})
    expect(bad).toMatchObject({code: 2, stdout: ''})
    expect(bad.stderr).toContain('--cluster-cidr "x" cannot be used')
    expect(bad.stderr).toContain('--flannel-version "y" cannot be used')
  })
})
