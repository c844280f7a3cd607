// Processes of programs/daemon.c, each at its end of a named pipe: how it was started, and what it is asked to do.
import {createServer, type Socket} from 'node:net'
import {win32} from 'node:path'
import {splitCommandLine} from '../../../src/machine/command-line.js'

const DAEMON_PIPE = String.raw`\\.\pipe\k8s-win-lab-daemons`

export interface StartedProgram {
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly processId: number
  readonly program: string
}

export interface ProgramHandle {
  /** Run this command line, and end with it. */
  child(commandLine: string): void
  /** Speak to the service manager. */
  connect(): void
  exit(code: number): void
  /** Never speak to the service manager. */
  runOn(): void
  stderr(line: string): void
  stdout(line: string): void
}

export interface ProgramGuide {
  ended(): void
  started(handle: ProgramHandle, started: StartedProgram): void
}

/** `guide` creates a controller of one process. */
export async function openDaemonPipe(guide: () => ProgramGuide): Promise<void> {
  const server = createServer((socket) => {
    const {ended, started} = guide()
    socket.on('error', () => undefined).on('close', ended)
    onIntroduction(socket, (bytes) => started(handleOf(socket), introduction(bytes)))
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(DAEMON_PIPE, resolve))
}

function handleOf(socket: Socket): ProgramHandle {
  const say = (line: string): void => {
    if (socket.writable) socket.write(`${line}\n`)
  }
  return {
    child: (commandLine) => say(`child ${commandLine}`),
    connect: () => say('connect'),
    exit: (code) => say(`exit ${code}`),
    runOn: () => say('run'),
    stderr: (line) => say(`stderr ${line}`),
    stdout: (line) => say(`stdout ${line}`),
  }
}

function onIntroduction(socket: Socket, heard: (bytes: Buffer) => void): void {
  let received = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    if (received.length < 4 || received.length < 4 + received.readUInt32LE()) return
    heard(received.subarray(4))
  })
}

function introduction(bytes: Buffer): StartedProgram {
  const [processId = '', program = '', commandLine = '', ...variables] = bytes.toString('utf16le').split('\0')
  const environment: Record<string, string> = {}
  for (const variable of variables) {
    // Windows keeps the current folder of each drive as "=C:".
    const equals = variable.indexOf('=', 1)
    if (equals > 0) environment[variable.slice(0, equals)] = variable.slice(equals + 1)
  }
  return {
    args: splitCommandLine(commandLine.trimStart()).slice(1),
    environment,
    processId: Number(processId),
    program: win32.normalize(program),
  }
}
