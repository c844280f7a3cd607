// Command lines against a model of CommandLineToArgvW, written from its documentation.
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'

import {joinCommandLine, quoteArgument} from '../../src/host/command-line.js'
import {isWhole} from '../sample.js'

/**
 * The program: up to the next quote if it begins with one, else up to the next white space. Each argument: 2n
 * backslashes before a quote are n and the quote begins or ends a quoted part; 2n+1 are n and a quote; others are
 * themselves. https://learn.microsoft.com/windows/win32/api/shellapi/nf-shellapi-commandlinetoargvw
 */
function commandLineToArgv(line: string): string[] {
  const program = /^(?:"([^"]*)"?|([^ \t]*))/.exec(line)
  const argv = [program?.[1] ?? program?.[2] ?? '']
  let rest = line.slice(program?.[0].length)
  while ((rest = rest.replace(/^[ \t]+/, '')) !== '') {
    let argument = ''
    let quoted = false
    while (rest !== '' && (quoted || !/^[ \t]/.test(rest))) {
      const slashes = /^\\*/.exec(rest)?.[0].length ?? 0
      rest = rest.slice(slashes)
      if (rest.startsWith('"')) {
        argument += '\\'.repeat(Math.floor(slashes / 2))
        if (slashes % 2 === 1) argument += '"'
        else quoted = !quoted
        rest = rest.slice(1)
      } else {
        argument += '\\'.repeat(slashes)
        if (rest !== '' && (quoted || !/^[ \t]/.test(rest))) {
          argument += rest.slice(0, 1)
          rest = rest.slice(1)
        }
      }
    }

    argv.push(argument)
  }

  return argv
}

/** Letters that matter here come often. */
const argument = fc.oneof(
  fc.string({unit: fc.constantFrom('\\', '"', ' ', '\t', 'a', 'ä', '\n', '=', '%')}),
  fc.string(),
)
const program = fc.string().map((text) => `C:\\${text.replaceAll(/["%]/g, '')}`)

describe('a command line', () => {
  it('is taken apart into what it was made of', () => {
    fc.assert(
      fc.property(program, fc.array(argument, {maxLength: 5}), (path, args) => {
        expect(commandLineToArgv(joinCommandLine([path, ...args]))).toEqual([path, ...args])
      }),
      {numRuns: isWhole ? 100_000 : 3000},
    )
  })

  it('has nothing in it that the service manager takes for a variable', () => {
    fc.assert(
      fc.property(fc.array(argument, {maxLength: 5}), (args) => {
        const names = joinCommandLine([String.raw`C:\k\a.exe`, ...args])
          .split('%')
          .slice(1, -1)
        expect(names.filter((name) => !name.startsWith('"'))).toEqual([])
      }),
    )
  })

  it.each([
    ['a zero', ['C:\\a.exe', 'b\0c']],
    ['half a surrogate pair', ['C:\\a.exe', 'b\uD800']],
    ['a letter that ends Node on Windows', ['C:\\a.exe', '\u{10FFFF}']],
    ['a program with a quote', ['C:\\a".exe']],
    ['a program with a variable', [String.raw`C:\%PATH%\a.exe`]],
    ['more than CreateProcess takes', ['C:\\a.exe', 'x'.repeat(32_766)]],
  ])('is not made of %s', (_, argv) => {
    expect(() => joinCommandLine(argv)).toThrow(TypeError)
  })

  it('always quotes the program (CWE-428)', () => {
    expect(joinCommandLine([String.raw`C:\k\a.exe`, 'x'])).toBe(String.raw`"C:\k\a.exe" x`)
    expect(joinCommandLine([String.raw`C:\Program Files\a.exe`])).toBe(String.raw`"C:\Program Files\a.exe"`)
  })
})

describe('an argument', () => {
  it.each([
    ['', '""'],
    ['--v=2', '--v=2'],
    ['--resolv-conf=', '--resolv-conf='],
    [String.raw`C:\k\ `, String.raw`"C:\k\ "`],
    [String.raw`C:\my node` + '\\', String.raw`"C:\my node\\"`],
    [String.raw`C:\k` + '\\', String.raw`C:\k` + '\\'],
    ['say "hi"', String.raw`"say \"hi\""`],
    [String.raw`\"`, String.raw`"\\\""`],
    ['%PATH%', '""%"PATH"%""'],
    [String.raw`100%\ x`, String.raw`"100"%"\ x"`],
  ])('%s is written %s', (text, written) => {
    expect(quoteArgument(text)).toBe(written)
  })
})
