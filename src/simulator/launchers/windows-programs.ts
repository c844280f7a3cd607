// The programs of Windows that user data calls, on a simulated host: curl.exe, certutil.exe and findstr.exe, with the arguments
// that "k8s-win userdata" writes. Others are an error.
import {win32} from 'node:path'
import {FileError} from '../../machine/files.js'
import {HttpError} from '../../machine/http.js'
import type {Machine} from '../../machine/machine.js'
import {windowsLines} from '../model.js'
import type {ProgramRun} from './batch.js'

export async function runWindowsProgram(
  machine: Machine,
  program: string,
  args: readonly string[],
  input: string,
): Promise<ProgramRun> {
  const name = win32.basename(program).toLowerCase()
  const run = PROGRAMS[name]
  if (!run || win32.dirname(program).toLowerCase() !== String.raw`c:\windows\system32`) {
    throw new Error(`the rehearsal does not know the program ${name}`)
  }
  return run(machine, args, input)
}

type Program = (machine: Machine, args: readonly string[], input: string) => Promise<ProgramRun>

const PROGRAMS: Readonly<Record<string, Program>> = {
  'certutil.exe': async (machine, args) => {
    const [option, ...rest] = args.filter((argument) => argument !== '-f')
    const [one = '', other = ''] = rest
    if (rest.length !== 2) throw unknownArguments('certutil.exe')
    if (option === '-hashfile' && other === 'SHA256') return hashFile(machine, one)
    if (option === '-decode' && args.includes('-f')) return decode(machine, one, other)
    throw unknownArguments('certutil.exe')
  },
  'curl.exe': (machine, args) => curl(machine, args),
  'findstr.exe': async (_, args, input) => {
    const [text = '', ...more] = args.filter((argument) => !['/i', '/l', '/x'].includes(argument))
    if (args.length !== 4 || more.length > 0) throw unknownArguments('findstr.exe')
    const found = input.split(/\r?\n/).filter((line) => line.toLowerCase() === text.toLowerCase())
    return {exitCode: found.length > 0 ? 0 : 1, stdout: windowsLines(...found)}
  },
}

const unknownArguments = (program: string): Error =>
  new Error(`the rehearsal does not know these arguments of ${program}`)

/** certutil ends with the HRESULT of a failure, which is negative: "if errorlevel 1" does not see it. */
const hresult = (win32Code: number): number => 0x80_07_00_00 | win32Code | 0
const FILE_NOT_FOUND = 2
const ACCESS_DENIED = 5
const INVALID_DATA = 13

const failed = (code: number): ProgramRun => ({
  exitCode: hresult(code),
  stdout: windowsLines(`CertUtil: The command FAILED: 0x${(hresult(code) >>> 0).toString(16)}`),
})

async function hashFile({files}: Machine, path: string): Promise<ProgramRun> {
  if ((await files.status(path))?.kind !== 'file') return failed(FILE_NOT_FOUND)
  const digest = await files.digest(path, 'sha256')
  const done = 'CertUtil: -hashfile command completed successfully.'
  return {exitCode: 0, stdout: windowsLines(`SHA256 hash of ${path}:`, digest, done)}
}

async function decode({files}: Machine, from: string, to: string): Promise<ProgramRun> {
  const encoded = (await files.read(from))?.toString('latin1').replaceAll(/\s/g, '')
  if (encoded === undefined) return failed(FILE_NOT_FOUND)
  if (!/^(?:[\w+/]{4})*(?:[\w+/]{2}==|[\w+/]{3}=)?$/.test(encoded)) return failed(INVALID_DATA)
  try {
    await files.write(to, Buffer.from(encoded, 'base64'))
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    return failed(ACCESS_DENIED)
  }
  return {exitCode: 0, stdout: windowsLines('CertUtil: -decode command completed successfully.')}
}

const SWITCHES = words('disable fail silent show-error globoff location ssl-no-revoke retry-connrefused')
const VALUED = words('proto retry retry-delay retry-max-time connect-timeout max-time output')

/** docs/libcurl/libcurl-errors. */
const CODES: Readonly<Record<string, number>> = {
  ECONNREFUSED: 7,
  ECONNRESET: 56,
  ENOTFOUND: 6,
  ETIMEDOUT: 28,
  TRUNCATED: 18,
}
const [HTTP_ERROR, WRITE_ERROR] = [22, 23]
/**
 * What --retry and --retry-connrefused repeat (src/tool_operate.c of 7.55, the curl of Windows Server 2019): a name that is not
 * resolved, a refused connection, a timeout, and these statuses. Newer versions repeat 408 and 429, too.
 */
const TRANSIENT_CODES = ['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT'].map((code) => CODES[code])
const TRANSIENT_STATUSES: readonly number[] = [500, 502, 503, 504]

function words(names: string): string[] {
  return names.split(' ').map((name) => `--${name}`)
}

async function curl({clock, http}: Machine, args: readonly string[]): Promise<ProgramRun> {
  const left = [...args]
  const values = new Map<string, string>()
  for (; left.length > 1; left.shift()) {
    const [name = ''] = left
    if (VALUED.includes(name)) values.set(name, left.splice(1, 1)[0] ?? '')
    else if (!SWITCHES.includes(name)) throw unknownArguments('curl.exe')
  }
  const [url = ''] = left
  const to = values.get('--output')
  const seconds = (name: string): number => Number(values.get(name)) * 1000
  if (args[0] !== '--disable' || to === undefined || values.get('--proto') !== '=https')
    throw unknownArguments('curl.exe')
  const attempt = async (): Promise<{readonly code: number; readonly isTransient: boolean}> => {
    try {
      const {status} = await http.download({deadlineMs: seconds('--max-time'), to, url})
      return {code: status === 200 ? 0 : HTTP_ERROR, isTransient: TRANSIENT_STATUSES.includes(status)}
    } catch (error) {
      if (error instanceof FileError) return {code: WRITE_ERROR, isTransient: false}
      const code = error instanceof HttpError ? CODES[error.code] : undefined
      if (code === undefined) throw error
      return {code, isTransient: TRANSIENT_CODES.includes(code)}
    }
  }

  for (let retries = Number(values.get('--retry')); ; retries--) {
    const {code, isTransient} = await attempt()
    if (code === 0 || !isTransient || retries === 0) return {exitCode: code}
    await clock.sleep(seconds('--retry-delay'))
  }
}
