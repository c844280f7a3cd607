// What runs in a simulated container: the commands of cmd.exe that probes, pause containers and builds use.
import type {DockerContainer} from '../world.js'

export interface CommandEnd {
  /** Undefined for a command that runs until it is stopped. */
  readonly exitCode: number | undefined
  readonly output: NonNullable<DockerContainer['output']>
}

/** Undefined if there is no such program. */
export function runCommand(command: readonly string[], osVersion: string): CommandEnd | undefined {
  const [program = '', ...args] = command
  if (!/^(?:c:\\windows\\system32\\)?cmd(?:\.exe)?$/i.test(program)) return undefined
  const at = args.findIndex((argument) => /^\/c$/i.test(argument))
  // Without a terminal, cmd reads the end of its input and ends.
  return at === -1 ? ended(0) : builtIn(args.slice(at + 1).join(' '), osVersion)
}

export const commandLine = (command: readonly string[]): string => command.join(' ')

/** CMD and RUN: a JSON array, or a command for the shell. */
export function parseCommand(value: string): string[] {
  try {
    const parsed: unknown = JSON.parse(value)
    if (Array.isArray(parsed) && parsed.every((one) => typeof one === 'string')) return parsed
  } catch {
    // The shell form.
  }

  return ['cmd', '/S', '/C', value]
}

function builtIn(line: string, osVersion: string): CommandEnd {
  const isRedirected = line.trim().endsWith('1>&2')
  const text = isRedirected ? line.trim().slice(0, -'1>&2'.length).trimEnd() : line.trim()
  const stream = isRedirected ? 'stderr' : 'stdout'
  const [, word = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(text) ?? []
  const known: Readonly<Record<string, CommandEnd>> = {
    echo: ended(0, stream, `${rest}\r\n`),
    exit: ended(Number(/-?\d+/.exec(rest)?.[0] ?? 0)),
    ping: {...ended(0), exitCode: /(?:^|\s)-t(?:\s|$)/.test(rest) ? undefined : 0},
    ver: ended(0, stream, `\r\nMicrosoft Windows [Version ${osVersion}]\r\n`),
  }
  const complaint = 'is not recognized as an internal or external command,\r\noperable program or batch file.\r\n'
  return known[word.toLowerCase()] ?? ended(1, 'stderr', `'${word}' ${complaint}`)
}

const ended = (exitCode: number, stream: 'stderr' | 'stdout' = 'stdout', text = ''): CommandEnd => ({
  exitCode,
  output: text === '' ? [] : [{stream, text}],
})
