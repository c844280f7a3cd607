// Commands as a user would type them on this host: what to try next, and those in the texts of errors and checks.
import {isSea} from 'node:sea'

/** A checkout, whose simulated Windows is tried, or an installed k8s-win on a Windows host. */
export interface Caller {
  /** How k8s-win is started there. */
  readonly called: string
  /** What to try after a success. */
  readonly next: readonly string[]
}

export const INSTALLED: Caller = {called: 'k8s-win', next: ['kubectl get nodes -o wide']}

/** How k8s-win is started where its simulated Windows is tried: k8s-win.exe as it was typed, a package or a checkout by npx. */
export const simulatedBy = (isSingle: boolean, typedAs: string, platform: NodeJS.Platform): string =>
  isSingle ? quoter(platform)(typedAs) : 'npx k8s-win'
export const SIMULATED = simulatedBy(isSea(), process.argv0, process.platform)

/** Commands for the same node: on the same host, with the base directory where it is not the default. */
export function commandTyper(
  called: string,
  flags: {readonly simulate?: string | undefined; readonly 'simulate-dir'?: string | undefined},
  platform: NodeJS.Platform,
): (name: string, baseDir: string | undefined) => string {
  const quoted = quoter(platform)
  const given = (flag: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`--${flag}`, quoted(value)]
  const machine = [...given('simulate', flags.simulate), ...given('simulate-dir', flags['simulate-dir'])]
  return (name, baseDir) => [called, name, ...given('base-dir', baseDir), ...machine].join(' ')
}

function quoter(platform: NodeJS.Platform): (word: string) => string {
  // Other shells than those of Windows take a backslash for an escape.
  const special = platform === 'win32' ? /[\s"&|<>^%();,]/ : /[\s"\\]/
  return (word) => (special.test(word) ? `"${word}"` : word)
}

/**
 * In quotes in a text (in single ones where its folder has double ones), or a text of its own. In JSON, as the log of a run
 * has it, the quotes have backslashes: it stays as it is.
 */
const HINTED =
  /"k8s-win ((?:attach|doctor|logs|pause|recover|reset|restart|resume|run|setup|start|status|stop|upgrade|verify)(?: [^"\n]{0,200}[^"\n\\])?)"|'k8s-win (reset (?:[^'\n\\]|\\(?!")){1,300})'|^k8s-win ((?:recover|reset|setup|upgrade)(?: [^"\n]{0,200})?)$/g
let typed = (command: string): string => `k8s-win ${command}`

/**
 * Adds the base directory and the simulated host of this command line to hints such as 'Run "k8s-win setup"', for the rest
 * of this process: without them the hint would act elsewhere. `argv` is normalised, each flag with its value in one word.
 */
export function hintLike(argv: readonly string[], platform: NodeJS.Platform): void {
  const given = (flag: string): string | undefined =>
    argv.findLast((word) => word.startsWith(`--${flag}=`))?.slice(flag.length + 3)
  const [simulate, dir, baseDir] = [given('simulate'), given('simulate-dir'), given('base-dir')]
  const called = simulate === undefined ? INSTALLED.called : SIMULATED
  const type = commandTyper(called, {simulate, 'simulate-dir': dir}, platform)
  typed = (command) =>
    // Help is the same for every host; a command that names its host is complete.
    / --help(?:-all)?$| --simulate /.test(command)
      ? `${called} ${command}`
      : type(command, command.includes('--base-dir') ? undefined : baseDir)
}

/** Folders with blanks have double quotes of their own. */
const inQuotes = (command: string): string => (command.includes('"') ? `'${command}'` : `"${command}"`)

/** Idempotent. */
export const withTypedCommands = (text: string): string =>
  text.replaceAll(HINTED, (_, double: string | undefined, single: string | undefined, whole: string | undefined) => {
    const quoted = double ?? single
    return quoted === undefined ? typed(whole ?? '') : inQuotes(typed(quoted))
  })
