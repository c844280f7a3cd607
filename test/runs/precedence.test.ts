// For every option of the table: each way to give it is understood, and flag > environment > file > stored > default.
import {describe, expect, it} from 'vitest'
import {powershellName} from '../../src/cli/arguments/powershell-arguments.js'
import {entriesOf, environmentVariable, type Option, OPTIONS, optionOf} from '../../src/config/options/options.js'
import {OPTION_ROWS} from '../config/option-rows.js'
import {configured, FILE, fileWith, SERVER, storedIn, typed} from './configuration-rig.js'

const cases = OPTIONS.map((option) => ({flag: option.flag, option}))
const keyed = cases.filter(({option}) => option.key !== undefined)
const BASE = String.raw`C:\k`

/** A token file is refused without a hash, unless verification is skipped. */
const BESIDE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'token-file': {K8S_WIN_UNSAFE_SKIP_CA_VERIFICATION: 'true'},
  'token-from': {K8S_WIN_UNSAFE_SKIP_CA_VERIFICATION: 'true'},
  'unsafe-skip-ca-verification': {K8S_WIN_SERVER: SERVER},
}

/** As the configuration has it: one text, or a list. */
const held = (option: Option, value: string): unknown =>
  option.kind === 'text' || option.kind === 'switch' ? value : [value]
const seen = (option: Option, given: Awaited<ReturnType<typeof typed>>): unknown =>
  option.kind === 'text' || option.kind === 'switch'
    ? String(given[option.flag])
    : entriesOf(given[option.flag], option.kind)

it('the table of values is complete, and its values differ', () => {
  expect(Object.keys(OPTION_ROWS).sort()).toEqual(OPTIONS.map(({flag}) => flag).sort())
  const few: Readonly<Record<string, number>> = {'base-images': 1, runtime: 2}
  for (const {kind, flag} of OPTIONS)
    expect(new Set(OPTION_ROWS[flag].valid).size, flag).toBe(kind === 'switch' ? 2 : (few[flag] ?? 5))
})

describe('on the command line', () => {
  it.each(cases)('--$flag in every spelling', async ({flag, option}) => {
    const power = powershellName(flag)
    for (const value of OPTION_ROWS[flag].valid) {
      const bare = value === 'true' ? [[`--${flag}`], [power]] : [[`--no-${flag}`]]
      const spellings =
        option.kind === 'switch'
          ? [[`${power}:$${value}`], [power, value], [`--${flag}=${value}`], ...bare]
          : [
              [`--${flag}`, value],
              [`--${flag}=${value}`],
              [power, value],
              [`${power}:${value}`],
              [power.toLowerCase(), value],
            ]
      for (const argv of spellings) {
        expect(seen(option, await typed(argv)), argv.join(' ')).toEqual(held(option, value))
      }
    }
  })

  it.each(cases.filter(({option}) => !['arguments', 'switch', 'text'].includes(option.kind)))(
    '--$flag several times, or with commas',
    async ({flag, option}) => {
      const [one, , two] = OPTION_ROWS[flag].valid
      for (const argv of [
        [`--${flag}`, one, powershellName(flag), two],
        [`--${flag}`, `${one},${two}`],
        [powershellName(flag), `${one}, ${two}`],
      ]) {
        expect(entriesOf((await typed(argv))[flag]), argv.join(' ')).toEqual([one, two])
      }
      expect(option.value).toBeDefined()
    },
  )

  it.each(cases.filter(({option}) => option.kind === 'arguments'))(
    '--$flag several times, and in a variable with semicolons',
    async ({flag, option}) => {
      const [one, , two] = OPTION_ROWS[flag].valid
      const repeated = await typed([`--${flag}`, one, powershellName(flag), `${two},x=1`])
      expect(entriesOf(repeated[flag], option.kind)).toEqual([one, `${two},x=1`])
      const {given} = await configured({environment: {[environmentVariable(flag)]: `${one}; ${two}`}})
      expect(entriesOf(given[flag], option.kind)).toEqual([one, two])
    },
  )

  it.each(cases.filter(({option}) => !['switch', 'text'].includes(option.kind)))(
    '--$flag can be emptied',
    async ({flag}) => {
      expect((await typed([`--${flag}=`]))[flag]).toEqual([''])
      expect(entriesOf((await typed([`--${flag}=`]))[flag], OPTIONS.find((one) => one.flag === flag)?.kind)).toEqual([])
    },
  )
})

