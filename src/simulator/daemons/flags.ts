// Command lines as Go programs read them: spf13/pflag (kubelet, kube-proxy) and the standard flag package (flanneld).

export type FlagType = 'bool' | 'duration' | 'int' | 'string'
export type FlagSet = ReadonlyMap<string, FlagType>

export type ParsedFlags =
  | {readonly error: string}
  | {
      readonly error?: undefined
      /** The last value wins, as in Go; lists are written with commas. */
      readonly flags: ReadonlyMap<string, string>
      readonly rest: readonly string[]
    }

/** Names by type, separated by spaces. */
export function flagSet(...specs: readonly Partial<Record<FlagType, string>>[]): FlagSet {
  const set = new Map<string, FlagType>()
  for (const spec of specs) {
    for (const [type, names] of Object.entries(spec)) {
      for (const name of names.split(/\s+/).filter(Boolean)) set.set(name, type as FlagType)
    }
  }

  return set
}

/** pflag: long flags have two hyphens; Kubernetes takes underscores for hyphens (component-base WordSepNormalizeFunc). */
export function parsePflags(args: readonly string[], set: FlagSet): ParsedFlags {
  return parse(args, {
    // -v is the only flag with a short form.
    badValue: (name, value, cause) =>
      `invalid argument "${value}" for "${name === 'v' ? '-v, ' : ''}--${name}" flag: ${cause}`,
    needsValue: (name) => `flag needs an argument: --${name}`,
    normalize: (name) => name.replaceAll('_', '-'),
    read(arg) {
      if (arg.startsWith('--')) return {name: arg.slice(2)}
      return {error: `unknown shorthand flag: '${arg[1] ?? ''}' in ${arg}`}
    },
    set,
    stopsAtPlainWord: false,
    unknown: (name) => `unknown flag: --${name}`,
  })
}

/** The standard package: one hyphen or two, and the first plain word ends the flags. */
export function parseGoFlags(args: readonly string[], set: FlagSet): ParsedFlags {
  return parse(args, {
    badValue: (name, value, cause) =>
      `invalid ${set.get(name) === 'bool' ? 'boolean value' : 'value'} "${value}" for -${name}: ${cause}`,
    needsValue: (name) => `flag needs an argument: -${name}`,
    normalize: (name) => name,
    read: (arg) => ({name: arg.replace(/^--?/, '')}),
    set,
    stopsAtPlainWord: true,
    unknown: (name) => `flag provided but not defined: -${name}`,
  })
}

/** strconv.ParseBool */
export function parseBool(text: string): boolean | undefined {
  if (['1', 'T', 'TRUE', 'True', 't', 'true'].includes(text)) return true
  return ['0', 'F', 'FALSE', 'False', 'f', 'false'].includes(text) ? false : undefined
}

const NANOSECONDS: Readonly<Record<string, number>> = {
  h: 3.6e12,
  m: 6e10,
  ms: 1e6,
  ns: 1,
  s: 1e9,
  us: 1000,
  '\u00B5s': 1000,
  '\u03BCs': 1000,
}

/** time.ParseDuration: an int64 of nanoseconds. */
export function parseGoDuration(text: string): number | undefined {
  const sign = text.startsWith('-') ? -1 : 1
  const rest = text.replace(/^[+-]/, '')
  if (rest === '0') return 0
  const part = /(\d+(?:\.\d*)?|\.\d+)([a-z\u00B5\u03BC]+)/y
  let sum = 0
  while (part.lastIndex < rest.length) {
    const [, number = '', unit = ''] = part.exec(rest) ?? []
    const scale = NANOSECONDS[unit]
    if (scale === undefined) return undefined
    sum += Number(number) * scale
  }

  return rest === '' || sum >= 2 ** 63 ? undefined : sign * sum
}

interface Dialect {
  badValue(name: string, value: string, cause: string): string
  needsValue(name: string): string
  normalize(name: string): string
  read(arg: string): {error: string} | {error?: undefined; name: string}
  readonly set: FlagSet
  readonly stopsAtPlainWord: boolean
  unknown(name: string): string
}

function parse(args: readonly string[], dialect: Dialect): ParsedFlags {
  const flags = new Map<string, string>()
  const rest: string[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    if (arg === '--') return {flags, rest: [...rest, ...args.slice(at + 1)]}
    if (!arg.startsWith('-') || arg === '-') {
      if (dialect.stopsAtPlainWord) return {flags, rest: args.slice(at)}
      rest.push(arg)
      continue
    }

    const read = dialect.read(arg)
    if (read.error !== undefined) return {error: read.error}
    const equals = read.name.indexOf('=')
    const name = dialect.normalize(equals === -1 ? read.name : read.name.slice(0, equals))
    const type = dialect.set.get(name)
    if (type === undefined) return {error: dialect.unknown(name)}
    let value = equals === -1 ? undefined : read.name.slice(equals + 1)
    if (value === undefined && type !== 'bool') {
      if (at + 1 >= args.length) return {error: dialect.needsValue(name)}
      value = args[++at] ?? ''
    }

    const cause = value === undefined ? undefined : problemOf(type, value)
    if (value !== undefined && cause !== undefined) return {error: dialect.badValue(name, value, cause)}
    flags.set(name, value ?? 'true')
  }

  return {flags, rest}
}

function problemOf(type: FlagType, value: string): string | undefined {
  if (type === 'bool' && parseBool(value) === undefined) return `strconv.ParseBool: parsing "${value}": invalid syntax`
  if (type === 'int' && !/^[+-]?\d+$/.test(value)) return `strconv.ParseInt: parsing "${value}": invalid syntax`
  if (type === 'duration' && parseGoDuration(value) === undefined) return `time: invalid duration "${value}"`

  return undefined
}
