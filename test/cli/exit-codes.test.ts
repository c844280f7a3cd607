// The one list of exit codes: of the README, and in part of setup's help. It has every code that can happen, and no other.
import {readdirSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'
import {EXIT_CODES} from '../../src/cli/exit-codes.js'
import ConfigShow from '../../src/commands/config/show.js'
import Doctor from '../../src/commands/doctor.js'
import Logs from '../../src/commands/logs.js'
import ManifestFlannel from '../../src/commands/manifest/flannel.js'
import ManifestNodeAccess from '../../src/commands/manifest/node-access.js'
import Setup from '../../src/commands/setup.js'
import Status from '../../src/commands/status.js'
import TokenCreate from '../../src/commands/token/create.js'
import TokenDelete from '../../src/commands/token/delete.js'
import TokenList from '../../src/commands/token/list.js'
import Userdata from '../../src/commands/userdata.js'
import type {ErrorDefinition} from '../../src/errors/define.js'

/** A node that is not well is no error of the command that says so. */
const VERDICTS = [0, 8]

test('has the codes of all errors, success, and the verdict of status', async () => {
  const folder = fileURLToPath(new URL('../../src/errors', import.meta.url))
  // By the whole path: vite would list the files when it transforms this module, and vitest keeps the result.
  const paths = readdirSync(folder).map((name) => join(folder, name))
  const modules = await Promise.all(paths.map((path) => import(/* @vite-ignore */ path) as Promise<object>))
  const codes = modules.flatMap((module) =>
    Object.values(module).flatMap((member: Partial<ErrorDefinition<never>>) => member.exitCode ?? []),
  )
  expect(EXIT_CODES.map(([code]) => code)).toEqual([...new Set([...VERDICTS, ...codes])].sort((a, b) => a - b))
})

test('stands in the help of setup, but for what other commands end with', () => {
  const others = EXIT_CODES.filter(([code, when]) => !Setup.description.includes(`\n${code}: ${when}`))
  expect(others.map(([code]) => code)).toEqual([5, 7, 8, 9])
})

test('4 stands in the help of userdata: a rehearsal ends with it', () => {
  expect(Userdata.description).toMatch(/^4: .*k8s-win\.exe was not run$/m)
})

test.each([ConfigShow, Doctor, Logs, ManifestFlannel, ManifestNodeAccess, Status, TokenCreate, TokenDelete, TokenList])(
  'has 5 in every help: output can be lost ($summary)',
  ({description}) => {
    expect(description).toMatch(/\b5:? the (?:bundle or the )?output could not be written/)
  },
)
