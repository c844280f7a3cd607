// A run that continues as a service on a lab node: what another process sees of it, and what the service manager says.
import type {RunResultDocument} from '../../../src/pipeline/run/events.js'
import type {LabResult} from '../lab.js'
import type {LabNode} from './lab-node.js'

export const SERVICE = 'k8s-win-run'
const ERROR_SERVICE_DOES_NOT_EXIST = 1060

export const sc = ({machine}: LabNode, verb: 'query' | 'start' | 'stop'): Promise<LabResult> =>
  machine.run({args: [verb, SERVICE], program: 'C:\\windows\\system32\\sc.exe'})

export const isServiceGone = async (node: LabNode): Promise<boolean> =>
  (await sc(node, 'query')).code === ERROR_SERVICE_DOES_NOT_EXIST

export interface Attached {
  readonly code: number
  readonly events: readonly {readonly type: string}[]
  readonly result: RunResultDocument
}

/** k8s-win attach, to the end of the run. `onStep`: with the id of each step that it shows as finished, as it comes. */
export async function attach(node: LabNode, onStep: (id: string) => void = () => undefined): Promise<Attached> {
  let rest = ''
  const onOutput = (text: string): void => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const event of eventsIn(lines)) if (event.type === 'step-finished') onStep(event.step.id)
  }
  const running = await node.start('attach', ['--base-dir', 'c:\\k', '--output', 'ndjson'], {onOutput})
  const {code, stderr, stdout} = await running.ended
  const events = eventsIn(stdout.split('\n'))
  const last = events.at(-1)
  if (last?.type !== 'run-finished') throw new Error(`attach ended with ${code}: ${stderr}${stdout}`)
  return {code, events, result: last.result}
}

interface ShownEvent {
  readonly result: RunResultDocument
  readonly step: {readonly id: string}
  readonly type: string
}

const eventsIn = (lines: readonly string[]): ShownEvent[] =>
  lines.filter((line) => line !== '').map((line) => JSON.parse(line) as ShownEvent)
