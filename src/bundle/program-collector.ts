// What a program of Windows prints for people, in the system's language: nothing is decided from it.
import {systemProgram} from '../machine/system-program.js'
import type {Collector} from './collector.js'

/** Below the time of a collector, so that the program itself is ended. */
const PROGRAM_MS = 10_000
/** Thousands of lines: more is a host gone wild, which these show as well. */
const LARGEST = 512 * 1024
/** Of what a program says when it fails. */
const LONGEST_REASON = 500

/** `name` with .exe, in System32. */
export function programCollector(id: string, path: string, name: string, args: readonly string[]): Collector {
  return {
    async collect({machine, signal}) {
      const program = await systemProgram(machine.win32, name)
      const options = {deadlineMs: PROGRAM_MS, effect: 'read', signal} as const
      const {exitCode, stderr, stdout} = await machine.run(program, args, options)
      if (exitCode !== 0) {
        const said = `${stdout}${stderr}`.trim().slice(0, LONGEST_REASON)
        throw new Error(`${program} ${args.join(' ')} ended with ${exitCode}: ${said}`)
      }

      return {entries: [{...beginning(stdout), path}]}
    },
    id,
  }
}

/** Whole lines: half of one may be half of a secret, which nobody would know for what it is. */
function beginning(output: string) {
  const bytes = Buffer.from(output, 'utf8')
  if (bytes.length <= LARGEST) return {content: {text: output}}
  const end = bytes.lastIndexOf('\n', LARGEST - 1) + 1
  const cut = `the last ${bytes.length - end} of ${bytes.length} bytes`
  return {content: {text: bytes.toString('utf8', 0, end)}, cut}
}
