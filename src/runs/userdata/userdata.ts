// userdata: options of setup as a script for a cloud's launcher. Reads local files, and changes nothing.
import type {Launcher} from '../../config/launchers.js'
import type {Asked} from '../../config/model.js'
import {Resolver} from '../../config/options/option-resolver.js'
import type {Given, GivenOptions, OptionFlag} from '../../config/options/options.js'
import {launcher as parseLauncher} from '../../config/options/parse-option.js'
import {secretForm} from '../../config/options/secret-source.js'
import {
  type OwnFlag,
  OWN_OPTIONS,
  programDigest,
  programUrl,
  SETUP_OPTIONS,
  USERDATA_CLOUDS,
  type UserdataCloud,
  type UserdataFormat,
  userdataFormat,
  volumeFile,
} from '../../config/options/userdata-options.js'
import type {Whereabouts} from '../../config/options/layers.js'
import {badValue} from '../../errors/input.js'
import {K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import {badChoice, contradictingFlags, missingCloud, missingFlag} from '../../errors/usage.js'
import {userdataTooLarge, userdataUnquotable} from '../../errors/userdata.js'
import {readToken} from '../../host/cluster/join-token.js'
import {openTrust, trustedFilesOf} from '../../host/security/trust.js'
import {inTime} from '../../host/wait.js'
import type {StandardInput} from '../../machine/standard-input.js'
import {readAsked} from '../configuration.js'
import {argumentsOf} from '../detach/request-arguments.js'
import {restartsWindowsUnder} from '../launcher/restart-windows.js'
import type {Session} from '../run.js'
import {type CloudRow, LONGEST_LINE, starterOf, USERDATA_ROWS} from './clouds.js'
import {EMBEDDED, embeddedFile, folderProblems, secretProblems} from './embed.js'
import {userdataText} from './formats.js'
import {batchWord, whyNotQuotable} from './quote.js'
import {type ScriptFile, type ScriptInput, scriptLines} from './script.js'

export interface UserdataRequest extends Pick<Session, 'machine' | 'redactor' | 'signal'> {
  readonly cloud: string
  /** The options of setup on the command line. Variables of this machine are not for the other one. */
  readonly given: GivenOptions
  readonly input: StandardInput
  readonly own: Given<OwnFlag>
}

/** `userdata`: --output json and ndjson. */
export interface UserdataDocument {
  readonly cloud: UserdataCloud
  readonly format: UserdataFormat
  /** The file of --iso, where the volume was written. */
  readonly iso?: string
  readonly launcher: Launcher
  readonly schemaVersion: 1
  readonly simulated: boolean
  readonly userdata: string
  readonly warnings: readonly string[]
}

const READ_MS = 60_000
/** Not handed on as they are: what they name is embedded, or chosen by the cloud. */
const LEFT: readonly OptionFlag[] = ['client-ca-file', 'config', 'launcher', 'token', 'token-file']

/** Throws a ProblemsError with everything that is wrong. */
export async function makeUserdata(request: UserdataRequest): Promise<UserdataDocument> {
  const {given, machine, own, signal} = request
  const options = new Resolver(OWN_OPTIONS, {given: own})
  const problems: K8sWinError[] = options.problems
  const chosen = chooseForm(request, options)
  const url = required(options, 'program-url', programUrl)
  const digest = required(options, 'program-digest', programDigest)
  const asked = await readAsked({environment: {}, flags: given, machine, signal, withStored: false}).catch(
    (error: unknown) => {
      if (!(error instanceof ProblemsError)) throw error
      problems.push(...error.problems)
    },
  )
  const {given: all, where} = asked?.origin ?? {given, where: {}}
  const isInline = String(own['inline-secret']) === 'true'
  problems.push(...folderProblems(all))
  if (chosen) problems.push(...secretProblems({given: all, isInline, row: chosen.row, where}))
  if (chosen && asked) problems.push(...storeProblems(asked, chosen, where))
  if (isInline && all.token === undefined && all['token-file'] === undefined) problems.push(nothingInline(all))
  const {config: _, ...others} = all
  // A configuration file that cannot be used is reported by then.
  const named = asked ? all : others
  const files = await inTime(machine.clock, READ_MS, [signal], () => filesOf(named, request, problems))
  const words = chosen && wordsOf(given, named, chosen, files, problems)
  if (!asked || !chosen || !words || url === undefined || digest === undefined || problems.length > 0)
    throw new ProblemsError(problems)

  const token = await tokenOf(asked, request)
  const {readers} = chosen.row
  const warnings = [
    token !== undefined &&
      `The token is in the user data. It can be read by ${readers}. Let it expire as soon as the node has joined`,
    url.includes('?') && `The address of k8s-win.exe has a query. It can be read by ${readers}`,
    all['registry-config'] !== undefined &&
      '--registry-config names a folder of the node, which the image must have: it is not in the user data',
    chosen.row.everyStart === true &&
      all.release !== undefined &&
      `The script runs at every start of Windows, and installs ${String(all.release)} again on a node that was upgraded. Change the user data of its machine first`,
    ...missingOf(asked),
  ].filter((warning) => warning !== false)
  const userdata = textOf(chosen, {digest, files, token, url: batchWord(url), words})
  const {cloud, format, launcher} = chosen
  return {cloud, format, launcher, schemaVersion: 1, simulated: machine.simulated, userdata, warnings}
}

function nothingInline(given: GivenOptions): K8sWinError {
  const fetched = (['token-from', 'kubeconfig-from'] as const).find((flag) => given[flag] !== undefined)
  return fetched === undefined
    ? missingFlag({flag: '--token-file', value: '<file>, or remove --inline-secret'})
    : contradictingFlags({one: '--inline-secret', other: `--${fetched}`})
}

/** No cloud gives the identity of another. */
function storeProblems({join, kubeconfigFrom}: Asked, {cloud, row: {stores}}: Form, where: Whereabouts): K8sWinError[] {
  const sources = [['token-from', join?.tokenFrom] as const, ['kubeconfig-from', kubeconfigFrom] as const]
  return sources.flatMap(([flag, source]) => {
    if (source === undefined || stores.includes(source.service)) return []
    const reason = `A virtual machine of ${cloud} has no identity for this secret store.`
    const forms = stores.map(secretForm).join(' or ')
    const wanted = forms === '' ? 'no secret store: pass --token-file and --inline-secret' : forms
    return [badValue({flag, reason, value: source.text, wanted, where: String(where[flag] ?? `--${flag}`)})]
  })
}

/** What setup would not find on a new machine. */
function missingOf({join, kubeconfigFrom}: Asked): string[] {
  if (!join && !kubeconfigFrom)
    return ['No option says how the node joins: the image must have a kubeconfig where setup looks for it']
  if (!join || join.token !== undefined || join.tokenFile !== undefined || join.tokenFrom) return []
  return ['There is no token: the node can join only where its environment has K8S_WIN_TOKEN']
}

interface Form extends Pick<UserdataDocument, 'cloud' | 'format' | 'launcher'> {
  readonly row: CloudRow
}

/** Undefined where the cloud is none. */
function chooseForm({cloud: named, given, own}: UserdataRequest, options: Resolver<OwnFlag>): Form | undefined {
  const {problems} = options
  const demand = <T extends string>(flag: string, value: T | undefined, choices: readonly T[]): T => {
    const [first] = choices
    if (value !== undefined && !choices.includes(value))
      problems.push(badChoice({choices: choices.join(', '), flag, value}))
    return value ?? (first as T)
  }
  const format = options.given('format', userdataFormat)
  options.given('iso', volumeFile)
  const cloud = USERDATA_CLOUDS.find((name) => name === named)
  if (cloud === undefined) {
    const choices = USERDATA_CLOUDS.join(', ')
    problems.push(named === '' ? missingCloud({choices}) : badChoice({choices, flag: 'The cloud', value: named}))
    return undefined
  }
  const row = USERDATA_ROWS[cloud]
  if (own.iso === undefined && cloud === 'hyperv') problems.push(missingFlag({flag: '--iso', value: '<file>'}))
  if (own.iso !== undefined && row.iso === undefined)
    problems.push(badChoice({choices: 'openstack, vsphere, hyperv', flag: 'The cloud of --iso', value: cloud}))
  // What is in a volume needs no other container.
  const formats = own.iso === undefined ? row.formats : row.formats.filter((name) => name !== 'guestinfo')
  const parsed = given.launcher === undefined ? undefined : parseLauncher(String(given.launcher))
  return {
    cloud,
    format: demand('--format', format, formats),
    launcher: demand('--launcher', parsed && 'value' in parsed ? parsed.value : undefined, row.launchers),
    row,
  }
}

function required(
  options: Resolver<OwnFlag>,
  flag: 'program-digest' | 'program-url',
  parse: typeof programUrl,
): string | undefined {
  const value = OWN_OPTIONS.find((option) => option.flag === flag)?.value ?? ''
  if (options.text(flag) === undefined) options.problems.push(missingFlag({flag: `--${flag}`, value}))
  return options.given(flag, parse)
}

async function filesOf(given: GivenOptions, {machine}: UserdataRequest, problems: K8sWinError[]) {
  const files = trustedFilesOf(machine)
  const found: (ScriptFile & {readonly flag: string})[] = []
  for (const [flag, name] of Object.entries(EMBEDDED) as [OptionFlag, string][]) {
    const path = given[flag]
    if (path === undefined) continue
    const file = await embeddedFile(files, flag, String(path), name)
    if (file instanceof K8sWinError) problems.push(file)
    else found.push({...file, flag})
  }
  return found
}

/** `all`: also what the embedded configuration file says. In the order of the table, so that the same options make the same script. */
function wordsOf(
  given: GivenOptions,
  all: GivenOptions,
  {launcher}: Form,
  files: readonly {readonly flag: string; readonly name: string}[],
  problems: K8sWinError[],
): string[] {
  const handedOn = SETUP_OPTIONS.flatMap(({flag}) => (LEFT.includes(flag) ? [] : [[flag, given[flag]] as const]))
  const isOpen = all['allow-restart'] === undefined
  const restarts = isOpen && restartsWindowsUnder(launcher) ? {'allow-restart': true} : {}
  const texts = argumentsOf({launcher, ...Object.fromEntries(handedOn), ...restarts})
  for (const text of texts) {
    const reason = whyNotQuotable(text)
    const [, where = '', value = ''] = /^(--[^=]*)=?([^]*)$/.exec(text) ?? []
    if (reason !== undefined) problems.push(userdataUnquotable({reason, value, where}))
  }
  return [...texts.map(batchWord), ...files.map(({flag, name}) => `"--${flag}=%folder%\\${name}"`)]
}

type Content = Omit<ScriptInput, 'notFetched' | 'retryIsRestart'>

function textOf({cloud, format, launcher, row}: Form, content: Content): string {
  const lines = scriptLines({
    ...content,
    // 1002: again at the next start of Windows. In a cloud-config only 1003 does that, which restarts Windows every time.
    notFetched: starterOf(cloud, launcher) === 'cloudbase-init' && format !== 'cloud-config' ? 1002 : 4,
    retryIsRestart: launcher === 'cloudbase-init' && format === 'cloud-config',
  })
  const longest = Math.max(...lines.map(({length}) => length))
  const text = userdataText(cloud, format, lines)
  if (longest > LONGEST_LINE) throw tooLarge('A line of the script', longest, LONGEST_LINE)
  if (row.limit !== undefined && text.length > row.limit) throw tooLarge('The user data', text.length, row.limit)
  return text
}

const tooLarge = (what: string, size: number, limit: number): K8sWinError =>
  userdataTooLarge({limit: `${limit} characters`, size: String(size), what})

async function tokenOf({join}: Asked, request: UserdataRequest): Promise<string | undefined> {
  const {input, machine, redactor, signal} = request
  if (!join || (join.token === undefined && join.tokenFile === undefined)) return undefined
  const {clock, files, win32} = machine
  const host = {clock, files, trust: openTrust(win32)}
  return readToken({host, input, register: redactor.register, warn() {}}, join, signal)
}
