// The host a settler runs on: this one.
import {readFile} from 'node:fs/promises'
import path from 'node:path'
import {openAssets} from '../../../../src/machine/real/assets.js'
import {openRealMachine} from '../../../../src/machine/real/index.js'
import {APP, CHANGES_ALLOWED, IS_WINE} from '../windows-host.js'
import type {SettlerContext, SocketAddress} from './settler.js'
import {type SwitchSeen, tryOutSwitch} from './switch-experiment.js'

/** TEST-NET-1 of RFC 5737: nothing answers there. */
const NOBODY: SocketAddress = {host: '192.0.2.1', port: 6443}

export function thisHost(scratch: string): SettlerContext {
  const machine = openRealMachine()
  const pidFile = path.join(scratch, 'silent.pid')
  let seen: Promise<SwitchSeen> | undefined
  return {
    baseDir: 'C:\\k',
    changesAllowed: CHANGES_ALLOWED,
    machine,
    async refusing() {
      const adapters = await machine.win32.adapters()
      // libuv has Windows give up at once on loopback (TCP_INITIAL_RTO_NO_SYN_RETRANSMISSIONS), not on other addresses.
      const host = adapters.find(
        ({addresses, up}) => up && addresses[0] !== undefined && !addresses[0].address.startsWith('127.'),
      )?.addresses[0]?.address
      return host === undefined ? undefined : {host, port: await freePort(machine.net)}
    },
    scratch,
    shawl: openAssets(APP).shawl,
    // The lab's network is that of the machine it runs on, and tests speak to loopback only.
    silent: IS_WINE ? undefined : NOBODY,
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

async function freePort(net: SettlerContext['machine']['net']): Promise<number> {
  for (let port = 47_000; ; port++) if (await net.isPortFree('tcp', port)) return port
}
