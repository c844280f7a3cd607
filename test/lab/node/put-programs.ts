// The programs of a fresh lab node: what the download hosts have, and what Wine has no real one of.
import {readFile} from 'node:fs/promises'
import type {RuntimeName} from '../../../src/config/model.js'
import {IN_LAB, type LabMachine} from '../lab.js'
import {makeMirrorFiles, type MirrorFiles, stamped} from './mirror-files.js'

/** As on the drive of a fresh simulated host. */
const DAEMON_JSON = JSON.stringify({'log-driver': 'json-file', 'log-opts': {'max-file': '3', 'max-size': '10m'}})
const SYSTEM = 'C:\\windows\\system32'

/** Answers what gives the flags with which setup accepts the downloads. */
export async function putPrograms(
  machine: LabMachine,
  mirror: string,
  runtime: RuntimeName,
): Promise<MirrorFiles['flagsFor']> {
  const ours = (name: string): Promise<Buffer> => readFile(machine.path(`${IN_LAB.programs}\\${name}`))
  const daemon = await ours('daemon.exe')
  const hostLocal = await readFile(machine.path(`${IN_LAB.tools}\\host-local.exe`))
  const {files, flagsFor} = makeMirrorFiles(runtime, {daemon, hostLocal})
  for (const [name, content] of Object.entries(files)) await machine.write(`${mirror}\\${name}`, content)
  await machine.write(`${SYSTEM}\\netsh.exe`, await ours('netsh.exe'))
  await machine.write(`${SYSTEM}\\vmcompute.dll`, await ours('vmcompute.dll'))
  await machine.write(`${SYSTEM}\\hns.exe`, stamped(daemon, {name: 'hns', version: 'v10.0.17763'}))
  if (runtime === 'containerd') return flagsFor
  await machine.write('C:\\Program Files\\docker\\dockerd.exe', stamped(daemon, {name: 'dockerd', version: 'v20.10.9'}))
  await machine.write('C:\\ProgramData\\docker\\config\\daemon.json', DAEMON_JSON)
  return flagsFor
}
