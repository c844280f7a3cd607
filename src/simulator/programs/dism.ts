// dism.exe, as far as k8s-win uses it: /Get-FeatureInfo and /Enable-Feature of the running Windows. Its codes: winerror.h (87,
// 740, 3010) and the CBS errors of the Windows SDK (0x800f080c, 0x800f081f). The feature Containers needs a restart
// (learn.microsoft.com, "Prep Windows operating system containers"); the texts are those of the assumption dism-feature.
import {type ProgramOutput, type Stage, windowsLines} from '../model.js'
import {hasContainers, installContainers, pendContainers} from '../windows/features.js'
import type {World} from '../world.js'

const CONTAINERS = 'Containers'
/** About what it takes on a small virtual machine. */
const ENABLE_MS = 40_000
const QUERY_MS = 3000
const OPTIONS = /^\/(?:all|enable-feature|english|featurename:.+|get-featureinfo|norestart|online|quiet)$/i
const UNKNOWN_FEATURE = 0x80_0f_08_0c

const HEAD = ['', 'Deployment Image Servicing and Management tool', '']
const said = (exitCode: number, ...lines: readonly string[]): ProgramOutput => ({
  exitCode,
  stdout: windowsLines(...HEAD, ...lines),
})

function failed(code: number, ...lines: readonly string[]): ProgramOutput {
  const text = code > 0xff_ff ? `0x${code.toString(16)}` : String(code)
  return said(
    code,
    `Error: ${text}`,
    '',
    ...lines,
    '',
    String.raw`The DISM log file can be found at C:\Windows\Logs\DISM\dism.log`,
  )
}

export async function runDism(stage: Stage, args: readonly string[]): Promise<ProgramOutput> {
  const {world} = stage
  if (!world.os.administrator) {
    return failed(740, 'Elevated permissions are required to run DISM.')
  }
  const unknown = args.find((arg) => !OPTIONS.test(arg))
  if (unknown !== undefined)
    return failed(87, `The ${unknown.replace(/^\/([^:]*).*/s, '$1').toLowerCase()} option is unknown.`)
  const has = (option: string): boolean => args.some((arg) => arg.toLowerCase() === option)
  const [, name = ''] = /^\/featurename:(.+)$/i.exec(args.find((arg) => /^\/featurename:/i.test(arg)) ?? '') ?? []
  if (!has('/online') || has('/get-featureinfo') === has('/enable-feature')) return failed(87, 'An option is missing.')
  if (name.toLowerCase() !== CONTAINERS.toLowerCase()) {
    return failed(UNKNOWN_FEATURE, `Feature name ${name} is unknown.`)
  }
  if (has('/enable-feature')) return enable(stage)
  await stage.elapse(QUERY_MS)
  const done = 'The operation completed successfully.'
  return said(0, `Feature Name : ${CONTAINERS}`, 'Restart Required : Possible', `State : ${stateOf(world)}`, '', done)
}

function stateOf(world: World): string {
  if (hasContainers(world)) return 'Enabled'
  return world.os.features?.containers === 'pending' ? 'Enable Pending' : 'Disabled'
}

async function enable(stage: Stage): Promise<ProgramOutput> {
  const {world} = stage
  const {failure, restart = true} = world.os.features ?? {}
  await stage.elapse(ENABLE_MS)
  if (failure !== undefined) return failed(failure, 'The feature could not be enabled.')
  if (hasContainers(world)) return said(0, 'The operation completed successfully.')
  if (restart) pendContainers(world)
  else installContainers(world)
  return said(restart ? 3010 : 0, 'Enabling feature(s)', 'The operation completed successfully.')
}
