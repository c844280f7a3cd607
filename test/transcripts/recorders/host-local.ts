// The real host-local.exe, built in the lab from Debian's sources: every different answer once.
import path from 'node:path'
import {IN_LAB, openLab} from '../../lab/lab.js'
import {SCENARIOS} from '../../lab/host-local/scenarios.js'
import {askedOf, HOST_LOCAL_QUESTIONS} from '../questions/host-local.js'
import {type Heard, saveGroup} from '../sink.js'
import {runInLab} from './in-lab.js'

const STORES = 'C:\\lab\\ipam'

export async function recordHostLocal(): Promise<number> {
  const lab = await openLab()
  const heard = new Map<string, Heard>()
  try {
    const machine = await lab.machine()
    for (const [number, {before = {}}] of SCENARIOS.entries()) {
      const store = path.win32.join(STORES, String(number), 'vxlan0')
      for (const [name, content] of Object.entries(before)) await machine.write(path.win32.join(store, name), content)
    }

    const calls = HOST_LOCAL_QUESTIONS.map(({call: {command, env, input}, scenario}) => ({
      args: [],
      env: {...(command !== undefined && {CNI_COMMAND: command}), ...env},
      input: input.replaceAll('DATA_DIR', `/lab/ipam/${SCENARIOS.indexOf(scenario)}`),
      program: `${IN_LAB.tools}\\host-local.exe`,
    }))
    for (const [index, {err, exitCode, out}] of (await runInLab(machine, calls)).entries()) {
      const {call, name} = HOST_LOCAL_QUESTIONS[index]!
      const key = `${exitCode} ${err.toString('utf8')} ${out.toString('utf8').replaceAll(/ipam\/\d+/g, 'ipam')}`
      if (!heard.has(key)) heard.set(key, {asked: askedOf(call), exitCode, name, parts: {err, out}})
    }
  } finally {
    await lab.close()
  }

  await saveGroup(
    {
      name: 'host-local',
      program: 'host-local.exe 1.1.1',
      replacements: [
        {by: 'DATA_DIR', pattern: /(?:C:)?([\\/])+lab\1+ipam\1+\d+/g, told: 'the folder of the reservations: DATA_DIR'},
      ],
      source: 'Debian 13, source package golang-github-containernetworking-plugins 1.1.1, built for Windows',
    },
    [...heard.values()],
  )
  return heard.size
}
