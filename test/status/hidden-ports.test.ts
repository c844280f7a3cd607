// Where Windows does not tell whose a port is, the health of a daemon is unknown, which is no drift of its service.
import {expect, test} from 'vitest'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {Win32Error} from '../../src/machine/win32.js'
import {healthyNode, statusOn} from './status-on.js'

const hidden = (machine: Machine): Machine =>
  interceptMachine(machine, (effect, perform) =>
    ['peerProcess', 'portOwners'].includes(effect.what)
      ? Promise.reject(new Win32Error('GetExtendedTcpTable', 5, 'tcp'))
      : perform(),
  )

test('review W3-0: whose the ports are is hidden: nothing has drifted, and the health is not checked', async () => {
  const {document} = await statusOn((await healthyNode()).dir, {wrap: hidden})
  expect(document.problems.filter(({area}) => area === 'drift')).toEqual([])
  expect(document.notChecked.length).toBeGreaterThan(0)
  expect(document.services.flatMap(({health}) => health ?? [])).toContain('unknown')
})
