// The options of `shawl run` 1.3.0; clap 3 refuses all others. 1.9.0 has these and more, which k8s-win must not use.

export interface ShawlRun {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly error?: undefined
  readonly logDir: string | undefined
  readonly logs: boolean
  readonly logsCommand: boolean
  readonly name: string
  /** Exit codes that count as success. */
  readonly pass: readonly number[]
  readonly restartIf: readonly number[]
  readonly restartIfNot: readonly number[]
  readonly switches: ReadonlySet<string>
  /** As given, by option. */
  readonly values: ReadonlyMap<string, readonly string[]>
}

const SWITCHES = ['--no-log', '--no-log-cmd', '--no-restart', '--pass-start-args', '--restart']
/** With the names of their values. */
const VALUES: Readonly<Record<string, string>> = {
  '--cwd': 'path',
  '--env': 'ENV',
  '--log-dir': 'path',
  '--name': 'NAME',
  '--pass': 'codes',
  '--path': 'PATH',
  '--priority': 'PRIORITY',
  '--restart-if': 'codes',
  '--restart-if-not': 'codes',
  '--stop-timeout': 'ms',
}
const PRIORITIES = ['realtime', 'high', 'above-normal', 'normal', 'below-normal', 'idle']
const RESTART_CHOICES = ['--restart', '--no-restart', '--restart-if', '--restart-if-not']

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
    env: Object.fromEntries(
      (values.get('--env') ?? []).map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    ),
    logDir: values.get('--log-dir')?.at(-1),
    logs: !switches.has('--no-log'),
    logsCommand: !switches.has('--no-log-cmd'),
    name: values.get('--name')?.at(-1) ?? 'Shawl',
    pass: values.has('--pass') ? codes('--pass') : [0],
    restartIf: codes('--restart-if'),
    restartIfNot: codes('--restart-if-not'),
    switches,
    values,
  }
}

/** The options as it logs them at its start, in Rust's notation. */
export function describeRun(run: ShawlRun): string {
  const {switches, values} = run
  const last = (option: string): string | undefined => values.get(option)?.at(-1)
  const list = (values: readonly unknown[]): string => `[${values.join(', ')}]`
  const some = (value: string | undefined): string => (value === undefined ? 'None' : `Some(${value})`)
  const text = (value: string): string => JSON.stringify(value)
  const folder = (value: string): string => text(String.raw`\\?${'\\'}${value}`)
  const variant = (value: string | undefined): string | undefined =>
    value?.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const common = {
    pass: some(values.has('--pass') ? list(run.pass) : undefined),
    restart: switches.has('--restart'),
    no_restart: switches.has('--no-restart'),
    restart_if: list(run.restartIf),
    restart_if_not: list(run.restartIfNot),
    stop_timeout: some(last('--stop-timeout')),
    no_log: !run.logs,
    no_log_cmd: !run.logsCommand,
    log_dir: some(run.logDir && folder(run.logDir)),
    pass_start_args: switches.has('--pass-start-args'),
    env: list(Object.entries(run.env).map(([key, value]) => `(${text(key)}, ${text(value)})`)),
    path: list((values.get('--path') ?? []).map(folder)),
    priority: some(variant(last('--priority'))),
    command: list(run.command.map(text)),
  }
  const fields = Object.entries(common).map(([key, value]) => `${key}: ${value}`)
  const cwd = some(last('--cwd') && text(last('--cwd') ?? ''))
  return `Cli { sub: Run { common: CommonOpts { ${fields.join(', ')} }, cwd: ${cwd}, name: ${text(run.name)} } }`
}

function findProblem(
  switches: ReadonlySet<string>,
  values: ReadonlyMap<string, readonly string[]>,
  command: readonly string[],
): string | undefined {
  const chosen = RESTART_CHOICES.filter((name) => switches.has(name) || values.has(name))
  if (chosen.length > 1) return `The argument '${chosen[0]}' cannot be used with '${chosen[1]}'`
  for (const name of ['--pass', '--restart-if', '--restart-if-not', '--stop-timeout']) {
    const wrong = values
      .get(name)
      ?.flatMap((list) => list.split(','))
      .find((code) => !/^-?\d+$/.test(code))
    if (wrong !== undefined) return `Invalid value "${wrong}" for '${named(name)}': invalid digit found in string`
  }

  const env = values.get('--env')?.find((pair) => !/^[^=]+=/.test(pair))
  if (env !== undefined) return `Invalid value "${env}" for '--env <ENV>': Invalid KEY=value formatting in '${env}'`
  const priority = values.get('--priority')?.find((one) => !PRIORITIES.includes(one))
  if (priority !== undefined) return `"${priority}" isn't a valid value for '--priority <PRIORITY>'`
  return command.length === 0 ? 'The following required arguments were not provided:\n    <COMMAND>...' : undefined
}

const named = (option: string): string => `${option} <${VALUES[option]}>`
const unexpected = (argument: string): string =>
  `error: Found argument '${argument}' which wasn't expected, or isn't valid in this context`
