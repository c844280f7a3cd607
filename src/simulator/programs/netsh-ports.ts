// netsh.exe interface ipv4 show dynamicport and excludedportrange, as an English system prints them
// (listings in docker/for-win#1707 and #3171).
import {sameName} from '../windows/names.js'
import type {World} from '../world.js'
import type {ProgramOutput} from './output.js'
import {windowsLines} from './output.js'

const DYNAMIC = {count: 16_384, first: 49_152}

/** Undefined where something else is asked for. */
export function showPorts(world: World, args: readonly string[]): ProgramOutput | undefined {
  const [area = '', family = '', verb = '', what = '', protocol = ''] = args
  const isAsked = sameName(area, 'interface') && sameName(family, 'ipv4') && sameName(verb, 'show')
  const [, name] = /^(?:protocol=)?(tcp|udp)$/.exec(protocol.toLowerCase()) ?? []
  if (!isAsked || name === undefined) return undefined
  if (sameName(what, 'dynamicport')) {
    const rows = [`Start Port      : ${DYNAMIC.first}`, `Number of Ports : ${DYNAMIC.count}`]
    return printed(`Protocol ${name} Dynamic Port Range`, '---------------------------------', ...rows)
  }
  if (!sameName(what, 'excludedportrange')) return undefined
  const rows = (name === 'tcp' ? (world.os.excludedPorts ?? []) : []).map(
    ({from, to}) => `${String(from).padStart(10)}${String(to).padStart(12)}      `,
  )
  const head = [
    `Protocol ${name} Port Exclusion Ranges`,
    '',
    'Start Port    End Port      ',
    '----------    --------      ',
  ]
  return printed(...head, ...rows, '', '* - Administered port exclusions.')
}

const printed = (...lines: readonly string[]): ProgramOutput => ({exitCode: 0, stdout: windowsLines('', ...lines, '')})
