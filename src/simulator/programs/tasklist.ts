// tasklist.exe /svc, as an English system prints it: processes, and the services in them.
import type {World} from '../world.js'
import type {ProgramOutput} from './output.js'
import {windowsLines} from './output.js'
import {serviceProcesses} from './processes.js'

const IMAGE = 25
const NUMBER = 8
const SERVICES = 44

export function runTasklist(world: World, args: readonly string[]): ProgramOutput {
  const strange = args.find((arg) => arg.toLowerCase() !== '/svc')
  if (strange !== undefined || args.length === 0) {
    const problem = `ERROR: Invalid argument/option - '${strange ?? ''}'.`
    return {exitCode: 1, stderr: windowsLines(problem, 'Type "TASKLIST /?" for usage.')}
  }

  const own = serviceProcesses(world)
    .map(({entry, image, isChild, processId}) => ({image, processId, services: isChild ? 'N/A' : entry.name}))
    .sort((one, other) => one.processId - other.processId)
  const rows = [
    {image: 'System Idle Process', processId: 0, services: 'N/A'},
    {image: 'System', processId: 4, services: 'N/A'},
    ...own,
  ].map(({image, processId, services}) => row(image, String(processId), services))
  const line = [IMAGE, NUMBER, SERVICES].map((width) => '='.repeat(width)).join(' ')
  return {exitCode: 0, stdout: windowsLines('', row('Image Name', 'PID', 'Services'), line, ...rows)}
}

const row = (image: string, processId: string, services: string): string =>
  [image.slice(0, IMAGE).padEnd(IMAGE), processId.padStart(NUMBER), services.padEnd(SERVICES)].join(' ')
