// What argv-echo.exe and argv-service.exe tell, and Windows' own judgement of its command line.
import assert from 'node:assert/strict'
import path from 'node:path'
import {loadKoffi} from '../../../src/machine/real/win32/library.js'

const koffi = await loadKoffi()

export interface Echo {
  /** GetCommandLineW. */
  readonly line: string
  /** As the C runtime takes it apart. */
  readonly argv: readonly string[]
  /** Variables whose names begin with ECHO_, as name=value. */
  readonly environment: readonly string[]
}

/** What arrived is what was meant: for the C runtime, and for whoever asks CommandLineToArgvW. */
export function assertArrived(echo: Echo, args: readonly string[]): void {
  assert.deepEqual(echo.argv.slice(1), args, 'as the C runtime takes it apart')
  assert.deepEqual(commandLineToArgv(echo.line).slice(1), args, 'as CommandLineToArgvW takes it apart')
}

type Split = (line: string, count: [number]) => bigint
let bound: {readonly free: (list: bigint) => unknown; readonly split: Split} | undefined

/** The real CommandLineToArgvW, called here: each echo would have to load half of Windows for it. */
export function commandLineToArgv(line: string): string[] {
  bound ??= bind()
  const count: [number] = [0]
  const list = bound.split(line, count)
  try {
    return koffi.decode(list, koffi.array('str16', count[0])) as string[]
  } finally {
    bound.free(list)
  }
}

function bind() {
  const library = (name: string) => koffi.load(path.win32.join(process.env['SystemRoot']!, 'System32', name))
  return {
    free: library('kernel32.dll').func('void *LocalFree(void *list)') as (list: bigint) => unknown,
    split: library('shell32.dll').func('void *CommandLineToArgvW(str16 line, _Out_ int *count)') as Split,
  }
}

const PE_HEADER_AT = 0x3c
const SUBSYSTEM_AT = 92
const WINDOWS_GUI = 2

/** The same program without a console: for each that has one Wine starts a conhost.exe, which takes as long again. */
export function withoutConsole(program: Buffer): Buffer {
  const changed = Buffer.from(program)
  changed.writeUInt16LE(WINDOWS_GUI, changed.readUInt32LE(PE_HEADER_AT) + SUBSYSTEM_AT)
  return changed
}
