// The table that the flags, the environment variables, the configuration file and the help are made from.
import {describe, expect, it} from 'vitest'

import {environmentVariable, OPTIONS} from '../../../src/config/options/options.js'
import {OPTION_ROWS} from '../option-rows.js'

const options = OPTIONS

describe('the options', () => {
  it('are those that other programs rely on', () => {
    expect(options.map(({flag}) => flag).sort()).toEqual(Object.keys(OPTION_ROWS).sort())
  })

  it.each(options)('have --$flag with its default and key', ({default: fallback, flag, key}) => {
    expect({default: fallback, key}).toEqual({default: OPTION_ROWS[flag].default, key: OPTION_ROWS[flag].key})
  })

  it('have flags in kebab-case and of more than one letter', () => {
    for (const {flag} of options) expect(flag).toMatch(/^[a-z]{2,}(-[a-z]+)*$/)
  })

  it.each(['flag', 'key', 'summary'] as const)('have each %s once', (field) => {
    const values = options.flatMap((option) => option[field] ?? [])
    expect(new Set(values).size).toBe(values.length)
  })

  it('have flags that are distinguished without their dashes, as PowerShell-style flags are', () => {
    const names = options.map(({flag}) => flag.replaceAll('-', ''))
    expect(new Set(names).size).toBe(names.length)
  })

  it('say what is used where nothing is given', () => {
    for (const option of options) expect(option.default ?? option.absent).toBeTruthy()
  })

  it('have an environment variable each', () => {
    expect(environmentVariable('base-dir')).toBe('K8S_WIN_BASE_DIR')
    expect(environmentVariable('flannel-cni-version')).toBe('K8S_WIN_FLANNEL_CNI_VERSION')
  })
})
