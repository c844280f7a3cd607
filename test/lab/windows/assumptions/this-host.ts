// The host a settler runs on: this one.
import {readFile} from 'node:fs/promises'
import path from 'node:path'
import {openAssets} from '../../../../src/machine/real/assets.js'
import {openRealMachine} from '../../../../src/machine/real/index.js'
import {APP, CHANGES_ALLOWED} from '../windows-host.js'
import type {SettlerContext} from './settler.js'
import {type SwitchSeen, tryOutSwitch} from './switch-experiment.js'

export function thisHost(scratch: string): SettlerContext {
  const machine = openRealMachine()
  const pidFile = path.join(scratch, 'silent.pid')
  let seen: Promise<SwitchSeen> | undefined
  return {
    baseDir: 'C:\\k',
    changesAllowed: CHANGES_ALLOWED,
    machine,
    scratch,
    shawl: openAssets(APP).shawl,
    silentProgram: {
      command: [
        process.execPath,
        '-e',
        `require('fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1000)`,
      ],
      async isAlive(pid) {
        try {
          process.kill(pid, 0)
          return true
        } catch {
          return false
        }
      },
      processId: async () => Number(await readFile(pidFile, 'utf8').catch(() => '')) || undefined,
    },
    switchSeen: () => (seen ??= tryOutSwitch(machine)),
  }
}
