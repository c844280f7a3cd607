// Another program listens on the port of a daemon's health: recover restarts nothing for it.
import {expect, it} from 'vitest'
import {healthyNode, statusOn} from '../status/status-on.js'
import {recoverOn} from './recover-on.js'

it.each([
  ['kubelet', 'tcp/10248'],
  ['kubeproxy', 'tcp/10256'],
] as const)('review A3-1: recover restarts no %s for another program on its port', async (service, port) => {
  const node = await healthyNode()
  node.edit(({os}) => void os.listening.push(port))
  const {document} = await statusOn(node.dir)
  expect(document.problems.map(({id, subject}) => [id, subject])).toEqual([['PORT_TAKEN', service]])
  expect(document.services.find(({name}) => name === service)?.health).toBe('taken')
  const {processId} = node.world.services[service]!
  const {result} = await recoverOn(node.dir)
  expect(result.error?.id).toBe('PORT_TAKEN')
  expect(node.world.services[service]?.processId).toBe(processId)
  node.discard()
})
