// A node that joins again: under another name, in another cluster, after its identity was lost.
import {readFileSync} from 'node:fs'
import {describe, expect, test} from 'vitest'
import {resetOn} from '../reset/reset-run.js'
import {sample} from '../sample.js'
import {setupOn} from '../setup/in-process.js'
import type {HostFolder} from '../steps/host-folder.js'
import {JOIN, joiningHost, joinOn, KEYS, KUBECONFIG, PROFILE} from './joining-host.js'

const OTHER_CA = readFileSync(new URL('../host/certificates/ca.pem', import.meta.url), 'utf8')
const {token: _, ...WITHOUT_TOKEN} = JOIN
const CURRENT = String.raw`${KEYS}\kubelet-client-current.pem`

const certificatesOf = (host: HostFolder): string[] => host.list(KEYS).filter((name) => /^kubelet-client-\d/.test(name))

async function joined(): Promise<HostFolder> {
  const host = await joiningHost()
  expect((await joinOn(host)).result.error).toBeUndefined()
  return host
}

describe('joins again', () => {
  test('another name: another certificate, and no old key is left', async () => {
    const host = await joined()
    const [old] = certificatesOf(host)
    const {result} = await joinOn(host, {'node-name': 'win-2'})
    expect(result).toMatchObject({exitCode: 0, node: {name: 'win-2', ready: true}})
    expect(certificatesOf(host)).toHaveLength(1)
    expect(certificatesOf(host)).not.toContain(old)
    expect(JSON.stringify(host.paths)).not.toContain('before-k8s-win')
  })

  test('another cluster: reset comes first, and no old key is left', async () => {
    const host = await joined()
    const [old] = certificatesOf(host)
    const authority = Buffer.from(OTHER_CA).toString('base64')
    const kubeconfig = host
      .read(KUBECONFIG)
      .replace(/certificate-authority-data: .*/, `certificate-authority-data: ${authority}`)
      .replace(/server: .*/, 'server: https://10.9.9.9:6443')
    host.put(KUBECONFIG, kubeconfig)
    const before = host.state
    for (const given of [WITHOUT_TOKEN, JOIN]) {
      const {result} = await setupOn(host.dir, given, {}, PROFILE)
      expect(result).toMatchObject({error: {id: 'JOIN_OTHER_CLUSTER'}, exitCode: 3})
      expect(result.error?.fix).toContain('k8s-win reset')
    }
    expect(host.state).toEqual(before)
    expect((await resetOn(host.dir, {given: {yes: true}, profile: PROFILE})).result.exitCode).toBe(0)
    expect((await joinOn(host)).result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect(certificatesOf(host)).not.toContain(old)
  })

  test.each(
    sample(
      [
        ['its certificate is gone', (host: HostFolder) => host.remove(CURRENT)],
        [
          'its certificate is gone, and the link to it is left',
          (host: HostFolder) => certificatesOf(host).forEach((name) => host.remove(`${KEYS}\\${name}`)),
        ],
        ['its kubeconfig is gone', (host: HostFolder) => host.remove(KUBECONFIG)],
        [
          'its certificate has expired',
          (host: HostFolder) => host.edit(({os}) => void (os.time += 400 * 24 * 3_600_000)),
        ],
      ],
      2,
    ),
  )('%s: a token is asked for, and repairs it', async (_name, lose) => {
    const host = await joined()
    lose(host)
    const without = await setupOn(host.dir, {}, {}, PROFILE)
    expect(without.result).toMatchObject({error: {id: 'JOIN_TOKEN_MISSING'}, exitCode: 3})
    expect((await joinOn(host)).result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect((await joinOn(host)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
    expect(certificatesOf(host)).toHaveLength(1)
  })
})
