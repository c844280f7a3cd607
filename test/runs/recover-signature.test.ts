// A daemon that recover cannot start: its last words are shown with the known failure in them.
import {expect, test} from 'vitest'
import {SIGNATURES} from '../../src/signatures/index.js'
import {healthyNode} from '../status/status-on.js'
import {halt} from '../steps/drifts/services.js'
import {recoverOn} from './recover-on.js'

test('the last failure is shown with its known signature', async () => {
  const host = await healthyNode()
  host.edit((world) => {
    const entry = world.services['kubelet']
    if (entry) halt(entry, world)
    world.os.listening.push('tcp/10250')
  })
  const {result} = await recoverOn(host.dir)
  const {cause = ''} = SIGNATURES.find(({id}) => id === 'port-taken') ?? {}
  expect(result).toMatchObject({error: {id: 'SERVICE_NOT_HEALTHY'}, exitCode: 6})
  expect(result.error?.cause).toContain(`This is known: ${cause}`)
})
