import {Parser} from '@oclif/core'
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {globalFlags, nodeFlags, optionFlags, resetFlags} from '../../../src/cli/arguments/flag-table.js'
import {isHelp} from '../../../src/cli/arguments/help-request.js'
import {normalizeArguments, powershellName} from '../../../src/cli/arguments/powershell-arguments.js'
import {specOf} from '../../../src/cli/arguments/run-command-line.js'
import {isWhole} from '../../sample.js'

const flags = {...optionFlags, ...globalFlags}
const spec = specOf('setup', flags)
const free = spec.flags.filter((flag) => flag.type === 'option' && flag.options === undefined)
const switches = spec.flags.filter((flag) => flag.type === 'boolean')

async function parsed(argv: readonly string[]): Promise<Record<string, unknown>> {
  const normalized = normalizeArguments(argv, spec)
  expect(normalized.problems).toEqual([])
  const {flags: values} = await Parser.parse([...normalized.argv], {flags, strict: true})
  return values
}

const ids = (argv: readonly string[]): string[] => normalizeArguments(argv, spec).problems.map((problem) => problem.id)

const hostile = fc.oneof(
  fc.string({unit: 'grapheme'}),
  fc.string({unit: 'binary'}),
  fc.constantFrom(
    '',
    ' ',
    '-',
    '--',
    '-x',
    '--nope',
    '=',
    ':',
    'a=b',
    ':x',
    '$true',
    '"',
    "'",
    String.raw`c:\Program Files\k`,
    '%PATH%',
    '`',
    '.5',
    'ä 漢 🎉',
    '/?',
    '-h',
  ),
)
const casing = fc.constantFrom(
  (text: string) => text,
  (text: string) => text.toLowerCase(),
  (text: string) => text.toUpperCase(),
)
const isOwnFlag = (value: string): boolean => spec.flags.some((flag) => `--${flag.name}` === value)
const looksLikeFlag = (value: string): boolean => {
  const name = value
    .replace(/[:=][^]*$/, '')
    .replaceAll('-', '')
    .toLowerCase()
  return isHelp(value) || (value.startsWith('-') && spec.flags.some((flag) => flag.name.replaceAll('-', '') === name))
}

describe('every flag, in every spelling, has the value that was given', () => {
  const spellings: readonly {
    name: string
    spell: (flag: string, value: string) => string[]
    takes: (value: string) => boolean
  }[] = [
    {name: '-Name value', spell: (flag, value) => [flag, value], takes: (value) => !looksLikeFlag(value)},
    {
      name: '-Name:value',
      spell: (flag, value) => [`${flag}:${value}`],
      takes: (value) => value !== '' && !isOwnFlag(value),
    },
    {name: '-Name=value', spell: (flag, value) => [`${flag}=${value}`], takes: (value) => !isOwnFlag(value)},
    {name: '-Name: value', spell: (flag, value) => [`${flag}:`, value], takes: (value) => !looksLikeFlag(value)},
  ]

  test.each(spellings)('$name', async ({spell, takes}) => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...free), casing, hostile, async (flag, recase, value) => {
        fc.pre(takes(value))
        const values = await parsed(spell(recase(powershellName(flag.name)), value))
        expect(values[flag.name]).toEqual(flag.multiple === true ? [value] : value)
      }),
      {numRuns: isWhole ? 3000 : 100},
    )
  })

  test('--name value and --name=value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...free), hostile, fc.boolean(), async (flag, value, inline) => {
        fc.pre(inline ? !isOwnFlag(value) : !looksLikeFlag(value))
        const values = await parsed(inline ? [`--${flag.name}=${value}`] : [`--${flag.name}`, value])
        expect(values[flag.name]).toEqual(flag.multiple === true ? [value] : value)
      }),
    )
  })

  test('switches', async () => {
    const words = fc.constantFrom(
      ['', true],
      [':$true', true],
      [':$false', false],
      ['=true', true],
      [':False', false],
      [' true', true],
      [' $FALSE', false] as const,
    )
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...switches), casing, words, async (flag, recase, [suffix, expected]) => {
        const values = await parsed(`${recase(powershellName(flag.name))}${String(suffix)}`.split(' '))
        expect(values[flag.name] ?? false).toBe(expected)
      }),
    )
  })

  test('several flags do not take from each other', async () => {
    const values = await parsed([
      '-BaseDir',
      String.raw`c:\k`,
      '-verbose',
      '--node-name',
      'win-1',
      '-digest:a=b',
      '-Digest',
      'c=d',
      '-RELEASE=v1.21.5',
    ])
    expect(values).toMatchObject({
      'base-dir': String.raw`c:\k`,
      digest: ['a=b', 'c=d'],
      'node-name': 'win-1',
      release: 'v1.21.5',
      verbose: true,
    })
  })
})

