// Programs written with urfave/cli (crictl, ctr): flags, the lines of logrus, and how they fail.
import {type FlagSet, parseGoFlags} from '../daemons/flags.js'
import {formatKlog, structured} from '../daemons/klog.js'
import type {ProgramOutput, Stage} from '../model.js'

/** Of the programs that are not services; nothing depends on it. */
const PROCESS_ID = 4096

/** Ends the program with this message. */
export class Failure extends Error {}

/** It was called in a way that is not simulated, or that it refuses with its help. */
class Misuse extends Error {}

export interface Invocation {
  /** By the longest name of the flag; the last value wins. */
  readonly flags: ReadonlyMap<string, string>
  readonly rest: readonly string[]
}

/** What a command of the program works with. */
export interface Call extends Invocation {
  readonly printer: Printer
  readonly stage: Stage
}

/** `aliases`: names by their short ones. One hyphen may join several flags of one letter (UseShortOptionHandling). */
export function parseInvocation(
  args: readonly string[],
  set: FlagSet,
  aliases: Readonly<Record<string, string>>,
): Invocation {
  const shorts = Object.entries(aliases).flatMap(([short, name]) => {
    const type = set.get(name)
    return type === undefined ? [] : [[short, type] as const]
  })
  const whole = new Map([...set, ...shorts])
  const isJoined = (arg: string): boolean =>
    /^-[a-z]{2,}$/i.test(arg) && !whole.has(arg.slice(1)) && [...arg.slice(1)].every((letter) => whole.has(letter))
  const end = args.findIndex((arg, at) => !arg.startsWith('-') && !takesValue(args[at - 1] ?? '', whole))
  const split = args.flatMap((arg, at) =>
    (end === -1 || at < end) && isJoined(arg) ? [...arg.slice(1)].map((letter) => `-${letter}`) : [arg],
  )
  const parsed = parseGoFlags(split, whole)
  if (parsed.error !== undefined) throw new Misuse(parsed.error)
  return {flags: new Map([...parsed.flags].map(([name, value]) => [aliases[name] ?? name, value])), rest: parsed.rest}
}

const takesValue = (arg: string, set: FlagSet): boolean =>
  arg.startsWith('-') && !arg.includes('=') && (set.get(arg.replace(/^--?/, '')) ?? 'bool') !== 'bool'

/** What a program prints. */
export interface Printer {
  /** A structured error of klog on standard error. */
  klog(source: string, message: string, fields: Readonly<Record<string, string>>): void
  /** A line of logrus on standard error. */
  log(level: 'error' | 'fatal' | 'info' | 'warning', message: string, fields?: Readonly<Record<string, string>>): void
  output(exitCode: number): ProgramOutput
  /** To standard error, with a line end. */
  warn(line: string): void
  write(text: string): void
}

export function makePrinter({now}: Stage): Printer {
  let [stderr, stdout] = ['', '']
  const warn = (line: string): void => void (stderr += `${line}\n`)
  return {
    klog: (source, message, fields) =>
      warn(formatKlog(now(), PROCESS_ID, {message: structured(message, fields), severity: 'E', source})),
    log(level, message, fields = {}) {
      const time = `${new Date(now()).toISOString().slice(0, 19)}Z`
      const rest = Object.entries(fields).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`)
      warn(`time="${time}" level=${level} msg=${JSON.stringify(message)}${rest.join('')}`)
    },
    output: (exitCode) => ({exitCode, stderr, stdout}),
    warn,
    write: (text) => void (stdout += text),
  }
}

/** text/tabwriter with tabs of eight: the last cell of a row has no padding. */
export function tabbed(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.ceil((Math.max(...rows.map((row) => row[at]?.length ?? 0)) + 1) / 8),
  )
  const cell = (text: string, at: number): string => text + '\t'.repeat((widths[at] ?? 0) - Math.floor(text.length / 8))
  return rows.map((row) => `${row.slice(0, -1).map(cell).join('')}${row.at(-1)}\n`).join('')
}

/** docker/go-units, HumanSize: four digits, without a blank. */
export function decimalSize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const unit = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${Number((bytes / 1000 ** unit).toPrecision(4))}${units[unit]}`
}

export const prettyJson = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`

/** Only what k8s-win reads is simulated. */
export function demandJson(flags: Invocation['flags'], otherwise = 'table'): void {
  const output = flags.get('output') ?? otherwise
  if (output !== 'json') throw new Failure(`the output ${output} is not simulated`)
}

/** How a program ends that has failed; another error is a bug of the simulator. */
export function failed(printer: Printer, error: unknown, report: (message: string) => void): ProgramOutput {
  if (error instanceof Misuse) printer.write(`Incorrect Usage: ${error.message}\n\n`)
  if (!(error instanceof Failure || error instanceof Misuse)) throw error
  report(error.message)
  return printer.output(1)
}
