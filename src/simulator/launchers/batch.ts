// cmd.exe for the lines that "k8s-win userdata" writes, and for nothing else: what is not in its grammar (the first comment of
// runs/userdata/script.ts) is an error, never a guess. Which commands set errorlevel to 0 is from experiments
// (stackoverflow.com/questions/34987885): mkdir, move and setlocal do, del does even where it fails, echo, goto and if do not.
import {win32} from 'node:path'
import {splitCommandLine} from '../../machine/command-line.js'
import {FileError, type Files} from '../../machine/files.js'

export interface ProgramRun {
  readonly exitCode: number
  readonly stdout?: string
}

export interface BatchHost {
  readonly files: Files
  /** What is shown on the console. */
  readonly print: (text: string) => void
  /** `input`: what a pipe brings. */
  readonly run: (
    program: string,
    args: readonly string[],
    start: {readonly environment: Readonly<Record<string, string>>; readonly input: string},
  ) => Promise<ProgramRun>
}

/** The exit code of a batch file, which begins with an empty environment of its own besides `variables`. */
export const runBatch = (
  lines: readonly string[],
  host: BatchHost,
  variables: Readonly<Record<string, string>>,
): Promise<number> => new Batch(host, new Map(Object.entries(variables))).file(lines)

/** The exit code with which cmd.exe ends after this one line. */
export const runCommand = (
  line: string,
  host: BatchHost,
  variables: Readonly<Record<string, string>>,
): Promise<number> => new Batch(host, new Map(Object.entries(variables))).line(line)

/** Where a line ends in place of the next one. */
type Jump = {readonly exit: number} | {readonly label: string} | undefined

type Handler = (batch: Batch, ...groups: readonly string[]) => Promise<Jump> | Jump

/** Lines without anything that cmd.exe would act on, between quotation marks or not. */
const COMMANDS: readonly (readonly [RegExp, Handler])[] = [
  [/^@echo off$|^rem .*$/, () => undefined],
  [/^setlocal enableextensions disabledelayedexpansion$/, (batch) => batch.end(0)],
  [/^set "(\w+)=([^"]*)"$/, (batch, name = '', value = '') => batch.set(name, value)],
  [
    /^if (not )?exist "([^"]+)" (.+)$/,
    async (batch, not, path = '', then = '') => batch.when(not, await batch.exists(path), then),
  ],
  [/^if (not )?(-?\d+)==(-?\d+) (.+)$/, (batch, not, one, other, then = '') => batch.when(not, one === other, then)],
  [/^goto ([\w-]+)$/, (_, label = '') => ({label})],
  [/^exit \/b (-?\d+)$/, (_, code) => ({exit: Number(code)})],
  [/^mkdir "([^"]+)"(?: 2>nul)?$/, (batch, path = '') => batch.makeFolder(path)],
  [/^move \/y "([^"]+)" "([^"]+)" >nul$/, (batch, from = '', to = '') => batch.move(from, to)],
  [/^del \/q "([^"]+)"$/, (batch, path = '') => batch.remove(path)],
  [/^echo ([^"&|<>^]+)$/, (batch, text = '') => batch.show(text)],
  [/^(>>?)"([^"]+)" echo ([^"&|<>^]+)$/, (batch, how, path = '', text = '') => batch.write(how === '>>', path, text)],
  [/^call "([^"]+)"$/, (batch, path = '') => batch.call(path)],
  [/^"[A-Z]:\\[^"]+\.exe"(?: .*)?$/i, (batch, line = '') => batch.program(line)],
]

class Batch {
  errorlevel = 0

  constructor(
    readonly host: BatchHost,
    readonly variables: Map<string, string>,
  ) {}

  async file(lines: readonly string[]): Promise<number> {
    for (let at = 0; at < lines.length; at++) {
      const line = lines[at] ?? ''
      if (line.startsWith(':')) continue
      const jump = await this.#execute(this.#expanded(line, true), `line ${at + 1}`)
      if (jump && 'exit' in jump) return (this.errorlevel = jump.exit)
      if (!jump) continue
      at = lines.indexOf(`:${jump.label}`)
      if (at === -1) throw new Error(`there is no label ${jump.label}`)
    }

    return this.errorlevel
  }

