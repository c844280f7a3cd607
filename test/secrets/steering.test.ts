// review S8: whatever the host and the cluster call themselves, and whatever daemons write, nothing steers a terminal and no
// secret is shown, in any command and format.
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {k8sWin, k8sWinProcess} from '../cli/program.js'
import {setupOn} from '../setup/in-process.js'
import {DiskHost} from '../steps/host-folder.js'
import {unzip} from '../bundle/unzip.js'
import {readFileSync} from 'node:fs'
import {join} from 'node:path'

const SECRET = 'ghp_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX'
/** A cleared screen, a title, an 8-bit sequence, text that runs backwards, and a secret. */
const EVIL = `e\u001B[2Jv\u001B]0;pwned\u0007i\u009B31ml\u202Ex\u2028\u0085\u007F ${SECRET}`
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const STEERING = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/

const host = DiskHost.empty()

beforeAll(async () => {
  await setupOn(host.dir)
  const klog = `E0101 00:00:00.000001    1 a\u001B[2J${SECRET}.go:1] ${EVIL}`
  for (const name of ['flanneld', 'kubelet', 'kubeproxy', 'k8s-win']) {
    host.put(
      `k\\logs\\${name}\\evil.log`,
      `${klog}\nE0101 00:00:00.000001    1 x.go:1] ${EVIL}\n2026-01-01T00:00:00Z ${EVIL}\n`,
    )
  }
  host.put(String.raw`run\flannel\subnet.env`, `FLANNEL_SUBNET=${EVIL}\n`)
  host.put(String.raw`etc\kube-flannel\net-conf.json`, `{"Network": "${EVIL}"}`)
  host.put(String.raw`k\k8s-win\result.json`, JSON.stringify({error: {message: EVIL}, outcome: EVIL}))
  host.edit((world) => {
    for (const network of world.hns.networks) if (network.Name !== 'vxlan0') network.Name = EVIL
    for (const node of world.cluster.nodes) {
      const {conditions} =
        (node as {status?: {conditions?: {message?: string; reason?: string; status: string}[]}}).status ?? {}
      for (const condition of conditions ?? []) Object.assign(condition, {message: EVIL, reason: EVIL, status: 'False'})
    }
    world.docker.running = false
    for (const name of ['kubelet', 'flanneld', 'kubeproxy']) world.services[name]!.state = 'stopped'
  })
}, 600_000)

afterAll(() => host.discard())

const environment = {K8S_WIN_SIMULATE: 'ws2019', K8S_WIN_SIMULATE_DIR: host.dir}

describe('review S8: nothing from outside steers a terminal or shows a secret', () => {
  it.each([
    ['logs'],
    ['logs', '--output', 'raw'],
    ['logs', '--json'],
    ['status'],
    ['status', '--output', 'wide'],
    ['status', '--json'],
    ['doctor'],
    ['doctor', '--json'],
    ['doctor', '--output', 'ndjson'],
    ['setup', '--dry-run', '--verbose'],
    ['setup', '--dry-run', '--json'],
    ['reset', '--dry-run', '--yes'],
    ['config', 'show', '--node-label', `a=${EVIL}`],
    ['logs', EVIL, '--grep', `(${EVIL}`],
    ['config', 'show', '--interface-name', EVIL, '--json'],
  ])(
    '%s %s %s',
    async (...args) => {
      const {stderr, stdout} = await k8sWin(
        args.filter((arg) => arg !== undefined),
        environment,
      )
      expect(stdout + stderr).not.toBe('')
      expect(STEERING.exec(stdout.replaceAll('\r\n', '\n'))).toBeNull()
      expect(STEERING.exec(stderr.replaceAll('\r\n', '\n'))).toBeNull()
      expect(stdout + stderr).not.toContain('0aB1cD2eF3')
    },
    120_000,
  )

  it('in the files of a bundle', async () => {
    const path = join(host.dir, 'support.zip')
    const {code, stderr, stdout} = await k8sWinProcess(['logs', '--bundle', path], environment)
    expect([code, STEERING.exec(stdout + stderr)], stderr).toEqual([0, null])
    for (const {bytes, name} of unzip(readFileSync(path))) {
      expect([name, STEERING.exec(bytes.toString('utf8'))?.[0]]).toEqual([name, undefined])
      expect(bytes.toString('utf8')).not.toContain('0aB1cD2eF3')
    }
  }, 120_000)
})
