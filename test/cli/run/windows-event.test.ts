// What a refused run leaves on the host, as the page of exit codes says.
import {readFileSync} from 'node:fs'
import {expect, test} from 'vitest'
import {DiskHost} from '../../steps/host-folder.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {k8sWin} from '../program.js'

test('review D3-4: exit code 3 leaves an event in the log of Windows, which the page of exit codes says', async () => {
  const host = DiskHost.empty()
  try {
    await openSimulator({dir: String(host.dir), profile: 'ws2025'})
    host.edit(({os}) => void os.listening.push('tcp/10250'))
    const on = ['--simulate', 'ws2025', '--simulate-dir', String(host.dir)]
    expect(await k8sWin(['setup', '--yes', ...on])).toMatchObject({code: 3})
    expect(JSON.stringify(host.world.os.eventLogs?.['Application'])).toContain('PORT_TAKEN')
    expect(readFileSync('docs/exit-codes.md', 'utf8')).toContain('with 3, the [event](launchers.md)')
  } finally {
    host.discard()
  }
})
