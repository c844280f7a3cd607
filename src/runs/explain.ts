// explain: what an ID in a message, in JSON or in a log stands for. Needs no host.
import {SMOKE_CHECK_IDS} from '../config/check-ids.js'
import {nearest} from '../config/nearest.js'
import {ERRORS} from '../errors/catalogue.js'
import {unknownId} from '../errors/usage.js'
import {NODE_CHECKS, REPORTING_CHECKS} from '../health/health-checks.js'
import type {Explanation} from '../output/text/explanation.js'
import {CHECKS} from '../preflight/index.js'
import {SIGNATURES} from '../signatures/index.js'
import {TITLES} from './verify/verdicts.js'

/** An error, a check and a known failure may differ in case and separator only; else neither matters. */
export function explain(id: string): Explanation {
  const found = EXPLANATIONS.find((one) => one.id === id) ?? EXPLANATIONS.find((one) => keyOf(one.id) === keyOf(id))
  if (found) return found
  const ids = EXPLANATIONS.map((one) => one.id)
  throw unknownId({given: id, suggestion: nearest(id, ids) ?? ''})
}

/** A text that is only what the message fills in. */
const orVarying = (text: string, varies: string): string => (/^<\w+>(?: <\w+>)*\.?$/.test(text) ? varies : text)
const CAUSE_VARIES = 'The message you saw says which value and why.'
const FIX_VARIES = 'The message you saw says what to do. "k8s-win doctor" shows it again.'

const keyOf = (id: string): string => id.toLowerCase().replaceAll('-', '_')

const EXPLANATIONS: readonly Explanation[] = [
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
    const fix = `Run "k8s-win verify" to check this node. "k8s-win setup --ignore-check ${id}" downgrades a failed check to a warning.`
    return {fix, id, kind: 'check', message: TITLES[id]}
  }),
  ...SIGNATURES.map(({cause, fix, id, seenIn, sources}): Explanation => {
    return {cause, fix, id, kind: 'known failure', message: `Known failure of ${seenIn.join(', ')}`, sources}
  }),
]
