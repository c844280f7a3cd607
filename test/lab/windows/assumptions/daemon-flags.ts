// The flags of the installed kubelet and kube-proxy, as they print them, beside the simulator's lists.
import {win32 as windowsPath} from 'node:path'
import {layoutOf} from '../../../../src/config/layout.js'
import type {Machine} from '../../../../src/machine/machine.js'
import {ProgramNotFoundError} from '../../../../src/machine/run.js'
import type {FlagSet} from '../../../../src/simulator/daemons/flags.js'
import {kubeletFlags, kubeProxyFlags} from '../../../../src/simulator/daemons/releases.js'
import {asAssumed, compared, notSettled, type Settler} from './settler.js'

const DAEMONS: readonly (readonly [string, (minor: number) => FlagSet])[] = [
  ['kubelet', kubeletFlags],
  ['kube-proxy', kubeProxyFlags],
]

export const daemonFlags: Settler = async ({baseDir, machine}) => {
  const differences: string[] = []
  const versions: string[] = []
  for (const [name, flagsOf] of DAEMONS) {
    const program = windowsPath.join(layoutOf(baseDir).binaries, `${name}.exe`)
    const version = await output(machine, program, '--version')
    if (version === undefined) return notSettled(`there is no ${program}: run k8s-win setup first`)
    const minor = Number(/v1\.(\d+)\./.exec(version)?.[1])
    if (!minor) return notSettled(`${program} --version tells no version`)
    versions.push(`${name} 1.${minor}`)
    const told = flagNames((await output(machine, program, '--help')) ?? '')
    const listed = new Set(flagsOf(minor).keys())
    differences.push(...[...told].filter((flag) => !listed.has(flag)).map((flag) => `${name} also has --${flag}`))
    differences.push(...[...listed].filter((flag) => !told.has(flag)).map((flag) => `${name} does not print --${flag}`))
  }

  return differences.length === 0
    ? asAssumed(`${versions.join(', ')}: the same flags`)
    : compared(false, differences.join(', '), `the lists of the simulator for ${versions.join(', ')}`)
}

/** pflag prints a flag a line: six blanks, or a letter and a comma, before two hyphens. */
export function flagNames(help: string): Set<string> {
  return new Set([...help.matchAll(/^ {2,}(?:-\w, )?--([a-z0-9][a-z0-9-]*)/gm)].map(([, name]) => name!))
}

async function output(machine: Machine, program: string, flag: string): Promise<string | undefined> {
  try {
    const {stderr, stdout} = await machine.run(program, [flag], {deadlineMs: 30_000, effect: 'read'})
    return `${stdout}\n${stderr}`
  } catch (error) {
    if (error instanceof ProgramNotFoundError) return undefined
    throw error
  }
}
