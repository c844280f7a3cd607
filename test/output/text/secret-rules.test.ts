// The examples of the rules are their tests: what is between « and » is hidden, and nothing else.
import {describe, expect, test} from 'vitest'
import {createRedactor} from '../../../src/output/text/redact.js'
import {SECRET_RULES} from '../../../src/output/text/secret-rules.js'

const textOf = (example: string): string => example.replaceAll(/[«»]/g, '')
const hiddenOf = (example: string): string => example.replaceAll(/«[^»]+»/g, '***')
const EXAMPLES = SECRET_RULES.flatMap((rule) => rule.examples.map((example) => ({example, rule})))

describe('the table of rules', () => {
  test.each(EXAMPLES)('$rule.name: $example', ({example}) => {
    expect(hiddenOf(example)).toContain('***')
    expect(createRedactor().redact(textOf(example))).toBe(hiddenOf(example))
  })

  test.each(SECRET_RULES)('needs the rule "$name": without it one of its examples is shown', (rule) => {
    const {redact} = createRedactor(SECRET_RULES.filter((other) => other !== rule))
    expect(rule.examples.map((example) => redact(textOf(example)))).not.toEqual(rule.examples.map(hiddenOf))
  })

  test('names each rule once', () => {
    expect(new Set(SECRET_RULES.map(({name}) => name)).size).toBe(SECRET_RULES.length)
  })
})
