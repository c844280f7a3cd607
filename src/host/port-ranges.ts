// Dynamic ports of Windows, and reserved ones. Only netsh reports the latter; its words are in the
// system's language, so only the numbers of its rows are read.
import type {Run} from '../machine/run.js'
import {systemProgram} from '../machine/system-program.js'
import type {Win32} from '../machine/win32.js'

export interface PortRange {
  readonly from: number
  readonly to: number
}

export interface PortRanges {
  /** The dynamic port range; undefined if netsh does not report it. */
  dynamic(): Promise<PortRange | undefined>
  /** Reserved by Windows or an administrator; of TCP, in order; undefined if netsh does not report them. */
  excluded(): Promise<readonly PortRange[] | undefined>
}

const DEADLINE_MS = 15_000
const LAST_PORT = 65_535

export function openPortRanges(run: Run, win32: Pick<Win32, 'registryValue'>): PortRanges {
  const show = async (what: string): Promise<string | undefined> => {
    const args = ['interface', 'ipv4', 'show', what, 'protocol=tcp']
    const program = await systemProgram(win32, 'netsh.exe')
    const {exitCode, stdout} = await run(program, args, {deadlineMs: DEADLINE_MS, effect: 'read'})
    return exitCode === 0 ? stdout : undefined
  }

  return {
    async dynamic() {
      const output = (await show('dynamicport')) ?? ''
      const [from, count] = [...output.matchAll(/: (\d{1,5})\s*$/gm)].map(([, digits]) => Number(digits))
      if (from === undefined || count === undefined) return undefined
      return {from, to: Math.min(from + count - 1, LAST_PORT)}
    },
    async excluded() {
      const rows = (await show('excludedportrange'))?.matchAll(/^ {0,20}(\d{1,5}) {1,30}(\d{1,5})[ *]{0,20}\r?$/gm)
      if (!rows) return undefined
      return [...rows].map(([, from, to]) => ({from: Number(from), to: Number(to)})).sort((a, b) => a.from - b.from)
    },
  }
}

/** The longest row of ports in a range that are not reserved. */
export function longestFree(range: PortRange, excluded: readonly PortRange[]): number {
  let [next, longest] = [range.from, 0]
  for (const {from, to} of [...excluded].sort((a, b) => a.from - b.from)) {
    longest = Math.max(longest, Math.min(from, range.to + 1) - next)
    next = Math.max(next, to + 1)
  }
  return Math.max(longest, range.to + 1 - next)
}