  async line(line: string): Promise<number> {
    // All variables of the line are replaced before its first command runs.
    const expanded = this.#expanded(line, false)
    let isSkipped = false
    for (const [index, {operator, text}] of commandsIn(expanded).entries()) {
      isSkipped = operator === '&&' && (isSkipped || this.errorlevel !== 0)
      if (!isSkipped && (await this.#execute(text, `command ${index + 1}`))) throw unknown(`command ${index + 1}`, text)
    }
    return this.errorlevel
  }

  /** Names compare without case. A batch file doubles "%"; a single one is not known here. */
  #expanded(line: string, isFile: boolean): string {
    return line.replaceAll(/%%|%(\w+)%|%/g, (all, name: string | undefined) => {
      if (isFile && all === '%%') return '%'
      if (name?.toLowerCase() === 'errorlevel') return String(this.errorlevel)
      const found = [...this.variables].find(([known]) => known.toLowerCase() === name?.toLowerCase())
      if (!found) throw new Error(`the rehearsal knows no variable ${all}`)
      return found[1]
    })
  }

  async #execute(line: string, where: string): Promise<Jump> {
    for (const [form, handler] of COMMANDS) {
      const [found, ...groups] = form.exec(line) ?? []
      if (found !== undefined) return handler(this, ...(groups.length === 0 ? [found] : groups))
    }
    throw unknown(where, line)
  }

  when(not: string | undefined, is: boolean, then: string): Promise<Jump> | undefined {
    return is === (not === undefined) ? this.#execute(then, 'the command after "if"') : undefined
  }

  end(code: number): undefined {
    this.errorlevel = code
  }

  set(name: string, value: string): undefined {
    this.variables.set(name, value)
  }

  show(text: string): undefined {
    this.host.print(text)
  }

  async exists(path: string): Promise<boolean> {
    return (await this.host.files.status(path)) !== undefined
  }

  async makeFolder(path: string): Promise<undefined> {
    this.end(1)
    if (!(await this.exists(path))) await this.#attempt(() => this.host.files.makeDirectory(path))
  }

  move(from: string, to: string): Promise<undefined> {
    return this.#attempt(() => this.host.files.rename(from, to))
  }

  async remove(path: string): Promise<undefined> {
    await this.#attempt(() => this.host.files.remove(path))
    this.end(0)
  }

  async write(isMore: boolean, path: string, text: string): Promise<undefined> {
    const {files} = this.host
    const before = isMore ? await files.read(path) : undefined
    const {errorlevel} = this
    await this.#attempt(() => files.write(path, `${before?.toString('latin1') ?? ''}${text}\r\n`))
    // echo leaves it as it was; a file that cannot be opened is an error.
    if (this.errorlevel === 0) this.end(errorlevel)
  }

  async call(path: string): Promise<undefined> {
    const text = (await this.host.files.read(path))?.toString('latin1')
    if (text === undefined) return this.end(1)
    await this.file(batchLines(text))
  }

  /** At most one pipe, and at its end ">nul": its exit code is that of the last program. */
  async program(line: string): Promise<undefined> {
    const isQuiet = line.endsWith(' >nul')
    const parts = splitOutside(isQuiet ? line.slice(0, -' >nul'.length) : line, '|')
    let input = ''
    for (const [index, part] of parts.entries()) {
      const [program = '', ...args] = splitCommandLine(part.trim())
      const isLast = index === parts.length - 1
      const isFilter = /\\findstr\.exe$/i.test(program)
      if (/[&<>^|]/.test(outsideQuotes(part)) || parts.length > 2 || (index > 0 && !isFilter)) {
        throw unknown('a program', line)
      }
      const {exitCode, stdout = ''} = await this.host.run(win32.normalize(program), args, {
        environment: Object.fromEntries(this.variables),
        input,
      })
      input = stdout
      if (isLast) this.end(exitCode)
    }
    if (!isQuiet && input !== '') this.host.print(input.trimEnd())
  }

  async #attempt(work: () => Promise<unknown>): Promise<undefined> {
    try {
      await work()
      this.end(0)
    } catch (error) {
      if (!(error instanceof FileError)) throw error
      this.end(1)
    }
  }
}

/** As cmd.exe finds them: a line ends with CR and LF, or with LF. */
export const batchLines = (text: string): string[] => text.split(/\r?\n/).filter((line) => line !== '')

/** Never the line itself: it may have a token. */
const unknown = (where: string, line: string): Error =>
  new Error(`the rehearsal does not know ${where}: ${/^\W?\w*/.exec(line)?.[0] ?? ''}`)

const outsideQuotes = (text: string): string => text.replaceAll(/"[^"]*"?/g, (quoted) => '"'.repeat(quoted.length))

function splitOutside(line: string, letter: string): string[] {
  const at = outsideQuotes(line).indexOf(letter)
  return at === -1 ? [line] : [line.slice(0, at), ...splitOutside(line.slice(at + 1), letter)]
}

/** Of a line with "&" and "&&" between its commands. */
function commandsIn(line: string): {readonly operator: string; readonly text: string}[] {
  const [found] = /&&?/.exec(outsideQuotes(line)) ?? []
  if (found === undefined) return [{operator: '&', text: line}]
  const at = outsideQuotes(line).indexOf(found)
  const [next, ...rest] = commandsIn(line.slice(at + found.length))
  return [{operator: '&', text: line.slice(0, at)}, {...next!, operator: found}, ...rest]
}
