// What a run that continues as a service is to do, in a file that only administrators can read: a service has neither the
// command line nor the environment of the session that it was started from. A bootstrap token has a file of its own, which
// is deleted when it is read; the fields that only a configuration file can have are in one.
import {win32 as windowsPath} from 'node:path'
import {layoutOf} from '../../config/layout.js'
import {isRecord} from '../../config/shape.js'
import {noRunRequested} from '../../errors/detach.js'
import {at, parseJson} from '../../host/document.js'
import type {Host} from '../../host/host.js'
import {ADMINISTRATORS_ONLY, ADMINISTRATORS_ONLY_FILE} from '../../host/security/security.js'
import {trustedFilesOf} from '../../host/security/trust.js'
import type {Files} from '../../machine/files.js'
import type {Machine} from '../../machine/machine.js'
import {writeRecord} from '../../pipeline/run/last-run.js'

const COMMANDS = ['recover', 'reset', 'setup', 'upgrade'] as const

export interface RunRequest {
  /** Without the command; each option with its value in one word. */
  readonly argv: readonly string[]
  readonly command: (typeof COMMANDS)[number]
  /** Proxies: a service has only those of the machine. */
  readonly environment: Readonly<Record<string, string>>
  /** It was begun before, and Windows has been started again since. */
  readonly isResumed?: boolean
}

/** What machine/real/http-proxy.ts reads, in any case, and the local pipe of Docker. */
const PASSED_ON = /^(?:https?_proxy|no_proxy|docker_host)$/i

export const passedOn = (environment: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      PASSED_ON.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  )

export async function writeRequest(
  {files, trust}: Pick<Host, 'files' | 'trust'>,
  baseDir: string,
  request: RunRequest,
  token: string | undefined,
  config?: string,
): Promise<void> {
  const {request: path, requestConfig, requestToken} = layoutOf(baseDir)
  const folder = windowsPath.dirname(path)
  await files.makeDirectory(folder, {security: ADMINISTRATORS_ONLY})
  await trust.demand(folder, 'folder')
  // Before the request: a run never finds one without its token.
  if (token === undefined) await files.remove(requestToken)
  else await writeToken(files, baseDir, token)
  if (config === undefined) await files.remove(requestConfig)
  else await files.write(requestConfig, config, {sddl: ADMINISTRATORS_ONLY_FILE})
  await writeRecord(files, path, {...request, schemaVersion: 1})
}

/** Into the folder of the request, which only administrators can change. */
export const writeToken = (files: Pick<Files, 'write'>, baseDir: string, token: string): Promise<void> =>
  files.write(layoutOf(baseDir).requestToken, token, {sddl: ADMINISTRATORS_ONLY_FILE})

/** Deletes the token. The request stays until its run has ended: one that was killed is continued at the next start. */
export async function readRequest(
  machine: Pick<Machine, 'files' | 'win32'>,
  baseDir: string,
): Promise<{readonly request: RunRequest; readonly token: string | undefined}> {
  const {request: path, requestToken} = layoutOf(baseDir)
  const files = trustedFilesOf(machine)
  const request = await readFrom(files, path)
  if (request === undefined) throw noRunRequested({path, reason: 'does not exist'})
  if (request === 'damaged') throw noRunRequested({path, reason: 'is damaged'})
  const token = (await files.read(requestToken))?.toString('utf8')
  await machine.files.remove(requestToken)
  // Whoever reads it again does so at a later start.
  if (request.isResumed !== true)
    await writeRecord(machine.files, path, {...request, isResumed: true, schemaVersion: 1})
  return {request, token}
}

async function readFrom(files: Pick<Files, 'read'>, path: string): Promise<'damaged' | RunRequest | undefined> {
  const content = await files.read(path)
  return content && (checked(parseJson(content.toString('utf8'))) ?? 'damaged')
}

/** Without the token, which stays where it is. Undefined where there is none that could be run. */
export async function peekRequest(
  machine: Pick<Machine, 'files' | 'win32'>,
  baseDir: string,
): Promise<RunRequest | undefined> {
  const request = await readFrom(trustedFilesOf(machine), layoutOf(baseDir).request).catch(() => undefined)
  return request === 'damaged' ? undefined : request
}

export async function removeRequest({files}: Pick<Machine, 'files'>, baseDir: string): Promise<void> {
  const {request, requestConfig, requestToken} = layoutOf(baseDir)
  for (const path of [requestToken, requestConfig, request]) await files.remove(path)
}

/** Undefined for what k8s-win would not write. */
function checked(value: unknown): RunRequest | undefined {
  const [argv, environment] = [at(value, 'argv'), at(value, 'environment')]
  const command = COMMANDS.find((name) => name === at(value, 'command'))
  if (at(value, 'schemaVersion') !== 1 || !command || !Array.isArray(argv) || !isRecord(environment)) return undefined
  const isText = (one: unknown): one is string => typeof one === 'string'
  if (!argv.every(isText) || !Object.values(environment).every(isText)) return undefined
  const isResumed = at(value, 'isResumed') === true
  return {
    argv,
    command,
    environment: passedOn(environment as Record<string, string>),
    ...(isResumed && {isResumed}),
  }
}
