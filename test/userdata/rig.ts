// User data made in memory: a command line as people type it, and the files that it names.
import {win32} from 'node:path'
import {Parser} from '@oclif/core'
import {givenOptions, givenUserdata, globalFlags, userdataFlags} from '../../src/cli/arguments/flag-table.js'
import {normalizeArguments} from '../../src/cli/arguments/powershell-arguments.js'
import {specOf} from '../../src/cli/arguments/run-command-line.js'
import type {K8sWinError} from '../../src/errors/k8s-win-error.js'
import {ProblemsError} from '../../src/errors/k8s-win-error.js'
import {ADMINISTRATORS_ONLY, ADMINISTRATORS_ONLY_FILE} from '../../src/host/security/security.js'
import type {Machine} from '../../src/machine/machine.js'
import {surveyOver} from '../../src/machine/survey.js'
import type {Win32} from '../../src/machine/win32.js'
import {makeUserdata, type UserdataDocument} from '../../src/runs/userdata/userdata.js'
import {createRedactor} from '../../src/output/text/redact.js'
import {handClock} from '../fakes/hand-clock.js'
import {memoryFiles} from '../fakes/memory-files.js'
import {only} from '../fakes/partial.js'

/** What stands for k8s-win.exe in these tests, and its digest. */
export const PROGRAM = 'k8s-win.exe, as it was published'
export const DIGEST = '71da533aed58fe30bec76b11e2ea29aef4e341ce88e484d67d85c5d555732fb5'
export const URL_OF_PROGRAM = 'https://example.com/k8s-win.exe'
export const TOKEN = 'abcdef.0123456789abcdef'
export const HASH = `sha256:${'f0e1d2c3b4a59687'.repeat(4)}`
export const SERVER = ['--server', 'https://10.0.0.1:6443', '--ca-cert-hash', HASH]

export type Texts = Readonly<Record<string, Buffer | string>>

export async function userdataOf(
  cloud: string,
  options: readonly string[] = [],
  texts: Texts = {},
  digest = DIGEST,
): Promise<UserdataDocument> {
  const program = ['--program-url', URL_OF_PROGRAM, '--program-digest', `sha256:${digest}`]
  return userdataFor([cloud, ...program, ...options], texts)
}

export async function userdataFor([cloud = '', ...argv]: readonly string[], texts: Texts = {}) {
  const flags = {...userdataFlags, ...globalFlags}
  const {argv: normal, problems} = normalizeArguments(argv, specOf('userdata', flags))
  if (problems.length > 0) throw new ProblemsError(problems)
  const parsed = await Parser.parse([...normal], {flags})
  const files = memoryFiles(texts)
  const machine = only<Machine>('machine', {
    clock: handClock(0),
    files,
    simulated: false,
    win32: only<Win32>('win32', {
      accountSid: async () => 'S-1-5-21-1-2-3-500',
      drive: () => Promise.resolve(undefined),
      isAdministrator: async () => true,
      survey: surveyOver(
        files,
        async (path) => (/\.\w+$/.test(path) ? ADMINISTRATORS_ONLY_FILE : ADMINISTRATORS_ONLY),
        win32.join,
      ),
    }),
  })
  return makeUserdata({
    cloud,
    given: givenOptions(parsed),
    input: {isTerminal: false, read: async () => Buffer.from(`${TOKEN}\n`)} as never,
    machine,
    own: givenUserdata(parsed),
    redactor: createRedactor(),
    signal: new AbortController().signal,
  })
}

/** The errors with which it is refused; none where it is not. */
export async function refusals(made: Promise<unknown>): Promise<readonly K8sWinError[]> {
  return made.then(
    () => [],
    (error: unknown) => {
      if (!(error instanceof ProblemsError)) throw error
      return error.problems
    },
  )
}
