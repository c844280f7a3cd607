// The bootstrap token on a command line, in all spellings of --token, and the logins of proxies: hidden before anything is
// shown or logged.
import {plainName} from '../../config/nearest.js'
import {environmentVariable} from '../../config/options/options.js'
import {secretsOf} from '../../config/options/parse-join.js'
import {parseProxy} from '../../machine/proxy.js'
import type {Redactor} from '../../output/text/redact.js'

/** A value that was forgotten is not looked for: the next flag is not a token. */
const isFlag = (word: string | undefined): boolean => word === undefined || /^-./.test(word)

/** The values of --token. PowerShell hands over "-Token:x" in one or two words. */
export function tokensIn(argv: readonly string[]): string[] {
  const left = [...argv]
  const tokens: string[] = []
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    const [, name = '', inline] = /^(--?[a-z-]+)(?:[:=](.*))?$/is.exec(word) ?? []
    if (plainName(name) !== 'token') continue
    if (inline) tokens.push(inline + (/^\.\w/.test(left[0] ?? '') ? (left.shift() ?? '') : ''))
    else if (!isFlag(left[0])) tokens.push(left.shift() ?? '')
  }

  return tokens
}

/** Also what is not a valid token: it may be one with a typing error. */
export function hideGivenSecrets(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  {register}: Pick<Redactor, 'register'>,
): void {
  const given = [...tokensIn(argv), environment[environmentVariable('token')] ?? '']
  const proxies = Object.keys(environment).filter((name) => /^(?:https?|all)_proxy$/i.test(name))
  const logins = proxies.flatMap((name) => parseProxy(environment[name] ?? '').secrets)
  for (const secret of [...given.flatMap(secretsOf), ...logins]) register(secret)
}
