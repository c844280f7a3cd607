// logs --bundle: chooses machine and target, makes the bundle, tells of it.
import {badValue} from '../errors/input.js'
import {type K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {contradictingFlags} from '../errors/usage.js'
import type {Files} from '../machine/files.js'
import type {Machine} from '../machine/machine.js'
import type {BundleReport} from '../runs/bundle.js'
import {chooseMachine} from './choose-machine.js'
import {type GlobalFlags, outputFormat, simulateDir} from './flag-table.js'
import {watchSignals} from './signals.js'

export interface BundleFlags extends GlobalFlags {
  readonly 'base-dir'?: string | undefined
  readonly bundle: string
  /** An existing file may be replaced. */
  readonly yes?: boolean | undefined
}

interface Package {
  readonly root: string
  readonly version: string
}

/** What says which lines of the logs to show; a bundle has all of them. */
const OF_LINES = [
  'follow',
  'tail',
  'since',
  'since-time',
  'until',
  'level',
  'grep',
  'exclude',
  'previous',
  'path',
] as const

/** Returns the exit code. `words`: those of the command line that belong to no flag. */
export async function writeBundle(
  flags: BundleFlags,
  {root, version}: Package,
  words: readonly string[],
): Promise<number> {
  demandSound(flags, words)
  // Read-only: otherwise the changes that another command makes to a simulated machine meanwhile would be lost.
  const {machine} = await chooseMachine(flags, process.platform, true)
  const [{runBundle}, {bundleDocument, bundleLines}, {redactor}, {openAssets}, {openRealMachine}, {join}] =
    await Promise.all([
      import('../runs/bundle.js'),
      import('../output/text/bundle-text.js'),
      import('./redactor.js'),
      import('../machine/real/assets.js'),
      import('../machine/real/index.js'),
      import('node:path'),
    ])
  const isSimulated = flags.simulate !== undefined
  // In a rehearsal what has a drive letter is on the simulated drive; anything else is a file of this machine.
  const isOurs = isSimulated && !/^[a-z]:|^[\\/]{2}/i.test(flags.bundle)
  const files = isOurs ? openRealMachine().files : await driveOf(flags, machine)
  const signals = watchSignals(process, () => process.stderr.write('Stopping; no bundle is written.\n'))
  let report: BundleReport
  try {
    report = await runBundle({
      assets: openAssets(root),
      baseDir: flags['base-dir'],
      dockerHost: isSimulated ? undefined : process.env.DOCKER_HOST,
      environment: process.env,
      machine,
      redactor,
      replace: flags.yes === true,
      signal: signals.signal,
      target: {files, path: flags.bundle},
      ...(isSimulated && {transcript: join(simulateDir(flags), 'transcript.ndjson')}),
      version,
    })
  } finally {
    signals.close()
  }

  const format = outputFormat(flags)
  const document = bundleDocument(report)
  if (format === 'text') process.stderr.write(`${bundleLines(report).join('\n')}\n`)
  else process.stdout.write(`${JSON.stringify(document, undefined, format === 'json' ? 2 : undefined)}\n`)
  return 0
}

/** The bundle itself is written, although the machine is opened read-only. */
async function driveOf(flags: BundleFlags, {files}: Machine): Promise<Files> {
  if (flags.simulate === undefined) return files
  const {openDrive} = await import('../simulator/drive.js')
  return openDrive(simulateDir(flags))
}

/** Also: what would be silently ignored was meant for something. */
function demandSound(
  flags: BundleFlags & Partial<Record<(typeof OF_LINES)[number], unknown>>,
  words: readonly string[],
): void {
  const others = [
    ...words.map((word) => `"${word}"`),
    ...OF_LINES.filter((name) => flags[name] !== undefined && flags[name] !== false).map((name) => `--${name}`),
  ]
  const problems = [
    ...(/\.zip$/i.test(flags.bundle) ? [] : [notZip(flags.bundle)]),
    ...others.map((other) => contradictingFlags({one: '--bundle', other})),
  ]
  const [problem, ...more] = problems
  if (problem) throw more.length === 0 ? problem : new ProblemsError(problems)
}

/** Windows opens a file by the end of its name: nobody could read it under another. */
const notZip = (value: string): K8sWinError =>
  badValue({
    flag: 'bundle',
    reason: 'A support bundle is a zip file, and Windows opens a file by the end of its name.',
    value,
    wanted: 'a file name that ends with .zip',
    where: '--bundle',
  })
