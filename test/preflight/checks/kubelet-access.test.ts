// A kubelet that a user's settings open: setup, status and doctor warn of it, as the kubelet reads both forms.
import {expect, it} from 'vitest'
import type {GivenOptions} from '../../../src/config/options/options.js'
import {openAccess} from '../../../src/preflight/checks/kubelet-access.js'
import {setupConfig} from '../../fixtures/setup-config.js'
import {setupOn} from '../../setup/in-process.js'
import {statusOn} from '../../status/status-on.js'
import {HostFolder} from '../../steps/host-folder.js'

const ID = 'kubelet-access'
const flags = (...args: string[]): GivenOptions => ({'kubelet-arg': args})
const fields = (config: object): GivenOptions => ({'kubelet-config': JSON.stringify(config)})
const found = (given: GivenOptions): number => openAccess(setupConfig(given)).length

it.each<[string, GivenOptions, number]>([
  ['the defaults', {}, 0],
  ['what k8s-win sets anyway', fields({authorization: {mode: 'Webhook'}, readOnlyPort: 0}), 0],
  ['anonymous requests that the cluster authorizes', flags('anonymous-auth=true'), 0],
  ['review A3-8: nobody authorizes', flags('authorization-mode=AlwaysAllow'), 1],
  ['review A3-8: nobody authorizes, as a field', fields({authorization: {mode: 'AlwaysAllow'}}), 1],
  ['review A3-8: the read-only port', flags('read-only-port=10255'), 1],
  ['review A3-8: the read-only port, as a field', fields({readOnlyPort: 10_255}), 1],
  ['review A3-8: both', flags('anonymous-auth=T', 'authorization-mode=AlwaysAllow', 'read-only-port=10255'), 2],
])('%s', (_, given, count) => {
  expect(found(given)).toBe(count)
})

it('says that everyone is let in where anonymous requests are', () => {
  const authenticated = openAccess(setupConfig(flags('authorization-mode=AlwaysAllow')))
  const anonymous = openAccess(setupConfig(flags('authorization-mode=AlwaysAllow', 'anonymous-auth=1')))
  expect(anonymous).not.toEqual(authenticated)
})

it('review A3-8: setup and status warn of it, and the node is healthy', async () => {
  const host = await HostFolder.fresh(() => {})
  const {result} = await setupOn(host.dir, flags('anonymous-auth=true', 'authorization-mode=AlwaysAllow'))
  expect(result.exitCode).toBe(0)
  expect(result.checks.find(({id}) => id === ID)).toMatchObject({result: 'warn'})
  const {document} = await statusOn(host.dir)
  expect(document.verdict).toBe('healthy')
  expect(document.warnings.filter((one) => one.includes('AlwaysAllow'))).toHaveLength(1)
})
