// What options name of this machine: embedded in the script where it is small and no secret, and refused otherwise.
import {type GivenOptions, type OptionFlag, optionOf} from '../../config/options/options.js'
import type {Whereabouts} from '../../config/options/layers.js'
import {badValue} from '../../errors/input.js'
import {type K8sWinError, UnusableFileError} from '../../errors/k8s-win-error.js'
import {userdataSecret} from '../../errors/userdata.js'
import {readUserFile} from '../../host/cluster/kubeconfig-file.js'
import {FileError, type Files} from '../../machine/files.js'
import type {ScriptFile} from './script.js'

/** By option: their names on the host. */
export const EMBEDDED: Readonly<Partial<Record<OptionFlag, string>>> = {
  'client-ca-file': 'client-ca.pem',
  config: 'node.yaml',
}
const LARGEST = 64 * 1024

/** The token, and every other local file: kubeconfigs and registries have credentials. */
const isSecret = (flag: OptionFlag): boolean =>
  flag === 'token' || (optionOf(flag).path === true && EMBEDDED[flag] === undefined)

const isToken = (flag: OptionFlag): boolean => flag === 'token' || flag === 'token-file'

function adviceFor(flag: OptionFlag): string {
  if (isToken(flag))
    return 'Pass --token-from, so that the node fetches the token itself. To put the token into the user data nevertheless, add --inline-secret.'
  if (flag.endsWith('kubeconfig'))
    return 'Pass --kubeconfig-from, so that the node fetches the kubeconfig itself, or join the cluster with --server and --token-from.'
  return `Remove it. Copy the files into the image of the virtual machine, and run "k8s-win setup --${flag} <path>" there.`
}

interface Judged {
  readonly given: GivenOptions
  readonly inlineToken: boolean
  readonly readers: string
  readonly where: Whereabouts
}

export function secretProblems({given, inlineToken, readers, where}: Judged): K8sWinError[] {
  const flags = (Object.keys(given) as OptionFlag[]).filter((flag) => isSecret(flag) && !(inlineToken && isToken(flag)))
  return flags.map((flag) =>
    userdataSecret({advice: adviceFor(flag), readers, where: String(where[flag] ?? `--${flag}`)}),
  )
}

/** A value of the configuration file is embedded too: its path would be one of this machine. */
export async function embeddedFile(
  files: Files,
  flag: OptionFlag,
  path: string,
  name: string,
): Promise<K8sWinError | ScriptFile> {
  const refused = (reason: string): K8sWinError =>
    badValue({flag, reason, value: path, wanted: `a file of at most ${LARGEST / 1024} KiB`, where: `--${flag}`})
  try {
    const content = await readUserFile(files, path, LARGEST)
    if (content === undefined) return refused('It does not exist.')
    return content.includes('PRIVATE KEY') ? refused('It contains a private key.') : {content, name}
  } catch (error) {
    if (error instanceof FileError) return refused(`It cannot be read (${error.code}).`)
    if (error instanceof UnusableFileError) return refused(`It cannot be used: ${error.message}.`)
    throw error
  }
}