describe('what PowerShell does to arguments', () => {
  test('a value split at its first period comes together again', async () => {
    expect(await parsed(['-Release=1', '.21.5', '-NodeIP:10', '.0.0.5'])).toMatchObject({
      'node-ip': '10.0.0.5',
      release: '1.21.5',
    })
  })

  test.each([
    [['-Adopt'], true],
    [['-adopt:$true'], true],
    [['-Adopt', 'true'], true],
    [['--adopt'], true],
    [['--adopt=true'], true],
    [['-Adopt:$false'], false],
    [['-Adopt', 'False'], false],
    [['--no-adopt'], false],
    [['--adopt=false'], false],
    [['--no-adopt=false'], true],
    [['-Adopt', '-Adopt:$false'], false],
    [['--no-adopt', '--adopt'], true],
  ])('%j says whether to adopt, in a way that wins over the environment', async (argv, on) => {
    expect(await parsed(argv)).toHaveProperty('adopt', on)
  })

  test('a switch that can only be on is simply not there when it is off', async () => {
    expect(normalizeArguments(['-Json:$false', '-Verbose'], spec).argv).toEqual(['--verbose'])
    expect(ids(['--no-json'])).toEqual(['UNKNOWN_FLAG'])
  })

  test('the last word on a switch counts', async () => {
    expect(await parsed(['-Verbose', '-Verbose:$false'])).not.toHaveProperty('verbose', true)
  })
})

describe('review U9: what PowerShell users are used to', () => {
  const reset = specOf('reset', {...resetFlags, ...globalFlags})
  test.each([
    [['-WhatIf'], ['--dry-run']],
    [['-whatif:$false'], ['--no-dry-run']],
    [['-Force'], ['--yes']],
    [['-Confirm:$false'], ['--yes']],
    [['-Confirm', '$false'], ['--yes']],
    [['-Confirm'], ['--no-yes']],
    [['-v'], ['--verbose']],
    [
      ['-Purg', '-What'],
      ['--purge', '--dry-run'],
    ],
    [['-Out', 'json'], ['--output=json']],
  ])('%j means %j', (argv, normal) => {
    expect(normalizeArguments(argv, reset)).toMatchObject({argv: normal, problems: []})
  })

  test.each([
    [
      ['-Reset', 'true'],
      ['--reset', '--yes'],
    ],
    [['-Reset:$true'], ['--reset', '--yes']],
    [
      ['-Reset', 'true', '-Confirm'],
      ['--reset', '--no-yes'],
    ],
    [['-Reset', 'true', '-Reset:$false'], ['--no-reset']],
    [['-Reset'], ['--reset']],
    [['--reset'], ['--reset']],
    [['--reset=true'], ['--reset']],
  ])("review P3-2: %j is %j: the original script's spelling agrees to the end of pods", (argv, normal) => {
    expect(normalizeArguments(argv, specOf('setup', {...optionFlags, ...globalFlags}))).toMatchObject({
      argv: normal,
      problems: [],
    })
  })

  test('a beginning of a name is enough where it is unambiguous, also before a colon', async () => {
    expect(await parsed(['-BaseD', String.raw`c:\k`, '-rel:1.22.0'])).toMatchObject({
      'base-dir': String.raw`c:\k`,
      release: '1.22.0',
    })
  })

  test('otherwise all that begin like it are named', () => {
    const {problems} = normalizeArguments(['-Conf', 'x', '-Kube', 'y'], spec)
    expect(problems.map(({id, reason}) => [id, reason])).toEqual([
      ['AMBIGUOUS_FLAG', 'Several flags begin with it: -Config, -Confirm.'],
      [
        'AMBIGUOUS_FLAG',
        expect.stringContaining('-Kubeconfig, -KubeconfigFrom, -KubeletKubeconfig, -KubeProxyKubeconfig'),
      ],
    ])
  })

  test('what only begins like a flag may be a value; one letter is not a flag', async () => {
    expect(await parsed(['-NodeName', '-rel'])).toMatchObject({'node-name': '-rel'})
    expect(ids(['-b', 'x'])).toEqual(['UNKNOWN_FLAG'])
    expect(ids(['--base', 'x'])).toEqual(['UNKNOWN_FLAG'])
  })

  test.each([
    ['setup', '--force', 'Did you mean -Force?'],
    ['setup', '--what-if', 'Did you mean -WhatIf?'],
    ['setup', '--version', 'Did you mean "k8s-win --version"?'],
    ['status', '-Confirm', '"k8s-win status --help-all" lists the flags.'],
    ['status', '-WhatIf', '"k8s-win status --help-all" lists the flags.'],
  ])('%s %s: %s', (command, flag, fix) => {
    const known = command === 'setup' ? spec : specOf(command, {...nodeFlags, config: optionFlags['config']!})
    const {problems} = normalizeArguments([flag], known)
    expect(problems).toMatchObject([{fix: expect.stringContaining(fix) as string, id: 'UNKNOWN_FLAG'}])
  })
})

