// The one list of exit codes: of setup's help and the README. It has every code that can happen, and no other.
import {readdirSync} from 'node:fs'
import {expect, test} from 'vitest'
import {EXIT_CODES} from '../../src/cli/exit-codes.js'
import Setup from '../../src/commands/setup.js'
import type {ErrorDefinition} from '../../src/errors/define.js'

test('has the codes of all errors, and success', async () => {
  const names = readdirSync(new URL('../../src/errors', import.meta.url)).map((name) => name.replace(/\.ts$/, ''))
  const modules = await Promise.all(names.map((name) => import(`../../src/errors/${name}.ts`) as Promise<object>))
  const codes = modules.flatMap((module) =>
    Object.values(module).flatMap((member: Partial<ErrorDefinition<never>>) => member.exitCode ?? []),
  )
  expect(EXIT_CODES.map(([code]) => code)).toEqual([...new Set([0, ...codes])].sort((a, b) => a - b))
})

test('stands in the help of setup', () => {
  for (const [code, when] of EXIT_CODES) expect(Setup.description).toContain(`\n${code}: ${when}`)
})
