// The third way: the real program on the real Windows Node, on a node of the lab.
import {readdir, readFile, rm} from 'node:fs/promises'
import path from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {fileURLToPath} from 'node:url'
import type {RunResultDocument} from '../../../src/pipeline/events.js'
import type {Observation} from '../../one-truth/observation.js'
import type {Way} from '../../one-truth/scenario.js'
import type {Lab} from '../lab.js'
import {type LabNode, startLabNode} from '../node/lab-node.js'

const ON_THE_NODE = fileURLToPath(new URL('on-the-node.ts', import.meta.url))
const LOOK_EVERY_MS = 20

export const inLab = (lab: Lab): Way => ({
  async open({baseDir, interfaceName}) {
    const node = await startLabNode(lab, interfaceName === undefined ? {} : {adapter: interfaceName})
    return {
      close: () => node.close(),
      happens: async (name) => void (await onTheNode(node, 'happens', name)),
      async setup(args, moment) {
        const running = await node.startSetup(['--json', ...args])
        let isOver = false
        void running.ended.finally(() => (isOver = true)).catch(() => undefined)
        while (moment && !isOver && !(await newestLog(node, baseDir)).includes(moment.at)) await sleep(LOOK_EVERY_MS)
        if (moment && isOver) throw new Error(`The run ended before ${moment.at}: ${(await running.ended).stderr}`)

        if (moment?.then === 'killed') await running.kill()
        else if (moment) await rm(node.machine.path(moment.then.removed))
        const {code, stderr, stdout} = await running.ended
        if (moment?.then === 'killed' && stdout === '') return undefined
        if (stdout === '') throw new Error(`setup ended with ${code} and without a document: ${stderr}`)
        return {code, log: await newestLog(node, baseDir), result: JSON.parse(stdout) as RunResultDocument}
      },
      state: async () => JSON.parse(await onTheNode(node, 'state', baseDir)) as Observation,
    }
  },
})

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
