// What reset knows of the node: from the journal, and from a host that may not answer.
import {expect, test} from 'vitest'
import {nodeToReset} from '../../src/runs/reset/remove-owned.js'
import {Rig} from '../steps/rig.js'

const refuse = () => Promise.reject(new Error('the host does not answer'))

test('the name in the journal is used, not the one the computer has by now', async () => {
  const {config, context} = await Rig.open()
  const {host, journal} = context
  const {nodeName: _, ...setup} = config
  const computer = (await host.os.computerName()).toLowerCase()
  expect(await nodeToReset(setup, host, journal)).toMatchObject({hostBuild: 17_763, nodeName: computer})
  await journal.record('node-registered', {kind: 'node', name: 'before'})
  expect(await nodeToReset(setup, host, journal)).toMatchObject({nodeName: 'before'})
  // A configured name is the one that setup used.
  expect(await nodeToReset({...setup, nodeName: 'given'}, host, journal)).toMatchObject({nodeName: 'given'})
})

test('a host that does not answer does not prevent a reset', async () => {
  const {config, context} = await Rig.open()
  const {nodeName: _, ...setup} = config
  const os = {...context.host.os, computerName: refuse, version: refuse}
  expect(await nodeToReset(setup, {...context.host, os}, context.journal)).toMatchObject({hostBuild: 0, nodeName: ''})
})
