// The host a settler runs on: a simulated one. What it assumes it also does, so every settler must find it so.
import {layoutOf} from '../../../../src/config/layout.js'
import {openAssets} from '../../../../src/machine/real/assets.js'
import type {Machine} from '../../../../src/machine/machine.js'
import {makeStandIn} from '../../../../src/simulator/mirror/stand-in.js'
import {CHECKOUT} from '../../recipe.js'
import type {SettlerContext} from './settler.js'
import {type SwitchSeen, tryOutSwitch} from './switch-experiment.js'

export async function simulatedHost(machine: Machine): Promise<SettlerContext> {
  const {files, win32} = machine
  const scratch = String.raw`C:\Windows\TEMP\k8s-win`
  await files.makeDirectory(scratch)
  // flanneld is the program that says nothing to the service manager.
  const flanneld = layoutOf('C:\\k').flanneld
  await files.write(flanneld, makeStandIn({name: 'flanneld', version: 'v0.28.9'}))
  let seen: Promise<SwitchSeen> | undefined
  return {
    baseDir: 'C:\\k',
    changesAllowed: true,
    machine,
    scratch,
    shawl: openAssets(CHECKOUT).shawl,
    silentProgram: {
      command: [flanneld],
      isAlive: async () => (await win32.queryServiceStatus('k8s-win-lab-trial'))?.processId !== 0,
      processId: async () => (await win32.queryServiceStatus('k8s-win-lab-trial'))?.processId || undefined,
    },
    switchSeen: () => (seen ??= tryOutSwitch(machine)),
  }
}
