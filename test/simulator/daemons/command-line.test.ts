// ImagePath to argv, and Go's two ways to read flags.
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'

import {resolveCommandLine} from '../../../src/simulator/daemons/command-line.js'
import {splitCommandLine} from '../../../src/machine/command-line.js'
import {flagSet, parseGoFlags, parsePflags} from '../../../src/simulator/daemons/flags.js'
import {kubeletFlags} from '../../../src/simulator/daemons/releases.js'
import {makeFiles} from '../stage.js'

/** The rule of Microsoft's documentation, the other way round. */
const quote = (word: string): string => `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`

describe('splitting', () => {
  it.each([
    ['x.exe a  b', ['x.exe', 'a', 'b']],
    [String.raw`"C:\a b\x.exe" --dir=C:\k\ next`, [String.raw`C:\a b\x.exe`, String.raw`--dir=C:\k` + '\\', 'next']],
    ['x "" y', ['x', '', 'y']],
    [String.raw`x a\\\"b`, ['x', String.raw`a\"b`]],
    [String.raw`x "a\\" b`, ['x', 'a\\', 'b']],
    ['x "a""b"', ['x', 'a"b']],
    ['x """ y', ['x', '"', 'y']],
    ['x --enforce-node-allocatable= y', ['x', '--enforce-node-allocatable=', 'y']],
  ])('%s', (line, words) => {
    expect(splitCommandLine(line)).toEqual(words)
  })

  it('undoes any quoting', () => {
    const words = fc.array(fc.string({unit: fc.constantFrom('a', ' ', '"', '\\', '\t', 'ü', '=')}))
    fc.assert(
      fc.property(words, (args) => {
        expect(splitCommandLine(['"C:\\x.exe"', ...args.map(quote)].join(' '))).toEqual(['C:\\x.exe', ...args])
      }),
    )
  })
})

describe('finding the program', () => {
  it('tries every blank of an unquoted path, as CreateProcess does', async () => {
    const files = makeFiles()
    await files.makeDirectory(String.raw`C:\Program Files\k`)
    await files.write(String.raw`C:\Program Files\k\x.exe`, 'MZ')
    const line = String.raw`C:\Program Files\k\x.exe --a "b c"`
    expect(await resolveCommandLine(files, line)).toEqual({
      args: ['--a', 'b c'],
      program: String.raw`C:\Program Files\k\x.exe`,
    })
    await files.write(String.raw`C:\Program.exe`, 'MZ')
    expect((await resolveCommandLine(files, line))?.program).toBe(String.raw`C:\Program.exe`)
    expect((await resolveCommandLine(files, `"${line.slice(0, 24)}" --a`))?.program).toBe(
      String.raw`C:\Program Files\k\x.exe`,
    )
    expect(await resolveCommandLine(files, String.raw`"C:\none.exe" --a`)).toBeUndefined()
  })
})

describe('flags', () => {
  const set = flagSet({bool: 'yes', duration: 'wait', int: 'count', string: 'name long-name'})

  it('are read as pflag does', () => {
    const parsed = parsePflags(
      ['--yes', '--name', 'a b', '--long_name=', '--count=-3', '--wait=1h30m', 'word', '--', '--no'],
      set,
    )
    expect(parsed).toMatchObject({rest: ['word', '--no']})
    expect([...(parsed.error === undefined ? parsed.flags : [])]).toEqual([
      ['yes', 'true'],
      ['name', 'a b'],
      ['long-name', ''],
      ['count', '-3'],
      ['wait', '1h30m'],
    ])
  })

  it.each([
    [['--none'], 'unknown flag: --none'],
    [['-x'], "unknown shorthand flag: 'x' in -x"],
    [['--name'], 'flag needs an argument: --name'],
    [['--yes=maybe'], 'invalid argument "maybe" for "--yes" flag: strconv.ParseBool: parsing "maybe": invalid syntax'],
    [['--count=a'], 'strconv.ParseInt: parsing "a": invalid syntax'],
    [['--wait=20'], 'time: invalid duration "20"'],
  ])('pflag refuses %j', (args, text) => {
    expect(parsePflags(args, set).error).toContain(text)
  })

  it('are read with one hyphen or two by the standard package', () => {
    const parsed = parseGoFlags(['-yes=1', '--name', 'x', 'word', '-none'], set)
    expect(parsed).toMatchObject({rest: ['word', '-none']})
    expect(parseGoFlags(['-none'], set).error).toBe('flag provided but not defined: -none')
    expect(parseGoFlags(['-yes=x'], set).error).toBe(
      'invalid boolean value "x" for -yes: strconv.ParseBool: parsing "x": invalid syntax',
    )
  })

  it('of dockershim are there up to 1.23', () => {
    for (const flag of [
      'network-plugin',
      'cni-bin-dir',
      'cni-conf-dir',
      'image-pull-progress-deadline',
      'docker-endpoint',
    ]) {
      expect([21, 22, 23, 24].map((minor) => kubeletFlags(minor).has(flag))).toEqual([true, true, true, false])
    }
  })
})
