// The bootstrap token of a run: from its option or variable, a file, or standard input. Hidden before it is judged.
import type {JoinOptions, SecretSource} from '../../config/model.js'
import {secretsOf, whyNoToken} from '../../config/options/parse-join.js'
import {decodeText} from '../../config/yaml.js'
import {joinTokenFile, joinTokenMissing} from '../../errors/join.js'
import {UnusableFileError} from '../../errors/k8s-win-error.js'
import {DeadlineError} from '../../machine/clock.js'
import {FileError} from '../../machine/files.js'
import type {StandardInput} from '../../machine/standard-input.js'
import type {Host} from '../host.js'
import {readersOf} from '../security/readers.js'
import {trustedFiles} from '../security/trust.js'
import {orAborted} from '../wait.js'
import {readUserFile} from './kubeconfig-file.js'

/** A token has 23 characters; a file of this size is something else. */
const LARGEST = 4096
const FILE_MS = 30_000
/** It may be typed; and PowerShell starts the program at the end of a pipeline before Read-Host at its beginning has asked. */
const INPUT_MS = 300_000
const STANDARD_INPUT = '-'

export interface TokenSource {
  /** Absent where nothing is fetched from a secret store: doctor and "config show" only read this host and its cluster. */
  readonly fetch?: ((source: SecretSource) => Promise<string>) | undefined
  /** Without `security`, where files have no access lists of Windows, it is not known who else can read the file. */
  readonly host: Partial<Pick<Host, 'security'>> & Pick<Host, 'clock' | 'files' | 'trust'>
  /** Absent where the process has none. */
  readonly input?: StandardInput | undefined
  /** Called with every text that must be hidden from now on. */
  readonly register: (secret: string) => void
  readonly warn: (message: string) => void
}

/** Rejects with an error of joining or of trust, or with the signal's reason. */
export async function readToken(
  source: TokenSource,
  {server, token, tokenFile, tokenFrom}: Pick<JoinOptions, 'server' | 'token' | 'tokenFile' | 'tokenFrom'>,
  signal: AbortSignal,
): Promise<string> {
  if (token !== undefined) return hidden(token, source)
  if (tokenFrom && source.fetch) {
    const text = hidden((await source.fetch(tokenFrom)).trim(), source)
    const problem = whyNoToken(text)
    if (problem === undefined) return text
    const advice = 'Store the token (6 characters, a dot, 16 characters) there, or name its key after a #.'
    throw joinTokenFile({advice, path: tokenFrom.text, reason: `It is not a bootstrap token. ${problem}`})
  }
  if (tokenFile === undefined) throw joinTokenMissing({options: '', reason: 'it has none yet', server})
  const isInput = tokenFile === STANDARD_INPUT
  const patienceMs = isInput ? INPUT_MS : FILE_MS
  const deadline = source.host.clock.deadline(patienceMs)
  const path = isInput ? 'standard input' : tokenFile
  const advice = isInput
    ? 'Type the token when -TokenFile - asks for it, pipe it into the command, or pass the path of a file.'
    : 'Write only the token (6 characters, a dot, 16 characters) into a file that administrators alone can read, and pass the path of that file to --token-file.'
  const unusable = (reason: string): Error => joinTokenFile({advice, path, reason})
  try {
    const either = AbortSignal.any([signal, deadline.signal])
    const content = await orAborted(isInput ? fromInput(source, either) : fromFile(source, tokenFile), either)
    const text = hidden(decodeText(content).trim(), source)
    const problem = whyNoToken(text)
    if (problem !== undefined) throw unusable(`It does not contain a bootstrap token. ${problem}`)
    return text
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof UnusableFileError) throw unusable(sentence(error.message))
    if (error instanceof FileError) throw unusable(`It cannot be read (${error.code}).`)
    if (error instanceof DeadlineError) throw unusable(`No token arrived within ${patienceMs / 1000} s.`)
    throw error
  } finally {
    deadline.cancel()
  }
}

function hidden(text: string, {register}: TokenSource): string {
  for (const secret of secretsOf(text)) register(secret)
  return text
}

async function fromInput({input}: TokenSource, signal: AbortSignal): Promise<Buffer> {
  const content = (await input?.read(LARGEST, signal, 'Bootstrap token (not shown): ')) ?? Buffer.alloc(0)
  if (content.length > LARGEST) throw new UnusableFileError(`it has more than ${LARGEST / 1024} KiB`)
  return content
}

/** A file that others can write is refused: whoever chooses the token chooses the cluster, where no hash is given. */
async function fromFile({host, warn}: TokenSource, path: string): Promise<Buffer> {
  const content = await readUserFile(trustedFiles(host.files, host.trust), path, LARGEST)
  if (content === undefined) throw new UnusableFileError('it does not exist')
  const readers = host.security ? await readersOf(host.security, path) : ''
  if (readers !== '') {
    const others = `${readers} can read the token in ${path}, and join the cluster with it.`
    warn(`${others} Delete the file when the node is Ready, or use one that only administrators can read`)
  }
  return content
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
