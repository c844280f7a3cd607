// How crictl.exe and ctr.exe are run: by absolute path, with a deadline, against the node's pipe whatever the environment
// says.
import {layoutOf} from '../../config/layout.js'
import {type ContainerdPlace, endpointOf} from '../../config/model.js'
import {containerdFailed} from '../../errors/downloads-and-images.js'
import {containerdAbsent, containerdStopped} from '../../errors/host.js'
import {DeadlineError} from '../../machine/clock.js'
import {HttpError} from '../../machine/http.js'
import {
  ProgramNotFoundError,
  ProgramNotStartedError,
  ProgramOutputError,
  type Run,
  type RunOptions,
  type RunResult,
} from '../../machine/run.js'
import type {EffectKind} from '../../machine/win32.js'
import {parseJson} from '../document.js'
import {shortened} from '../../errors/shortened.js'
import type {Pipes} from '../pipe.js'
import {failureOf, lastWords} from './failure.js'

/** The kubelet's images and pods are in this namespace of containerd (containerd, internal/cri/constants). */
export const NAMESPACE = 'k8s.io'
const SHORT_MS = 2 * 60_000
/** For commands that only read: crictl is slow to start on a busy host, and waits for minutes if nothing responds. */
export const CRICTL_MS = 10_000
/** Limit of an unexpected answer in a message. */
const LONGEST_SAID = 200

export interface CallOptions {
  /** Two minutes, unless given. */
  readonly deadlineMs?: number
  readonly effect: EffectKind
  /** Of ctr: the kubelet's, unless given. */
  readonly namespace?: string
  /** What it is for, after "containerd could not". */
  readonly operation: string
  readonly signal?: AbortSignal
}

/** Resolves with any exit code. Rejects with an error of the catalogue, or with the signal's reason. */
export type Call = (args: readonly string[], options: CallOptions) => Promise<RunResult>

export interface Programs {
  readonly containerd: Call
  readonly crictl: Call
  readonly ctr: Call
  /** What crictl prints as JSON. `operation`: after "containerd could not". */
  query(operation: string, args: readonly string[], deadlineMs?: number): Promise<unknown>
}

export function openPrograms(
  {pipes, run}: {readonly pipes: Pick<Pipes, 'demand'>; readonly run: Run},
  baseDir: string,
  place: ContainerdPlace,
): Programs {
  const {crictl, crictlConfig} = layoutOf(baseDir).containerd
  const endpoint = endpointOf(place)
  const call =
    (program: string, before: (namespace: string) => readonly string[], env: RunOptions['env']): Call =>
    async (args, {deadlineMs = SHORT_MS, effect, namespace = NAMESPACE, operation, signal}) => {
      try {
        return await run(program, [...before(namespace), ...args], {
          deadlineMs,
          effect,
          ...(env && {env}),
          ...(signal && {signal}),
        })
      } catch (error) {
        throw signal?.aborted ? error : runFailure(error, operation)
      }
    }
  /** These open the pipe. */
  const client =
    (started: Call): Call =>
    async (...asked) => {
      await pipes.demand(place.pipe, place.service).catch((error: unknown) => {
        if (!(error instanceof HttpError)) throw error
        throw containerdStopped({pipe: place.pipe, reason: error.message}, {cause: error})
      })
      return started(...asked)
    }
  // Variables of these names would win over the file (cri-tools cmd/crictl/main.go).
  const variables = {CONTAINER_RUNTIME_ENDPOINT: endpoint, IMAGE_SERVICE_ENDPOINT: endpoint}
  const ask = client(call(crictl, () => ['--config', crictlConfig], variables))
  return {
    containerd: call(place.program, () => [], undefined),
    crictl: ask,
    // Warnings about deprecated settings would stand before its error (containerd cmd/ctr/commands/client.go).
    ctr: client(
      call(place.ctr, (namespace) => ['--address', place.pipe, '-n', namespace], {
        CONTAINERD_SUPPRESS_DEPRECATION_WARNINGS: '1',
      }),
    ),
    async query(operation, args, deadlineMs) {
      const options = {...(deadlineMs && {deadlineMs}), effect: 'read', operation} as const
      return documentOf(await ask([...args, '-o', 'json'], options), operation)
    },
  }
}

function runFailure(error: unknown, operation: string): unknown {
  if (error instanceof ProgramNotFoundError) return containerdAbsent({program: error.program}, {cause: error})
  if (error instanceof DeadlineError) {
    return containerdFailed({operation, said: `nothing within ${Math.round(error.ms / 1000)} s`}, {cause: error})
  }
  const isKnown = [ProgramNotStartedError, ProgramOutputError].some((kind) => error instanceof kind)
  return isKnown ? containerdFailed({operation, said: (error as Error).message}, {cause: error}) : error
}

/** The result, if the program succeeded. */
export function demand(result: RunResult, operation: string): RunResult {
  if (result.exitCode === 0) return result
  throw failureOf(lastWords(result), operation)
}

/** The JSON that it printed. Anything else is reported. */
export function documentOf(result: RunResult, operation: string): unknown {
  const {stdout} = demand(result, operation)
  const answer = parseJson(stdout)
  if (typeof answer === 'object' && answer !== null) return answer
  throw containerdFailed({operation, said: `${shortened(stdout.trim(), LONGEST_SAID) || 'nothing'} (not JSON)`})
}
