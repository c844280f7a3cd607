// cmd.exe for the lines of user data: what each does, and that every other one is an error.
import {describe, expect, it} from 'vitest'
import {runBatch, runCommand} from '../../../src/simulator/launchers/batch.js'
import {memoryFiles} from '../../fakes/memory-files.js'

const VARIABLES = {Folder: String.raw`C:\f o`, SystemRoot: String.raw`C:\Windows`}

interface Started {
  readonly args: readonly string[]
  readonly input: string
  readonly program: string
  readonly variables: Readonly<Record<string, string>>
}

function console(exits: readonly number[] = [], stdout = '') {
  const files = memoryFiles({[String.raw`C:\f o\old`]: 'old'})
  const [printed, started, codes]: [string[], Started[], number[]] = [[], [], [...exits]]
  const host = {
    files,
    print: (text: string) => void printed.push(text),
    async run(
      program: string,
      args: readonly string[],
      {environment, input}: {environment: Readonly<Record<string, string>>; input: string},
    ) {
      started.push({args, input, program, variables: environment})
      return {exitCode: codes.shift() ?? 0, stdout}
    },
  }
  const run = (...lines: readonly string[]) => runBatch(lines, host, VARIABLES)
  return {command: (line: string) => runCommand(line, host, VARIABLES), files, printed, run, started}
}

const read = async ({files}: ReturnType<typeof console>, path: string) => (await files.read(path))?.toString('utf8')

describe('a batch file', () => {
  it('ends with the code of exit /b, of its last program, or 0', async () => {
    expect(await console().run('@echo off', 'exit /b 7', 'echo no')).toBe(7)
    expect(await console([5]).run(String.raw`"C:\a.exe"`)).toBe(5)
    expect(await console([5]).run(String.raw`"C:\a.exe"`, 'exit /b %errorlevel%')).toBe(5)
    expect(await console().run('rem cmd', 'setlocal enableextensions disabledelayedexpansion')).toBe(0)
  })

  it('jumps to labels, forwards and backwards', async () => {
    const made = console([1, 0])
    const end = await made.run(
      ':again',
      String.raw`"C:\a.exe"`,
      'if %errorlevel%==1 goto again',
      'goto end',
      'echo no',
      ':end',
    )
    expect([end, made.started.length, made.printed]).toEqual([0, 2, []])
  })

  it.each([
    // An HRESULT is below 1.
    [1002, 'if %errorlevel%==1002 exit /b 9', 9],
    [0, 'if %errorlevel%==1002 exit /b 9', 3],
    [-2_147_024_894, 'if not %errorlevel%==0 exit /b 9', 9],
  ])('after exit code %d, %s', async (code, line, end) => {
    expect(await console([code]).run(String.raw`"C:\a.exe"`, line, 'exit /b 3')).toBe(end)
  })

  it('has variables in any case, and "%%" for "%"', async () => {
    const made = console()
    await made.run('set "A=b%%c"', String.raw`"%folder%\x.exe" --a=%a% "50%% of \\" plain`)
    expect(made.started).toEqual([
      {
        args: ['--a=b%c', String.raw`50% of \ `.trim(), 'plain'],
        input: '',
        program: String.raw`C:\f o\x.exe`,
        variables: {...VARIABLES, A: 'b%c'},
      },
    ])
  })

  it('writes, appends, moves, deletes and makes folders', async () => {
    const made = console()
    await made.run(
      'if not exist "%folder%" mkdir "%folder%"',
      String.raw`>"%folder%\new" echo one`,
      String.raw`>>"%folder%\new" echo two`,
      String.raw`if exist "%folder%\old" del /q "%folder%\old"`,
      String.raw`move /y "%folder%\new" "%folder%\now" >nul`,
    )
    expect(await read(made, String.raw`C:\f o\now`)).toBe('one\r\ntwo\r\n')
    expect([await read(made, String.raw`C:\f o\old`), await read(made, String.raw`C:\f o\new`)]).toEqual([
      undefined,
      undefined,
    ])
  })

  it('move fails with 1 and del with 0 where there is nothing', async () => {
    expect(await console().run(String.raw`move /y "C:\none" "C:\x" >nul`)).toBe(1)
    expect(await console([3]).run(String.raw`"C:\a.exe"`, String.raw`del /q "C:\none"`)).toBe(0)
    expect(await console().run('mkdir "%folder%"')).toBe(1)
  })

  it('echo leaves the exit code of before', async () => {
    expect(await console([3]).run(String.raw`"C:\a.exe"`, 'echo It failed.', String.raw`>"C:\x" echo y`)).toBe(3)
  })

  it('pipes into findstr.exe, whose exit code counts', async () => {
    const made = console([0, 1], 'a line\r\n')
    const line = String.raw`"%SystemRoot%\System32\certutil.exe" -hashfile "C:\a | b" SHA256 | "%SystemRoot%\System32\findstr.exe" /x "z" >nul`
    expect(await made.run(line)).toBe(1)
    expect(made.started.map(({args, input}) => [args, input])).toEqual([
      [['-hashfile', String.raw`C:\a | b`, 'SHA256'], ''],
      [['/x', 'z'], 'a line\r\n'],
    ])
    expect(made.printed).toEqual([])
  })
})

describe('a command line', () => {
  it('runs one command after the other, and && only after a success', async () => {
    const made = console([0, 4])
    const line = String.raw`set "T=x&y"&mkdir "C:\n" 2>nul&>"C:\n\a" echo b&"C:\a.exe" >nul&&"C:\b.exe"&&"C:\c.exe"`
    expect(await made.command(line)).toBe(4)
    expect(made.started.map(({program}) => program)).toEqual([String.raw`C:\a.exe`, String.raw`C:\b.exe`])
    expect(made.started[0]?.variables['T']).toBe('x&y')
    expect(await read(made, String.raw`C:\n\a`)).toBe('b\r\n')
  })

  it('calls a file with its variables', async () => {
    const made = console([6])
    await made.files.write(String.raw`C:\x.cmd`, '@echo off\r\n"C:\\a.exe" %T%\r\nexit /b %errorlevel%\r\n')
    expect(await made.command(String.raw`set "T=x"&call "C:\x.cmd"`)).toBe(6)
    expect(made.started[0]?.args).toEqual(['x'])
  })
})

describe('anything else is an error', () => {
  it.each([
    'del "C:\\x"',
    'copy "C:\\a" "C:\\b"',
    'echo a & echo b',
    'echo a > b',
    'echo a ^',
    'set A=b',
    'set /a x=1',
    'if "a"=="a" exit /b 1',
    'for %%a in (1) do echo %%a',
    'powershell.exe -File x',
    '"relative.exe"',
    '"C:\\a.exe" | "C:\\b.exe"',
    '"C:\\a.exe" & "C:\\b.exe"',
    '"C:\\a.exe" > "C:\\out"',
    '"C:\\a.exe" 2>nul',
    'setlocal',
    'goto nowhere',
    'echo %unknown%',
    'echo 5%',
    '@echo on',
    '(echo a)',
  ])('%s', async (line) => {
    await expect(console().run(line)).rejects.toThrow(/rehearsal|label/)
  })

  it('and says so without the line, which may have a token', async () => {
    await expect(console().run('set K8S_WIN_TOKEN=abcdef.0123456789abcdef')).rejects.toThrow(
      /^(?!.*0123456789).*line 1: set$/,
    )
  })
})
