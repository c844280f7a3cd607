// What `stop`, `start` and `restart` share: they name daemons, and change their services.
import * as Flags from '@oclif/core/flags'
import {KUBELET} from '../../config/model.js'
import {resolveDrain} from '../../config/options/reset-options.js'
import {drainWithoutKubelet} from '../../errors/daemons.js'
import {unexpectedArgument} from '../../errors/usage.js'
import {type DaemonsCommand, runDaemons} from '../../runs/daemons/change-daemons.js'
import {ALL, DAEMON_WORDS, daemonsNamed} from '../../runs/daemons/daemon-names.js'
import {chooseMachine} from '../choose-machine.js'
import {type GlobalFlags, givenReset, type ParsedFlags} from '../arguments/flag-table.js'
import {runWithView} from './run-with-view.js'
import {commandTyper} from '../arguments/typed-commands.js'

interface ParsedCommand extends ParsedFlags {
  readonly argv: readonly unknown[]
  readonly flags: GlobalFlags & ParsedFlags['flags'] & {readonly 'base-dir'?: string | undefined}
}

/** Returns the exit code. */
export async function changeDaemons(
  command: DaemonsCommand,
  {argv, ...parsed}: ParsedCommand,
  packageRoot: string,
): Promise<number> {
  const {flags} = parsed
  const [word = ALL, another] = argv.map(String)
  if (another !== undefined) throw unexpectedArgument({argument: another, command})
  const daemons = daemonsNamed(word)
  const given = givenReset(parsed)
  const drainMs = resolveDrain(given, process.env)
  const isDrained = daemons.includes(KUBELET)
  // In the environment it may be set for runs that drain.
  if (given.drain === true && !isDrained) throw drainWithoutKubelet({daemon: daemons.join(', ')})
  const chosen = await chooseMachine(flags, process.platform)
  const {'base-dir': baseDir} = flags
  const next = [commandTyper(chosen.called, flags, process.platform)(nextOf(command), baseDir)]
  return runWithView({baseDir, chosen, flags, next, packageRoot}, (parts) =>
    runDaemons(command, {
      ...parts,
      baseDir,
      daemons,
      drainMs: isDrained ? drainMs : undefined,
      yes: given.yes === true,
    }),
  )
}

const nextOf = (command: DaemonsCommand): string => (command === 'stop' ? 'start' : 'status')

export const YES_FLAG = Flags.boolean({
  summary: 'Stop containerd, which ends the pods; with --drain, also evict pods that have no controller (-Force).',
})

/** For the help of the argument. */
export const DAEMON_HELP = `${DAEMON_WORDS.join(', ')}. Default: ${ALL}, which is the kubelet, flanneld and kube-proxy.`
