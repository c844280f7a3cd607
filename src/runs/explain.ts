// explain: what an ID in a message, in JSON or in a log stands for. Needs no host.
import {SMOKE_CHECK_IDS} from '../config/check-ids.js'
import {nearest} from '../config/nearest.js'
import {ERRORS} from '../errors/catalogue.js'
import {unknownId} from '../errors/usage.js'
import {NODE_CHECKS, REPORTING_CHECKS} from '../health/health-checks.js'
import type {Explanation} from '../output/text/explanation.js'
import {CHECKS} from '../preflight/index.js'
import {hresultName} from '../signatures/hresults.js'
import {SIGNATURES} from '../signatures/index.js'
import {TITLES} from './verify/verdicts.js'

/**
 * An error, a check and a known failure may differ in case and separator only; else neither matters. `given`: an ID, or the
 * `url` of a document, a section of a page that k8s-win.exe does not come with.
 */
export function explain(given: string, exitCodes: ExitCodes = []): Explanation {
  const id = given.replace(/^docs\/\w+\.md#/, '')
  const found =
    EXPLANATIONS.find((one) => one.id === id) ??
    EXPLANATIONS.find((one) => keyOf(one.id) === keyOf(id)) ??
    exitCode(id, exitCodes) ??
    windowsCode(id)
  if (found) return found
  const ids = EXPLANATIONS.map((one) => one.id)
  throw unknownId({given: id, suggestion: nearest(id, ids) ?? ''})
}

type ExitCodes = readonly (readonly [code: number, when: string])[]

/** 10, or "exit 10". */
function exitCode(text: string, exitCodes: ExitCodes): Explanation | undefined {
  const number = Number(/^(?:exit[ -]?(?:code[ -]?)?)?(\d{1,3})$/i.exec(text)?.[1])
  const when = new Map(exitCodes).get(number)
  if (when === undefined) return undefined
  const ids = ERRORS.filter((error) => error.exitCode === number).map((error) => error.id)
  const fix = ids.length === 0 ? 'See the last lines of the output.' : `The output names the error: ${ids.join(', ')}.`
  return {
    exitCode: number,
    fix: number === 0 ? 'Nothing to fix.' : fix,
    id: `exit-code-${number}`,
    kind: 'exit code',
    message: when,
  }
}

/** An HRESULT, or a code of the service manager: what is known of it, and its name. */
function windowsCode(text: string): Explanation | undefined {
  const name = hresultName(text)
  const known = /^(?:0x[\da-f]{8}|\d{4})$/i.test(text) && SIGNATURES.find(({pattern}) => pattern.test(text))
  if (known)
    return {
      ...EXPLANATIONS.find(({id}) => id === known.id)!,
      message: `${name ?? text} is the known failure ${known.id}`,
    }
  const fix = 'Run "k8s-win doctor": it names the object that failed. "k8s-win logs" has the request before the code.'
  return name === undefined
    ? undefined
    : {fix, id: text, kind: 'code of Windows', message: `${name}: an error of the Host Networking Service`}
}

/** A text that is only what the message fills in. */
const orVarying = (text: string, varies: string): string => (/^<\w+>(?: <\w+>)*\.?$/.test(text) ? varies : text)
const CAUSE_VARIES = 'The message you saw says which value and why.'
const FIX_VARIES = 'The message you saw says what to do.'

const keyOf = (id: string): string => id.toLowerCase().replaceAll('-', '_')

export const EXPLANATIONS: readonly Explanation[] = [
  ...ERRORS.map(({describe, id}): Explanation => {
    const {cause, exitCode, fix, message} = describe()
    return {
      cause: orVarying(cause, CAUSE_VARIES),
      exitCode,
      fix: orVarying(fix, FIX_VARIES),
      id,
      kind: 'error',
      message,
    }
  }),
  ...CHECKS.map(({id, title}): Explanation => {
    const fix = `Run "k8s-win doctor" to check this host. "k8s-win setup --ignore-check ${id}" downgrades a failed check to a warning.`
    return {fix, id, kind: 'check', message: title}
  }),
  ...[...REPORTING_CHECKS, ...NODE_CHECKS].map(({id, title}): Explanation => ({
    fix: 'Run "k8s-win doctor" to check this node.',
    id,
    kind: 'check',
    message: title,
  })),
  ...SMOKE_CHECK_IDS.map((id): Explanation => {
    const fix = `Run "k8s-win verify --kubeconfig <file>" to check this node. "k8s-win setup --ignore-check ${id}" downgrades a failed check to a warning.`
    return {fix, id, kind: 'check', message: TITLES[id]}
  }),
  ...SIGNATURES.map(({cause, fix, id, seenIn, sources}): Explanation => {
    return {cause, fix, id, kind: 'known failure', message: `Known failure of ${seenIn.join(', ')}`, sources}
  }),
]
