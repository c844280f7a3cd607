// The configuration put together in memory: a command line as people type it, an environment, files.
import {win32} from 'node:path'
import {Parser} from '@oclif/core'
import {stringify} from 'yaml'
import {givenOptions, globalFlags, optionFlags} from '../../src/cli/arguments/flag-table.js'
import {normalizeArguments} from '../../src/cli/arguments/powershell-arguments.js'
import {specOf} from '../../src/cli/arguments/run-command-line.js'
import type {Layered} from '../../src/config/options/layers.js'
import type {Decided} from '../../src/config/model.js'
import type {GivenOptions, Option} from '../../src/config/options/options.js'
import {ADMINISTRATORS_ONLY, ADMINISTRATORS_ONLY_FILE} from '../../src/host/security/security.js'
import type {Files} from '../../src/machine/files.js'
import {surveyOver} from '../../src/machine/survey.js'
import type {Win32} from '../../src/machine/win32.js'
import {readConfiguration} from '../../src/runs/configuration.js'
import {handClock} from '../fakes/hand-clock.js'
import {memoryFiles} from '../fakes/memory-files.js'
import {only} from '../fakes/partial.js'

export const FILE = String.raw`C:\given\node.yaml`
export const storedIn = (baseDir: string): string => String.raw`${baseDir}\k8s-win\node.yaml`

export interface Sources {
  readonly argv?: readonly string[]
  readonly dockerHost?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly files?: Files
  /** By path. */
  readonly texts?: Readonly<Record<string, string | Buffer>>
  readonly sddl?: string
}

/** As the program reads a command line. */
export async function typed(argv: readonly string[]): Promise<GivenOptions> {
  const flags = {...optionFlags, ...globalFlags}
  const {argv: normal, problems} = normalizeArguments(argv, specOf('setup', flags))
  if (problems.length > 0) throw problems[0] as Error
  return givenOptions(await Parser.parse([...normal], {flags}))
}

export async function configured(sources: Sources): Promise<Layered & {config: Decided}> {
  const {argv = [], dockerHost, environment = {}, sddl = ADMINISTRATORS_ONLY_FILE, texts = {}} = sources
  const files = sources.files ?? memoryFiles(texts)
  const config = await readConfiguration({
    dockerHost,
    environment,
    flags: await typed(argv),
    machine: {
      clock: handClock(0),
      files,
      win32: only<Win32>('win32', {
        drive: () => Promise.resolve(undefined),
        accountSid: async () => 'S-1-5-21-1-2-3-500',
        isAdministrator: async () => true,
        survey: surveyOver(
          memoryFiles(texts),
          async (path) => (path.endsWith('.yaml') ? sddl : ADMINISTRATORS_ONLY),
          win32.join,
        ),
      }),
    },
    signal: new AbortController().signal,
  })
  return {...config.origin, config}
}

/** Without a server no other option of joining can be used. */
export const SERVER = 'https://10.0.0.1:6443'

/** A file that says this of one option, and what it needs. */
export function fileWith(option: Option, value: string): string {
  const leaf =
    option.kind === 'switch'
      ? value === 'true'
      : option.kind === 'text'
        ? value
        : option.kind === 'pairs' || option.kind === 'arguments'
          ? pair(value)
          : [value]
  const isOfJoin = /^join\.(?!server$)/.test(option.key ?? '')
  const [last = '', ...above] = (option.key ?? '').split('.').reverse()
  const beside = {...(isOfJoin && {server: SERVER}), [last]: leaf}
  const tree = above.reduce<unknown>((below, key) => ({[key]: below}), beside)
  return stringify(
    {apiVersion: 'k8s-win/v1', kind: 'NodeConfig', ...(tree as object)},
    {defaultStringType: 'QUOTE_DOUBLE'},
  )
}

function pair(text: string): Record<string, string> {
  const end = text.indexOf('=')
  return {[text.slice(0, end)]: text.slice(end + 1)}
}
