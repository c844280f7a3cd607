// What status says where the records are of a node, and the host has none of its services.
import {expect, test} from 'vitest'
import {COMMON_DAEMONS} from '../../src/config/daemons.js'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {Win32Error} from '../../src/machine/win32.js'
import {setUpHost} from '../reset/set-up-host.js'
import {statusOn} from '../status/status-on.js'

const {copy} = setUpHost()

test('they are gone: one problem, and both ways on', async () => {
  const host = copy()
  host.edit(({services}) => {
    for (const {service} of COMMON_DAEMONS) Reflect.deleteProperty(services, service)
  })
  const {document} = await statusOn(host.dir)
  expect(document).toMatchObject({exitCode: 9, verdict: 'not set up'})
  expect(document.problems).toMatchObject([
    {
      id: 'SERVICES_GONE',
      next: 'Run "k8s-win reset" to remove what is left, or "k8s-win setup" to restore the node.',
      seen: expect.stringContaining('this host has no services of a node') as string,
    },
  ])
})

test('Windows does not answer: they are not called gone', async () => {
  const wrap = (machine: Machine): Machine =>
    interceptMachine(machine, ({what}, perform) =>
      what === 'queryServiceConfig' ? Promise.reject(new Win32Error('OpenSCManager', 1722, '')) : perform(),
    )
  const {document} = await statusOn(copy().dir, {wrap})
  expect(document.verdict).toBe('unknown')
  expect(JSON.stringify(document)).not.toContain('no services of a node')
})
