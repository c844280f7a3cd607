// host-local as a program and as a model: the same calls, each on a store of its own.
import path from 'node:path'
import type {Files} from '../../../src/machine/files.js'
import type {Machine} from '../../../src/machine/machine.js'
import type {Stage} from '../../../src/simulator/model.js'
import {runHostLocal} from '../../../src/simulator/programs/host-local.js'
import type {Call} from './scenarios.js'

/** What Debian builds; the simulator is asked to be the same. */
const VERSION = 'v1.1.1'
const NETWORK = 'vxlan0'
const DEADLINE_MS = 30_000

export interface Answer {
  readonly exitCode: number
  readonly stderr: string
  readonly stdout: string
}

export interface Side {
  call(call: Call): Promise<Answer>
  /** Puts these files into the store. */
  prepare(files: Readonly<Record<string, string>>): Promise<void>
  store(): Promise<Record<string, string>>
}

export function realHostLocal(machine: Machine, program: string, dataDir: string): Side {
  return side(machine.files, dataDir, async (env, input) => {
    const {exitCode, stderr, stdout} = await machine.run(program, [], {
      deadlineMs: DEADLINE_MS,
      effect: 'change',
      env,
      input,
    })
    // Debian builds it without telling it its version.
    return {exitCode, stderr: stderr.replace('version unknown', VERSION), stdout}
  })
}

export function simulatedHostLocal(files: Files, dataDir: string): Side {
  const stage = {files} as Stage
  return side(files, dataDir, async (env, input) => {
    const {exitCode, stderr = '', stdout = ''} = await runHostLocal(stage, {env, input, version: VERSION})
    return {exitCode, stderr, stdout}
  })
}

function side(
  files: Files,
  dataDir: string,
  run: (env: Record<string, string>, input: string) => Promise<Answer>,
): Side {
  const store = path.win32.join(dataDir, NETWORK)
  return {
    async call({command, env, input}) {
      // Drive-less, as cni.conf has it.
      const given = {...(command === undefined ? {} : {CNI_COMMAND: command}), ...env}
      const text = input.replaceAll('DATA_DIR', dataDir.replace(/^C:/, '').replaceAll('\\', '/'))
      const {exitCode, stderr, stdout} = await run(given, text)
      const neutral = (said: string): string => said.replaceAll(path.win32.basename(dataDir), '<folder>')
      return {exitCode, stderr: neutral(stderr), stdout: neutral(stdout)}
    },
    async prepare(given) {
      await files.makeDirectory(store)
      for (const [name, content] of Object.entries(given)) await files.write(path.win32.join(store, name), content)
    },
    store: () => storeOf(files, store),
  }
}

/** Every file with what is in it. */
export async function storeOf(files: Files, folder: string): Promise<Record<string, string>> {
  const names = (await files.list(folder)).sort()
  const read = async (name: string): Promise<[string, string]> => [
    name,
    (await files.read(path.win32.join(folder, name)))?.toString('utf8') ?? '<gone>',
  ]
  return Object.fromEntries(await Promise.all(names.map(read)))
}
