// A token on the command line, however it is spelled: found and hidden.
import {describe, expect, it} from 'vitest'
import {hideGivenSecrets, tokensIn} from '../../../src/cli/arguments/token-words.js'
import {createRedactor} from '../../../src/output/text/redact.js'

const TOKEN = 'abcdef.0123456789abcdef'

describe('a command line', () => {
  it.each([
    [['--token', TOKEN]],
    [[`--token=${TOKEN}`]],
    [['-Token', TOKEN]],
    [['-token', TOKEN]],
    [[`-Token:${TOKEN}`]],
    [['-Token:', TOKEN]],
    [[`-Token=${TOKEN}`]],
    // PowerShell splits it before the first period.
    [['-Token=abcdef', '.0123456789abcdef']],
  ])('with %j', (words) => {
    const argv = ['setup', ...words, '--server', 'https://h:1', '-TokenFile', 't']
    expect(tokensIn(argv)).toEqual([TOKEN])
  })

  it.each([[['--token']], [['--token', '--yes']], [['token', 'create', '--token-file', 'x']]])(
    'without one: %j',
    (argv) => {
      expect(tokensIn(argv)).toEqual([])
    },
  )
})

it('a token is hidden whole and without its id, from the command line and from the environment', () => {
  const redactor = createRedactor()
  hideGivenSecrets(['setup', '-Token', 'typing-error.secretsecretsecret'], {K8S_WIN_TOKEN: TOKEN}, redactor)
  const text = redactor.redact('a 0123456789abcdef b secretsecretsecret c typing-error d abcdef')
  expect(text).toBe('a *** b *** c typing-error d abcdef')
})
