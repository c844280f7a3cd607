// What options name of this machine: embedded in the script where it is small and no secret, and refused otherwise.
import {type GivenOptions, type OptionFlag, optionOf} from '../../config/options/options.js'
import type {Whereabouts} from '../../config/options/layers.js'
import {readConfigFile} from '../../config/options/config-file.js'
import {configText} from '../../config/options/stored-config.js'
import {secretForm} from '../../config/options/secret-source.js'
import {decodeText} from '../../config/yaml.js'
import {badValue} from '../../errors/input.js'
import {type K8sWinError, UnusableFileError} from '../../errors/k8s-win-error.js'
import {userdataSecret} from '../../errors/userdata.js'
import {readAllAuthorities} from '../../host/cluster/key-material.js'
import {readUserFile} from '../../host/cluster/kubeconfig-file.js'
import {FileError, type Files} from '../../machine/files.js'
import type {CloudRow} from './clouds.js'
import type {ScriptFile} from './script.js'

/** By option: their names on the host. */
export const EMBEDDED: Readonly<Partial<Record<OptionFlag, string>>> = {
  'client-ca-file': 'client-ca.pem',
  config: 'node.yaml',
}
const LARGEST = 64 * 1024
/** What names a file of this machine, or is chosen by the cloud: the script has flags or a variable for it. */
const FLAGS_OF_SCRIPT: readonly OptionFlag[] = ['client-ca-file', 'launcher', 'token-file']
/** A bootstrap token, in any value. Not the end or the beginning of a host's name, such as mirror.internalregistry.com. */
const TOKEN = /(?<!\w|\w[.-])[\da-z]{6}\.[\da-z]{16}(?!\w|[.-]\w)/

/** A folder of the node: certs.d has headers with passwords, and is in the image. */
const ON_NODE: readonly OptionFlag[] = ['registry-config']

const isToken = (flag: OptionFlag): boolean => flag === 'token' || flag === 'token-file'

/** The token, and every other local file: kubeconfigs have credentials. */
const isSecret = (flag: OptionFlag): boolean =>
  flag === 'token' || (optionOf(flag).path === true && EMBEDDED[flag] === undefined && !ON_NODE.includes(flag))

function adviceFor(flag: OptionFlag, {isCommandLine, stores}: CloudRow): string {
  const [store] = stores
  const inline = 'add --inline-secret, which puts the token into the user data. Let it expire soon.'
  if (!isToken(flag)) {
    return store === undefined
      ? `Remove it, and join the cluster with --server and --token-file: ${inline}`
      : 'Pass --kubeconfig-from, so that the node fetches the kubeconfig itself, or join the cluster with --server and --token-from.'
  }
  if (store === undefined) return `There is no secret store for these machines: ${inline}`
  const from = `Pass --token-from ${secretForm(store)}, so that the node fetches the token itself.`
  return isCommandLine ? from : `${from} Otherwise ${inline}`
}

interface Judged {
  readonly given: GivenOptions
  readonly isInline: boolean
  readonly row: CloudRow
  readonly where: Whereabouts
}

export function secretProblems({given, isInline, row, where}: Judged): K8sWinError[] {
  const isAllowed = (flag: OptionFlag): boolean => isInline && !row.isCommandLine && isToken(flag)
  const flags = (Object.keys(given) as OptionFlag[]).filter((flag) => isSecret(flag) && !isAllowed(flag))
  return flags.map((flag) =>
    userdataSecret({advice: adviceFor(flag, row), readers: row.readers, where: String(where[flag] ?? `--${flag}`)}),
  )
}

/** A folder that the image must have is named as the node names it. */
export function folderProblems(given: GivenOptions): K8sWinError[] {
  return ON_NODE.flatMap((flag) => {
    const value = given[flag]
    if (value === undefined || /^[a-z]:[\\/]/i.test(String(value))) return []
    const reason = 'It is a folder of the node, which the image must have: it is not in the user data.'
    return [
      badValue({flag, reason, value: String(value), wanted: String.raw`a path such as C:\certs.d`, where: `--${flag}`}),
    ]
  })
}

/** A value of the configuration file is embedded too: its path would be one of this machine. */
export async function embeddedFile(
  files: Files,
  flag: OptionFlag,
  path: string,
  name: string,
): Promise<K8sWinError | ScriptFile> {
  const what = flag === 'client-ca-file' ? 'with certificates alone (PEM)' : 'without secrets'
  const wanted = `a file ${what}, of at most ${LARGEST / 1024} KiB`
  const refused = (reason: string): K8sWinError => badValue({flag, reason, value: path, wanted, where: `--${flag}`})
  try {
    const content = await readUserFile(files, path, LARGEST)
    if (content === undefined) return refused('It does not exist.')
    const given = decodeText(content)
    const text = flag === 'config' ? writtenAnew(given, name) : given
    if (text.includes('PRIVATE KEY')) return refused('It contains a private key.')
    if (TOKEN.test(text)) return refused('It contains a bootstrap token.')
    // Nothing else of the file is for others to read.
    return {content: Buffer.from(flag === 'client-ca-file' ? readAllAuthorities(text) : text), name}
  } catch (error) {
    if (error instanceof FileError) return refused(`It cannot be read (${error.code}).`)
    if (error instanceof UnusableFileError) return refused(`It cannot be used: ${error.message}.`)
    throw error
  }
}

/** Without comments, which were written for those who have the file. A relative path stays one: of the folder on the node. */
function writtenAnew(text: string, name: string): string {
  const {given} = readConfigFile(text, name, 'file')
  return configText(
    Object.fromEntries(Object.entries(given).filter(([flag]) => !FLAGS_OF_SCRIPT.includes(flag as OptionFlag))),
  )
}
