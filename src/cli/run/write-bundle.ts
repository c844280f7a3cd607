// logs --bundle: chooses machine and target, writes the bundle, reports it.
import {join} from 'node:path'
import {badValue} from '../../errors/input.js'
import {ProblemsError} from '../../errors/k8s-win-error.js'
import {contradictingFlags} from '../../errors/usage.js'
import {documentText} from '../../output/run/json-view.js'
import {bundleDocument, bundleLines} from '../../output/text/bundle-text.js'
import {runBundle} from '../../runs/bundle.js'
import {OF_LINES} from '../../runs/logs/logs-request.js'
import {chooseMachine} from '../choose-machine.js'
import {type GlobalFlags, outputFormat, simulateDir} from '../arguments/flag-table.js'
import {type CommandSession, withSession} from './run-with-view.js'
import {targetFile} from './target-file.js'

export interface BundleFlags extends GlobalFlags {
  readonly 'base-dir'?: string | undefined
  readonly bundle: string
  /** An existing file may be replaced. */
  readonly yes?: boolean | undefined
}

/** A bundle has all lines of the logs, and would ignore these silently. */
const LINE_FLAGS = [...OF_LINES, 'path'] as const
type LineFlags = Partial<Record<(typeof LINE_FLAGS)[number], unknown>>

/** Returns the exit code. `words`: those of the command line that belong to no flag. */
export async function writeBundle(
  flags: BundleFlags,
  {root, version}: {readonly root: string; readonly version: string},
  words: readonly string[],
): Promise<number> {
  demandSound(flags, words)
  // Read-only: otherwise the changes that another command makes to a simulated machine meanwhile would be lost.
  const chosen = await chooseMachine(flags, process.platform, true)
  const work = async (session: CommandSession): Promise<number> => {
    const report = await runBundle({
      ...session,
      baseDir: flags['base-dir'],
      replace: flags.yes === true,
      target: await targetFile(flags, flags.bundle, chosen.machine.files),
      ...(flags.simulate !== undefined && {transcript: join(simulateDir(flags), 'transcript.ndjson')}),
      version,
    })
    const format = outputFormat(flags)
    if (format === 'text') process.stderr.write(`${bundleLines(report).join('\n')}\n`)
    else process.stdout.write(documentText(bundleDocument(report), format))
    return 0
  }
  return withSession(chosen, flags, root, work, 'Stopping; no bundle is written.\n')
}

function demandSound(flags: BundleFlags & LineFlags, words: readonly string[]): void {
  const others = [
    ...words.map((word) => `"${word}"`),
    ...LINE_FLAGS.filter((name) => flags[name] !== undefined && flags[name] !== false).map((name) => `--${name}`),
  ]
  const notZip = {
    flag: 'bundle',
    reason: 'A support bundle is a zip file, and Windows opens a file by its extension.',
    value: flags.bundle,
    wanted: 'a file name that ends with .zip',
    where: '--bundle',
  }
  const problems = [
    ...(/\.zip$/i.test(flags.bundle) ? [] : [badValue(notZip)]),
    ...others.map((other) => contradictingFlags({one: '--bundle', other})),
  ]
  if (problems.length > 0) throw new ProblemsError(problems)
}
