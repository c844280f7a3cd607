// netstat.exe -ano, as an English system prints it: the ports that something listens on, with the process that does.
import type {World} from '../world.js'
import type {ProgramOutput} from './output.js'
import {windowsLines} from './output.js'

/** Who has the ports of which machine.json says only that they are taken: Windows itself. */
const SYSTEM = 4

export function runNetstat(world: World, args: readonly string[]): ProgramOutput {
  const letters = args.join('').toLowerCase()
  if (!args.every((arg) => /^[-/][ano]+$/i.test(arg)) || !['a', 'n', 'o'].every((one) => letters.includes(one))) {
    return {
      exitCode: 1,
      stdout: windowsLines('', 'Displays protocol statistics and current TCP/IP network connections.'),
    }
  }

  const rows = [
    ...world.os.listening.map((port) => ({port, processId: SYSTEM})),
    ...Object.values(world.services).flatMap(({listening = [], process, processId, state}) =>
      state === 'stopped' ? [] : listening.map((port) => ({port, processId: process?.childProcessId ?? processId})),
    ),
  ].map(({port, processId}) => ({number: Number(port.slice('tcp/'.length)), processId, protocol: port.slice(0, 3)}))
  rows.sort((one, other) => one.protocol.localeCompare(other.protocol) || one.number - other.number)
  const lines = rows.map(({number, processId, protocol}) =>
    protocol === 'tcp'
      ? row('TCP', `0.0.0.0:${number}`, '0.0.0.0:0', 'LISTENING', String(processId))
      : row('UDP', `0.0.0.0:${number}`, '*:*', '', String(processId)),
  )
  const head = row('Proto', 'Local Address', 'Foreign Address', 'State', 'PID')
  return {exitCode: 0, stdout: windowsLines('', 'Active Connections', '', head, ...lines)}
}

const row = (protocol: string, local: string, foreign: string, state: string, processId: string): string =>
  `  ${protocol.padEnd(7)}${local.padEnd(23)}${foreign.padEnd(23)}${state.padEnd(16)}${processId}`
