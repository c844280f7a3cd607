// A node that setup joined with a token, over more than a year: status stays healthy, and a later setup needs no token.
import {createHash, X509Certificate} from 'node:crypto'
import {expect, it} from 'vitest'
import {CLUSTER_CA} from '../../src/simulator/cluster/certificates.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {reboot} from '../boot/reboot.js'
import {statusOn} from '../status/status-on.js'
import {HostInMemory} from './host-in-memory.js'

const DAY = 86_400_000
const CURRENT = String.raw`C:\var\lib\kubelet\pki\kubelet-client-current.pem`
const spki = new X509Certificate(CLUSTER_CA).publicKey.export({format: 'der', type: 'spki'})
const PIN = `sha256:${createHash('sha256').update(spki).digest('hex')}`
const JOIN = ['--server', 'https://10.0.0.10:6443', '--token', 'abcdef.0123456789abcdef', '--ca-cert-hash', PIN]

it('renews its certificate through restarts, and needs no token again', async () => {
  const host = await HostInMemory.make()
  const open = () => openSimulator({dir: host.dir, profile: 'ws2019'})
  await (await open()).files.remove(String.raw`C:\k\kubeconfig`)
  expect((await host.setup(...JOIN)).code).toBe(0)
  const serials = new Set<string>()
  for (let month = 0; month < 16; month++) {
    host.edit((world) => {
      world.os.time += 30 * DAY
      // The token is good for nothing any more.
      world.cluster.secrets = []
      if (month % 2 === 1) reboot(world)
    })
    const machine = await open()
    await machine.clock.sleep(120_000)
    serials.add(new X509Certificate((await machine.files.read(CURRENT)) ?? '').serialNumber)
    const {document} = await statusOn(host.dir)
    expect([month, document.exitCode, document.problems]).toEqual([month, 0, []])
  }

  expect(serials.size).toBe(2)
  const again = await host.setup()
  expect([again.code, again.result.recap.changed]).toEqual([0, 0])
}, 180_000)
