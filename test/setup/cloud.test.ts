// --cloud: the first setup asks once, before the network is cut, and stores the name; nothing asks later.
import {expect, test} from 'vitest'
import {examine} from '../doctor/doctor-rig.js'
import {hardware} from '../hosts/sick-host.js'
import {lookAt} from '../status/look.js'
import {HostFolder} from '../steps/host-folder.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {setupOn} from './in-process.js'

const requests = (host: HostFolder): string[] =>
  host.transcript.flatMap(({what}) => (what.includes('169.254.169.254') ? [what] : []))

test('an instance of EC2', async () => {
  const host = HostFolder.empty()
  await openSimulator({dir: host.dir, profile: 'ws2019'})
  host.edit((world) => {
    hardware(world, 'Amazon EC2', 'm5.large')
    world.os.metadata = {cloud: 'aws'}
  })
  await examine(host)
  expect(requests(host)).toEqual([])

  const {events, result} = await setupOn(host.dir)
  expect(result.exitCode).toBe(0)
  const token = 'PUT http://169.254.169.254/latest/api/token'
  expect(requests(host)).toEqual([token])
  const lines = host.transcript.map(({args, what}) => [what, ...args].join(' '))
  expect(lines.indexOf(token)).toBeLessThan(lines.indexOf('startService flanneld'))
  expect(host.read('k/k8s-win/node.yaml')).toContain('cloud: "aws"')
  expect(events.filter((event) => event.type === 'log' && event.message.includes('--cloud aws'))).toHaveLength(1)

  // Nothing needs the service any more.
  await lookAt(host.dir)
  await examine(host)
  const again = await setupOn(host.dir)
  expect(again.result.recap?.changed).toBe(0)
  expect(again.events.filter((event) => event.type === 'log' && event.message.includes('--cloud'))).toEqual([])
  expect(requests(host)).toEqual([token])
})
