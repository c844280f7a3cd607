// The options of `shawl run` that k8s-win uses, and --pass, which it must not use. 1.3.0 and 1.9.0 have others, too, which are
// refused here in the words that clap 3 has for unknown ones.

export interface ShawlRun {
  readonly command: readonly string[]
  readonly error?: undefined
  readonly logDir: string | undefined
  readonly logs: boolean
  readonly name: string
  /** Exit codes that count as success. */
  readonly pass: readonly number[]
  readonly restartIfNot: readonly number[]
  readonly switches: ReadonlySet<string>
  /** As given, by option. */
  readonly values: ReadonlyMap<string, readonly string[]>
}

const SWITCHES = ['--no-log', '--no-restart', '--restart']
/** With the names of their values. */
const VALUES: Readonly<Record<string, string>> = {
  '--log-dir': 'path',
  '--name': 'NAME',
  '--pass': 'codes',
  '--restart-if-not': 'codes',
  '--stop-timeout': 'ms',
}
const RESTART_CHOICES = ['--restart', '--no-restart', '--restart-if-not']

export function parseShawlRun(args: readonly string[]): ShawlRun | {readonly error: string} {
  if (args[0] !== 'run') return {error: unexpected(args[0] ?? '')}
  const switches = new Set<string>()
  const values = new Map<string, string[]>()
  let at = 1
  for (; at < args.length && args[at]?.startsWith('-') && args[at] !== '--'; at++) {
    const [name = '', ...inline] = (args[at] ?? '').split('=')
    if (SWITCHES.includes(name) && inline.length === 0) {
      switches.add(name)
      continue
    }

    if (!(name in VALUES)) return {error: unexpected(name)}
    const value = inline.length > 0 ? inline.join('=') : args[++at]
    if (value === undefined) {
      return {error: `error: The argument '${named(name)}' requires a value but none was supplied`}
    }

    values.set(name, [...(values.get(name) ?? []), value])
  }

  const command = args.slice(args[at] === '--' ? at + 1 : at)
  const problem = findProblem(switches, values, command)
  if (problem !== undefined) return {error: `error: ${problem}`}
  const codes = (name: string): number[] => (values.get(name) ?? []).flatMap((list) => list.split(',').map(Number))
  return {
    command,
    logDir: values.get('--log-dir')?.at(-1),
    logs: !switches.has('--no-log'),
    name: values.get('--name')?.at(-1) ?? 'Shawl',
    pass: values.has('--pass') ? codes('--pass') : [0],
    restartIfNot: codes('--restart-if-not'),
    switches,
    values,
  }
}

function findProblem(
  switches: ReadonlySet<string>,
  values: ReadonlyMap<string, readonly string[]>,
  command: readonly string[],
): string | undefined {
  const chosen = RESTART_CHOICES.filter((name) => switches.has(name) || values.has(name))
  if (chosen.length > 1) return `The argument '${chosen[0]}' cannot be used with '${chosen[1]}'`
  for (const name of ['--pass', '--restart-if-not', '--stop-timeout']) {
    const wrong = values
      .get(name)
      ?.flatMap((list) => list.split(','))
      .find((code) => !/^-?\d+$/.test(code))
    if (wrong !== undefined) return `Invalid value "${wrong}" for '${named(name)}': invalid digit found in string`
  }

  return command.length === 0 ? 'The following required arguments were not provided:\n    <COMMAND>...' : undefined
}

const named = (option: string): string => `${option} <${VALUES[option]}>`
const unexpected = (argument: string): string =>
  `error: Found argument '${argument}' which wasn't expected, or isn't valid in this context`
