// Commands as a user would type them on this host: what to try next, and those in the texts of errors and checks.
import {posix, win32} from 'node:path'
import {isSea} from 'node:sea'

/** A checkout, whose simulated Windows is tried, or an installed k8s-win on a Windows host. */
export interface Caller {
  /** How k8s-win is started there. */
  readonly called: string
  /** What to try after a success. */
  readonly next: readonly string[]
}

export const INSTALLED: Caller = {called: 'k8s-win', next: ['kubectl get nodes -o wide']}

interface Start {
  readonly argv0: string
  readonly cwd: string
  /** Of node. */
  readonly execPath: string
  readonly isSingle: boolean
  readonly platform: NodeJS.Platform
  readonly script: string
}

/**
 * How k8s-win was started, to be typed again: k8s-win.exe as it was typed, the starters of npm and of the zip, otherwise the
 * script. Never npx: where k8s-win is not installed, it would run whatever package has this name at npm.
 */
export function startedAs({argv0, cwd, execPath, isSingle, platform, script}: Start): string {
  const path = platform === 'win32' ? win32 : posix
  const quoted = quoter(platform)
  if (isSingle) return quoted(argv0)
  if (path.basename(script) === 'k8s-win' && path.basename(path.dirname(script)) !== '.bin') return 'k8s-win'
  const root = path.dirname(path.dirname(script))
  if (path.dirname(execPath) === root) return quoted(path.join(root, 'k8s-win.cmd'))
  const near = path.relative(cwd, script)
  return `node ${quoted(near.startsWith('..') || path.isAbsolute(near) ? script : near)}`
}

/** Of this process; where its simulated Windows is tried, commands begin with it. */
export const startedHere = (): string =>
  startedAs({
    argv0: process.argv0,
    cwd: process.cwd(),
    execPath: process.execPath,
    isSingle: isSea(),
    platform: process.platform,
    script: process.argv[1] ?? '',
  })

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
  /"k8s-win ((?:attach|doctor|logs|pause|recover|reset|restart|resume|run|setup|start|status|stop|upgrade|verify)(?: [^"\n]{0,200}[^"\n\\])?)"|'k8s-win ((?:reset|verify) (?:[^'\n\\]|\\(?!")){1,300})'|^k8s-win ((?:recover|reset|setup|upgrade)(?: [^"\n]{0,200})?)$/g
let typed = (command: string): string => `k8s-win ${command}`

/**
 * Adds the base directory and the simulated host of this command line to hints such as 'Run "k8s-win setup"', for the rest
 * of this process: without them the hint would act elsewhere. `argv` is normalised, each flag with its value in one word; `id` is
 * its command.
 */
export function hintLike(argv: readonly string[], platform: NodeJS.Platform, id = ''): void {
  const given = (flag: string): string | undefined =>
    argv.findLast((word) => word.startsWith(`--${flag}=`))?.slice(flag.length + 3)
  const [simulate, dir, baseDir] = [given('simulate'), given('simulate-dir'), given('base-dir')]
  const called = simulate === undefined ? INSTALLED.called : startedHere()
  const type = commandTyper(called, {simulate, 'simulate-dir': dir}, platform)
  // Of another command it is the identity of the node, which may not create pods.
  const kubeconfig = id === 'verify' ? given('kubeconfig') : undefined
  const filled = (command: string): string =>
    kubeconfig === undefined || !command.startsWith('verify ')
      ? command
      : command.replace('--kubeconfig <file>', () => `--kubeconfig ${quoter(platform)(kubeconfig)}`)
  typed = (command) =>
    // Help is the same for every host; a command that names its host is complete.
    / --help(?:-all)?$| --simulate /.test(command)
      ? `${called} ${command}`
      : type(filled(command), command.includes('--base-dir') ? undefined : baseDir)
}

/** Folders with blanks have double quotes of their own. */
const inQuotes = (command: string): string => (command.includes('"') ? `'${command}'` : `"${command}"`)

/** Idempotent. */
export const withTypedCommands = (text: string): string =>
  text.replaceAll(HINTED, (_, double: string | undefined, single: string | undefined, whole: string | undefined) => {
    const quoted = double ?? single
    return quoted === undefined ? typed(whole ?? '') : inQuotes(typed(quoted))
  })