describe('help', () => {
  test.each(['/?', '-?', '-h', '-Help', '-HELP', '--help'])('%s is found wherever a flag may stand', (token) => {
    expect(normalizeArguments(['-BaseDir', 'x', token], spec).help).toBe('common')
    expect(normalizeArguments(['-BaseDir', token], spec).help).toBe('common')
  })

  test.each(['--help-all', '-HelpAll'])('review U9: %s asks for all flags', (token) => {
    expect(normalizeArguments(['-BaseDir', 'x', token, '--help'], spec).help).toBe('all')
  })

  test('nothing after -- is a flag', () => {
    expect(normalizeArguments(['--', '--help'], spec)).toMatchObject({
      help: undefined,
      problems: [{id: 'UNEXPECTED_ARGUMENT'}],
    })
  })
})

describe('problems', () => {
  test('all unknown flags are found at once, each with the nearest one in the same style', () => {
    const {problems} = normalizeArguments(
      ['-BaseDri', String.raw`c:\k`, '--clutser-cidr=1', '--zzzzzzzz', '-nodname:x'],
      spec,
    )
    expect(problems.map((problem) => [problem.id, problem.message, problem.fix.split('?')[0]])).toEqual([
      ['UNKNOWN_FLAG', 'Unknown flag -BaseDri', 'Did you mean -BaseDir'],
      ['UNKNOWN_FLAG', 'Unknown flag --clutser-cidr', 'Did you mean --cluster-cidr'],
      ['UNKNOWN_FLAG', 'Unknown flag --zzzzzzzz', '"k8s-win setup --help-all" lists the flags.'],
      ['UNKNOWN_FLAG', 'Unknown flag -nodname', 'Did you mean -NodeName'],
    ])
    expect(problems.every((problem) => problem.exitCode === 2)).toBe(true)
  })

  test.each([
    {argv: ['-BaseDir'], id: 'MISSING_VALUE', name: 'no value at the end'},
    {argv: ['-BaseDir', '-Release', '1.21.5'], id: 'MISSING_VALUE', name: 'a flag in place of the value'},
    {argv: ['-BaseDir:'], id: 'MISSING_VALUE', name: 'nothing after the colon'},
    {argv: ['--base-dir=--release'], id: 'MISSING_VALUE', name: 'a flag as the value'},
    {argv: ['--output', 'xml'], id: 'BAD_CHOICE', name: 'no such format'},
    {argv: ['-Verbose:maybe'], id: 'BAD_CHOICE', name: 'neither true nor false'},
    {argv: ['-BaseDir', 'a', '--base-dir=b'], id: 'REPEATED_FLAG', name: 'twice the same'},
    {argv: ['c:\\k'], id: 'UNEXPECTED_ARGUMENT', name: 'a value without a flag'},
    {argv: ['--BaseD=x'], id: 'UNKNOWN_FLAG', name: 'after two dashes the whole name'},
  ])('$name: $id', ({argv, id}) => {
    expect(ids(argv)).toEqual([id])
  })

  test('whatever is typed, it is either understood or explained', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(hostile, fc.constantFrom(...spec.flags.map((flag) => powershellName(flag.name))))),
        (argv) => {
          const {argv: out} = normalizeArguments(argv, spec)
          expect(
            out.every((token) =>
              spec.flags.some(({name}) => [`--${name}`, `--no-${name}`].includes(token.replace(/=[^]*/, ''))),
            ),
          ).toBe(true)
        },
      ),
    )
  })
})

describe('words that belong to no flag', () => {
  const logs = {...specOf('logs', flags), arguments: true as const}

  test('are handed on in their order, after all flags', () => {
    const {argv, problems} = normalizeArguments(['kubelet', '-BaseDir', String.raw`c:\k`, 'flanneld'], logs)
    expect(problems).toEqual([])
    expect(argv).toEqual([String.raw`--base-dir=c:\k`, '--', 'kubelet', 'flanneld'])
  })

  test('may look like flags after --', () => {
    expect(normalizeArguments(['--', '-BaseDir', '--json'], logs).argv).toEqual(['--', '-BaseDir', '--json'])
  })

  test('are a mistake where the command takes none', () => {
    expect(ids(['kubelet'])).toEqual(['UNEXPECTED_ARGUMENT'])
    expect(specOf('setup', flags, {}).arguments).toBeUndefined()
    expect(specOf('logs', flags, {component: {} as never}).arguments).toBe(true)
  })
})
