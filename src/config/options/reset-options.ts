// The options of `reset`: flags, environment variables, help, and what they mean together.
import {askedLayers, layered} from './layers.js'
import {LAUNCHER_SUMMARY} from '../launchers.js'
import {text, toggle} from './option-spec.js'
import {type Given, type GivenOptions} from './options.js'
import * as parse from './parse-option.js'
import {Resolver} from './option-resolver.js'

/** The options of draining, which reset and upgrade have. */
export const DRAIN_OPTIONS = [
  toggle('drain', 'Cordon the node and evict its pods before anything is stopped.'),
  text('drain-timeout', '<duration>', 'Time limit of --drain: 90s, 15m, 1h.', {default: '5m'}),
] as const

type DrainFlag = (typeof DRAIN_OPTIONS)[number]['flag']

export const RESET_OPTIONS = [
  toggle(
    'purge',
    'Remove everything: also the images that setup pulled, downloads, logs and records, and the base directory if setup created it.',
  ),
  toggle(
    'keep-images',
    'Keep the images, also with --purge. Without --purge they stay; --no-keep-images removes them.',
    {absent: 'true without --purge'},
  ),
  toggle(
    'keep-downloads',
    'Keep the downloads, also with --purge. Without --purge they stay; --no-keep-downloads removes them.',
    {absent: 'true without --purge'},
  ),
  toggle('keep-node', 'Keep the node object in the cluster.'),
  ...DRAIN_OPTIONS,
  text('timeout', '<duration>', 'Time limit of the whole run: 90s, 15m, 1h.', {default: '30m'}),
  text('log-file', '<file>', 'File for the log of this run.', {
    absent: String.raw`<BaseDir>\logs\k8s-win, unless --purge removes it`,
  }),
  text('launcher', '<name>', LAUNCHER_SUMMARY, {absent: 'detected'}),
  toggle('dry-run', 'Show what would be removed, and change nothing (-WhatIf).'),
  toggle('yes', 'Do not prompt; assume yes (-Force, -Confirm:$false).'),
  toggle('detach', 'Continue as a Windows service, which outlives this session. Follow it with "k8s-win attach".'),
] as const

export type ResetOptions = Readonly<ReturnType<typeof resolveReset>>

type ResetFlag = (typeof RESET_OPTIONS)[number]['flag']
export type GivenReset = Readonly<Partial<Record<ResetFlag, boolean | string>>>

/** Those of setup's options that reset has too: what `setup --reset` hands on. */
export function sharedWithReset(given: GivenOptions): GivenReset {
  const shared = Object.entries(given).filter(([flag]) => RESET_OPTIONS.some((option) => option.flag === flag))
  return Object.fromEntries(shared)
}

/** The command line wins over the environment. Throws a ProblemsError that lists everything that is wrong. */
export function resolveReset(typed: GivenReset, environment: Readonly<Record<string, string | undefined>>) {
  const asked = layered(askedLayers(RESET_OPTIONS, typed, environment))
  const options = new Resolver(RESET_OPTIONS, asked)
  const isOn = (flag: ResetFlag, initial = false): boolean => options.value(flag, parse.truth) ?? initial
  const purge = isOn('purge')
  /** Undefined where it is to be detected. */
  const launcher = options.value('launcher', parse.launcher)
  const logFile = options.value('log-file', parse.absoluteFile)
  const resolved = {
    detach: isOn('detach'),
    drain: isOn('drain'),
    drainMs: options.value('drain-timeout', parse.timeout) ?? 0,
    dryRun: isOn('dry-run'),
    keepDownloads: isOn('keep-downloads', !purge),
    keepImages: isOn('keep-images', !purge),
    keepNode: isOn('keep-node'),
    ...(launcher !== undefined && {launcher}),
    ...(logFile !== undefined && {logFile}),
    purge,
    timeoutMs: options.value('timeout', parse.timeout) ?? 0,
    yes: isOn('yes'),
  }
  refuseLoneTimeout(options, typed, resolved.drain)
  options.demandNoProblem()
  return resolved
}

/** Flags that decide what a reset removes. */
export const REMOVAL_FLAGS = [
  'keep-downloads',
  'keep-images',
  'keep-node',
  'no-keep-downloads',
  'no-keep-images',
  'purge',
] as const satisfies readonly (ResetFlag | `no-${ResetFlag}`)[]

/** The flags with which a reset removes the same again. */
export function removalFlags(
  options: Pick<ResetOptions, 'keepDownloads' | 'keepImages' | 'keepNode' | 'purge'>,
): (typeof REMOVAL_FLAGS)[number][] {
  const {keepDownloads, keepImages, keepNode, purge} = options
  const given = {
    'keep-downloads': purge && keepDownloads,
    'keep-images': purge && keepImages,
    'keep-node': keepNode,
    'no-keep-downloads': !purge && !keepDownloads,
    'no-keep-images': !purge && !keepImages,
    purge,
  }
  return REMOVAL_FLAGS.filter((flag) => given[flag])
}

/** How long pods have to leave; undefined where the node is not to be drained. */
export function resolveDrain(
  typed: Given<DrainFlag>,
  environment: Readonly<Record<string, string | undefined>>,
): number | undefined {
  const options = new Resolver(DRAIN_OPTIONS, layered(askedLayers(DRAIN_OPTIONS, typed, environment)))
  const isWanted = options.value('drain', parse.truth) ?? false
  const drainMs = options.value('drain-timeout', parse.timeout)
  refuseLoneTimeout(options, typed, isWanted)
  options.demandNoProblem()
  return isWanted ? drainMs : undefined
}

/** In the environment it may be set for runs with --drain. */
function refuseLoneTimeout(
  options: Pick<Resolver<DrainFlag>, 'problems' | 'refuse'>,
  typed: Given<DrainFlag>,
  isDrained: boolean,
): void {
  if (typed['drain-timeout'] === undefined || isDrained || options.problems.length > 0) return
  const reason = 'It is how long --drain waits for pods, and nothing is drained without --drain.'
  options.refuse('drain-timeout', String(typed['drain-timeout']), {reason, wanted: 'together with --drain'})
}
