// The third way: the real program on the real Windows Node, on a node of the lab.
import {readdir, readFile, rm} from 'node:fs/promises'
import path from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {fileURLToPath} from 'node:url'
import {traceOf} from '../../../src/output/run/run-log.js'
import type {RunResultDocument} from '../../../src/pipeline/run/events.js'
import {TOKEN} from '../../join/joining-host.js'
import type {Observation} from '../../one-truth/observation.js'
import type {EndedRun} from '../../one-truth/run-record.js'
import {ADMIN_FILE, type Moment, TOKEN_FILE, type Way} from '../../one-truth/scenario.js'
import {secondRun} from '../../one-truth/second-run.js'
import {ADMIN_KUBECONFIG} from '../../one-truth/simulated-host.js'
import type {Lab} from '../lab.js'
import type {LabProcess} from '../lab-run.js'
import {type LabNode, startLabNode} from '../node/lab-node.js'

const ON_THE_NODE = fileURLToPath(new URL('on-the-node.ts', import.meta.url))
const POLL_MS = 20

export const inLab = (lab: Lab): Way => ({
  async open({baseDir, interfaceName, runtime}) {
    const node = await startLabNode(lab, {runtime, ...(interfaceName !== undefined && {adapter: interfaceName})})
    await node.machine.write(ADMIN_FILE, ADMIN_KUBECONFIG)
    await node.machine.write(TOKEN_FILE, `${TOKEN}\n`)
    return {
      close: () => node.close(),
      happens: async (name) => void (await onTheNode(node, 'happens', name)),
      run: async (command, args) => endOf(node, await node.start(command, ['--json', ...args])),
      async setup(args, moment, by) {
        const running = await node.startSetup(['--json', ...args], {}, by)
        if (!moment) return endOf(node, running)
        await reach(node, running, baseDir, moment)
        const meanwhile = await disturb(node, running, args, moment)
        const {stdout} = await running.ended
        if (moment.then === 'killed' && stdout === '') return undefined
        return {...(await endOf(node, running)), ...(meanwhile && {meanwhile})}
      },
      state: async () => JSON.parse(await onTheNode(node, 'state', baseDir)) as Observation,
    }
  },
})

async function reach(node: LabNode, running: LabProcess, baseDir: string, {at}: Moment): Promise<void> {
  let isOver = false
  void running.ended.finally(() => (isOver = true)).catch(() => undefined)
  while (!isOver && !(await newestLog(node, baseDir)).includes(at)) await sleep(POLL_MS)
  if (isOver) throw new Error(`The run ended before ${at}: ${(await running.ended).stderr}`)
}

async function disturb(
  node: LabNode,
  running: LabProcess,
  args: readonly string[],
  {then}: Moment,
): Promise<EndedRun | undefined> {
  if (then === 'killed') await running.kill()
  else if (then === 'interrupted') await running.interrupt()
  else if ('removed' in then) await rm(node.machine.path(then.removed))
  else return secondRun(await endOf(node, await node.startSetup(['--json', ...then.setup])), running.pid, args)
  return undefined
}

async function endOf({machine}: LabNode, running: LabProcess): Promise<EndedRun> {
  const {code, stderr, stdout} = await running.ended
  if (stdout === '') throw new Error(`setup ended with ${code} and without a document: ${stderr}`)
  const result = JSON.parse(stdout) as RunResultDocument
  return {code, log: result.log === undefined ? '' : await machine.read(traceOf(result.log)), result}
}

async function onTheNode(node: LabNode, what: string, argument: string): Promise<string> {
  const {code, stderr, stdout} = await node.runSource(ON_THE_NODE, [what, argument])
  if (code !== 0) throw new Error(`${what} ${argument} ended with ${code}: ${stderr}`)
  return stdout
}

/** Empty where there is none yet. */
async function newestLog({machine}: LabNode, baseDir: string): Promise<string> {
  const folder = machine.path(`${baseDir}\\logs\\k8s-win`)
  const newest = (await readdir(folder).catch(() => [])).sort().at(-1)
  return newest === undefined ? '' : readFile(path.join(folder, newest), 'utf8')
}
