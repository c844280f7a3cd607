// examples/ansible: check mode, a first and a second run, the restart, failures, on a simulated host with Debian's Ansible.
import {existsSync} from 'node:fs'
import {beforeAll, describe, expect, it} from 'vitest'
import {withoutContainers} from '../../fixtures/restart-due.js'
import {joiningHost, TOKEN} from '../../join/joining-host.js'
import type {DiskHost, HostFolder} from '../../steps/host-folder.js'
import {INVENTORY, openAnsible, PLAYBOOK, playOn, type Played, recapOf, type Values} from './playbook.js'

/** Ansible's packages are unpacked; the Python that they are made for is this machine's. */
const isPossible = process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/python3')
if (!isPossible) process.stderr.write('NOT RUN: examples/ansible. It needs root, and Python of the same Debian.\n')

let ansible: Awaited<ReturnType<typeof openAnsible>>
beforeAll(async () => {
  if (isPossible) ansible = await openAnsible()
})

async function onHost(
  host: HostFolder,
  values: Values,
  use: (play: (...args: readonly string[]) => Promise<Played>, disk: DiskHost) => Promise<void>,
): Promise<void> {
  const disk = host.onDisk()
  const {play, remove} = await playOn(ansible, disk, values)
  try {
    await use(play, disk)
  } finally {
    await remove()
    disk.discard()
  }
}

describe.skipIf(!isPossible)('the playbook', () => {
  it('is valid with all modules of Windows, and its inventory with it', async () => {
    expect(await ansible(['-i', INVENTORY, '--syntax-check', PLAYBOOK])).toMatchObject({code: 0})
  })

  it('shows in check mode what would change, changes nothing, and then does it once', async () => {
    await onHost(await joiningHost(), {}, async (play, disk) => {
      const before = disk.state
      const checked = await play('--check', '--diff')
      expect([checked.code, recapOf(checked)]).toMatchObject([0, {changed: 1, failed: 0}])
      expect(checked.output).toMatch(/^\+ {2}write C:\\k\\kubelet-config\.yaml$/m)
      expect(disk.state).toEqual(before)

      const first = await play('-vv')
      expect([first.code, recapOf(first)]).toMatchObject([0, {changed: 1, failed: 0}])
      expect(first.output).not.toContain(TOKEN)
      expect(disk.world.services).toHaveProperty('kubelet')

      const second = await play('--diff')
      expect([second.code, recapOf(second)]).toMatchObject([0, {changed: 0, failed: 0}])
    })
  })

  it('restarts Windows and resumes', async () => {
    const values = {options: ['--enable-features']}
    await onHost(await joiningHost(withoutContainers), values, async (play) => {
      const played = await play()
      expect([played.code, recapOf(played)]).toMatchObject([0, {changed: 3, failed: 0}])
      expect(played.output).toMatch(/TASK \[Restart Windows\] \**\nchanged/)
      expect(recapOf(await play())).toMatchObject({changed: 0, failed: 0})
    })
  })

  it('shows the failure of setup and of its plan, and stops', async () => {
    await onHost(await joiningHost(), {options: ['--cluster-cidr=x']}, async (play, disk) => {
      const before = disk.state
      for (const args of [[], ['--check']]) {
        const played = await play(...args)
        expect([played.code, recapOf(played)]).toMatchObject([2, {changed: 0, failed: 1}])
        expect(played.output).toContain('BAD_VALUE')
      }

      expect(disk.state).toEqual(before)
    })
  })

  it('plans nothing in check mode with another program than the one it would install', async () => {
    await onHost(await joiningHost(), {k8s_win_sha256: '0'.repeat(64)}, async (play) => {
      const played = await play('--check')
      expect([played.code, played.output.includes('Plan the setup')]).toEqual([0, false])
    })
  })
})
