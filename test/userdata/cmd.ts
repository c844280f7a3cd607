// What cmd.exe does with a batch file, from public rules and not from the generator: percent expansion first ("%%" is "%", an
// unknown variable is nothing), then quotation marks switch what & | < > ( ) ^ mean, then the line is a command
// (learn.microsoft.com, "cmd", and the phases collected at stackoverflow.com/questions/4094699). Enough of it to run one that
// goes straight or jumps; anything else is an error of the test.
import {createHash} from 'node:crypto'
import {splitCommandLine} from '../../src/machine/command-line.js'

export interface World {
  /** What is at an address; undefined where it cannot be downloaded. */
  readonly download: (url: string) => string | undefined
  readonly files: Map<string, string>
  /** The exit code of findstr.exe, where it is not that of its search. */
  readonly findstr?: () => number
  /** Of k8s-win.exe, with its arguments and its variables: the exit code. */
  readonly program: (args: readonly string[], variables: ReadonlyMap<string, string>) => number
  /** Files that run cannot be deleted or overwritten, but renamed. */
  readonly running?: Set<string>
  /** Of the machine, beside those of Windows. */
  readonly variables?: readonly (readonly [string, string])[]
}

export interface Ran {
  readonly exitCode: number
  /** The commands that were run, as the programs got them. */
  readonly programs: readonly (readonly string[])[]
  readonly shown: readonly string[]
}

const MOST_COMMANDS = 500
const LONGEST_LINE = 8191

export function expand(line: string, variables: ReadonlyMap<string, string>): string {
  return line.replaceAll(/%%|%([^%]+)%|%[\d*]|%/g, (all, name: string | undefined) => {
    if (all === '%%') return '%'
    return name === undefined ? '' : (variables.get(name.toUpperCase()) ?? '')
  })
}

interface Command {
  readonly appends: boolean
  readonly text: string
  /** Where its output goes. */
  readonly to: string | undefined
}

/** A line after expansion: the commands of its pipe. */
export function parse(line: string): Command[] {
  const commands: {appends: boolean; text: string; to: string | undefined}[] = []
  let command = {appends: false, text: '', to: undefined as string | undefined}
  let quoted = false
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] as string
    if (letter === '"') quoted = !quoted
    if (quoted || !'&|<>()^'.includes(letter)) command.text += letter
    else if (letter === '|' && line[at + 1] !== '|') {
      commands.push(command)
      command = {appends: false, text: '', to: undefined}
    } else if (letter === '>') {
      if (/(?:^|\s)\d$/.test(command.text)) throw new Error(`a handle is redirected: ${line}`)
      command.appends = line[at + 1] === '>'
      const [whole = '', name = '', bare] = /^>{1,2}("[^"]*"|nul\b)/.exec(line.slice(at)) ?? []
      if (name === '' || bare !== undefined) throw new Error(`redirected to nowhere: ${line}`)
      command.to = name.replaceAll('"', '')
      at += whole.length - 1
    } else throw new Error(`${letter} at ${at} is not quoted: ${line}`)
  }
  if (quoted) throw new Error(`a quotation mark is left open: ${line}`)
  return [...commands, command].map((one) => ({...one, text: one.text.trim()}))
}

const SYSTEM = String.raw`C:\Windows\System32`
const START: readonly (readonly [string, string])[] = [
  ['PROGRAMFILES', String.raw`C:\Program Files`],
  ['SYSTEMROOT', String.raw`C:\Windows`],
]