describe('precedence', () => {
  it.each(keyed)('--$flag', async ({flag, option}) => {
    const [onLine, inEnvironment, inFile, stored] = OPTION_ROWS[flag].valid
    const layers = {
      flag: option.kind === 'switch' ? [`${powershellName(flag)}:$${onLine}`] : [`--${flag}`, onLine],
      environment: {...BESIDE[flag], [environmentVariable(flag)]: inEnvironment},
      file: {[FILE]: fileWith(option, inFile)},
      // The base directory is where the rest is stored: its own copy there decides nothing.
      stored: flag === 'base-dir' ? {} : {[storedIn(BASE)]: fileWith(option, stored)},
    }
    const named = ['--config', FILE]
    const texts = {...layers.file, ...layers.stored}

    const all = await configured({argv: [...named, ...layers.flag], environment: layers.environment, texts})
    expect([all.sources[flag], seen(option, all.given)]).toEqual(['flag', held(option, onLine)])
    expect(all.where[flag]).toBe(`--${flag}`)

    const noFlag = await configured({argv: named, environment: layers.environment, texts})
    expect([noFlag.sources[flag], seen(option, noFlag.given)]).toEqual(['environment', held(option, inEnvironment)])
    expect(noFlag.where[flag]).toBe(environmentVariable(flag))

    const noEnvironment = await configured({argv: named, environment: BESIDE[flag] ?? {}, texts})
    expect([noEnvironment.sources[flag], seen(option, noEnvironment.given)]).toEqual(['file', held(option, inFile)])
    expect(String(noEnvironment.where[flag])).toMatch(/^C:\\given\\node\.yaml:\d+:\d+ /)

    const noFile = await configured({environment: BESIDE[flag] ?? {}, texts})
    if (flag !== 'base-dir') {
      expect([noFile.sources[flag], seen(option, noFile.given)]).toEqual(['stored', held(option, stored)])
      expect(String(noFile.where[flag])).toMatch(/^C:\\k\\k8s-win\\node\.yaml:\d+:\d+ /)
    }

    const nothing = await configured({})
    expect([nothing.sources[flag], nothing.given[flag]]).toEqual([undefined, undefined])
  })

  it.each(cases.filter(({option}) => option.key === undefined && option.kind === 'switch'))(
    '--$flag, which is of one run',
    async ({flag}) => {
      const environment = {...BESIDE[flag], [environmentVariable(flag)]: 'true'}
      expect((await configured({environment})).sources[flag]).toBe('environment')
      const off = await configured({argv: [`${powershellName(flag)}:$false`], environment})
      expect([off.sources[flag], off.given[flag]]).toEqual(['flag', false])
    },
  )

  it('--config may be named by the environment, and the command line names another', async () => {
    const other = String.raw`C:\given\other.yaml`
    const texts = {[FILE]: fileWith(optionOf('release'), '1.22.1'), [other]: fileWith(optionOf('release'), '1.22.2')}
    const environment = {K8S_WIN_CONFIG: FILE}
    expect((await configured({environment, texts})).config.release.text).toBe('1.22.1')
    expect((await configured({argv: ['-Config', other], environment, texts})).config.release.text).toBe('1.22.2')
  })

  it('of lists: one source says all of it', async () => {
    const texts = {[FILE]: fileWith(optionOf('node-label'), 'a=1')}
    const {config} = await configured({argv: ['--config', FILE, '--node-label', 'b=2'], texts})
    expect(config.nodeLabels).toEqual({b: '2'})
    const emptied = await configured({argv: ['--config', FILE, '--node-label='], texts})
    expect(emptied.config.nodeLabels).toEqual({})
  })
})