export function runBatch(text: string, world: World, start: ReadonlyMap<string, string> = new Map()): Ran {
  const lines = text.split(/\r?\n/)
  const variables = new Map([...START, ...(world.variables ?? []), ...start])
  const {files, running = new Set<string>()} = world
  const programs: string[][] = []
  const shown: string[] = []
  let errorLevel = 0
  const find = (path: string): string | undefined => files.get(path.toLowerCase())
  const isThere = (path: string): boolean =>
    [...files.keys()].some((name) => name === path.toLowerCase() || name.startsWith(`${path.toLowerCase()}\\`))

  const builtIn: Readonly<Record<string, (args: readonly string[], rest: string) => void>> = {
    del([, path = '']) {
      if (!running.has(path.toLowerCase())) files.delete(path.toLowerCase())
    },
    echo() {},
    mkdir([path = '']) {
      files.set(`${path.toLowerCase()}\\`, '')
      errorLevel = 0
    },
    move([, from = '', to = '']) {
      const content = find(from)
      errorLevel = content === undefined || running.has(to.toLowerCase()) ? 1 : 0
      if (errorLevel === 1) return
      files.set(to.toLowerCase(), content ?? '')
      files.delete(from.toLowerCase())
      if (running.delete(from.toLowerCase())) running.add(to.toLowerCase())
    },
    set(_, rest) {
      const [, name = '', value = ''] = /^"([^=]+)=(.*)"$/.exec(rest) ?? []
      if (name === '') throw new Error(`set ${rest}`)
      // Without a value it is deleted.
      if (value === '') variables.delete(name.toUpperCase())
      else variables.set(name.toUpperCase(), value)
    },
    setlocal(_, rest) {
      if (rest !== 'enableextensions disabledelayedexpansion') throw new Error(`setlocal ${rest}`)
    },
  }

  const start1 = (argv: readonly string[], input: string): string => {
    const [program = '', ...args] = argv
    programs.push([...argv])
    if (program === `${SYSTEM}\\curl.exe`) {
      const content = world.download(args.at(-1) ?? '')
      errorLevel = content === undefined ? 22 : 0
      if (content !== undefined) files.set((args[args.indexOf('--output') + 1] ?? '').toLowerCase(), content)
      return ''
    }
    if (program === `${SYSTEM}\\certutil.exe` && args[0] === '-hashfile') {
      const content = find(args[1] ?? '')
      errorLevel = content === undefined ? -2_147_024_894 : 0
      if (content === undefined) return 'CertUtil: -hashfile command FAILED\r\n'
      const hex = createHash('sha256').update(content, 'latin1').digest('hex')
      return `SHA256 hash of ${args[1]}:\r\n${hex}\r\nCertUtil: -hashfile command completed successfully.\r\n`
    }
    if (program === `${SYSTEM}\\certutil.exe` && args[0] === '-f' && args[1] === '-decode') {
      files.set((args[3] ?? '').toLowerCase(), Buffer.from(find(args[2] ?? '') ?? '', 'base64').toString('latin1'))
      errorLevel = 0
      return ''
    }
    if (program === `${SYSTEM}\\findstr.exe`) {
      const wanted = (args.at(-1) ?? '').toLowerCase()
      errorLevel = world.findstr?.() ?? (input.split('\r\n').some((line) => line.toLowerCase() === wanted) ? 0 : 1)
      return ''
    }
    if (find(program) === undefined) throw new Error(`there is no ${program}`)
    errorLevel = world.program(args, variables)
    return ''
  }

  const run = (expanded: string): {readonly exit: number} | {readonly label: string} | undefined => {
    const [, not, path, levelIs, then = ''] = /^if (not )?(?:exist "([^"]*)"|(-?\d+==-?\d+)) (.*)$/.exec(expanded) ?? []
    if (then !== '') {
      const [left, right] = (levelIs ?? '=').split('==')
      const holds = path === undefined ? left === right : isThere(path)
      return holds === (not === undefined) ? run(then) : undefined
    }
    const [, exit] = /^exit \/b (-?\d+)$/.exec(expanded) ?? []
    if (exit !== undefined) return {exit: Number(exit)}
    const [, label] = /^goto ([a-z-]+)$/.exec(expanded) ?? []
    if (label !== undefined) return {label}

    let output = ''
    for (const {appends, text: command, to} of parse(expanded)) {
      if (command.startsWith('"')) output = start1(splitCommandLine(command), output)
      else {
        const [, name = '', rest = ''] = /^(\w+) ?(.*)$/.exec(command) ?? []
        const does = builtIn[name]
        if (!does) throw new Error(`no command of these scripts: ${expanded}`)
        output = name === 'echo' ? `${rest}\r\n` : ''
        does(splitCommandLine(`x ${rest}`).slice(1), rest)
      }
      if (to === undefined || to === 'nul') continue
      files.set(to.toLowerCase(), (appends ? (find(to) ?? '') : '') + output)
      output = ''
    }
    if (/^echo /.test(expanded)) shown.push(output.trim())
    return undefined
  }

  let at = 0
  for (let count = 0; count < MOST_COMMANDS; count++) {
    const line = lines[at++]
    if (line === undefined) return {exitCode: errorLevel, programs, shown}
    if (line.length > LONGEST_LINE) throw new Error(`a line has ${line.length} characters`)
    if (/^(?:|:.*|@echo off|rem cmd)$/.test(line)) continue
    const next = run(expand(line, new Map([['ERRORLEVEL', String(errorLevel)], ...variables])))
    if (next && 'exit' in next) return {exitCode: next.exit, programs, shown}
    if (next) at = lines.indexOf(`:${next.label}`)
    if (at < 0) throw new Error(`no label in: ${line}`)
  }
  throw new Error('it does not end')
}
