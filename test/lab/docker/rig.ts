// What a case of the Docker suite stands on: an engine with a registry, real or simulated, and ways to ask it.
import assert from 'node:assert/strict'
import {K8sWinError} from '../../../src/errors/k8s-win-error.js'
import {type DockerEngine, openDocker} from '../../../src/host/docker/docker.js'
import type {PullProgress} from '../../../src/host/runtime.js'
import type {Clock} from '../../../src/machine/clock.js'
import type {Http} from '../../../src/machine/http.js'

/** What a case wants around it; without a wish everything is well and the engine as it is by itself. */
export interface Surroundings {
  readonly api?: {readonly apiVersion: string; readonly minApiVersion: string}
  readonly mode?: 'linux' | 'windows'
  /** `slow`: pulls begin and do not end within the case's patience. The others as their names say. */
  readonly registry?: 'corrupt' | 'cut' | 'cut-once' | 'slow' | 'unreachable'
}

export interface DockerRig {
  /** Of the machine that the engine is on: a wait takes time of that machine. */
  readonly clock: Clock
  close(): Promise<void>
  readonly http: Http
  /** In the registry, not in the engine. `foreign` is there for other systems only; `missing` is not there. */
  readonly images: {
    readonly base: string
    readonly foreign: string
    readonly missing: string
    readonly other: string
  }
  /** templates/pause/Dockerfile. */
  readonly pauseTemplate: string
  readonly pipe: string
  /** The API versions that were spoken; only where the case asked for an API. */
  spoken(): string[]
  startEngine(): Promise<void>
  stopEngine(how?: 'crash'): Promise<void>
}

export interface DockerLab {
  open(surroundings: Surroundings): Promise<DockerRig>
}

export interface DockerCase {
  readonly name: string
  run(rig: DockerRig): Promise<void>
  readonly surroundings?: Surroundings
}

export const NEVER = new AbortController().signal

export const dockerOf = ({http, pipe}: DockerRig): DockerEngine => openDocker(http, pipe)

/** As `dockerOf`, with a shorter deadline for everything. */
export function impatient({http, pipe}: DockerRig, deadlineMs: number): DockerEngine {
  const hurried: Http = {
    ...http,
    request: (request) => http.request({...request, deadlineMs}),
    stream: (request) => http.stream({...request, deadlineMs}),
  }
  return openDocker(hurried, pipe)
}

export async function pull(rig: DockerRig, reference = rig.images.base): Promise<PullProgress[]> {
  const progress: PullProgress[] = []
  await dockerOf(rig).pull(reference, (entry) => progress.push(entry), NEVER)
  return progress
}

/** What it rejects with. */
export async function failure(work: Promise<unknown>): Promise<Error> {
  const problem = await work.then(
    () => undefined,
    (error: unknown) => error as Error,
  )
  assert.ok(problem, 'it should have failed')
  return problem
}

export async function refusal(work: Promise<unknown>, id: string, reason: RegExp): Promise<void> {
  const problem = await failure(work)
  assert.ok(problem instanceof K8sWinError, String(problem.stack))
  assert.equal(problem.id, id)
  assert.match(problem.reason, reason)
}

/** An answer of the engine itself. */
export async function ask<T>({http, pipe}: DockerRig, path: string): Promise<T> {
  const answer = await http.request({
    deadlineMs: 60_000,
    effect: 'read',
    method: 'GET',
    pipe,
    url: `http://docker${path}`,
  })
  return JSON.parse(answer.body.toString('utf8')) as T
}

export const containers = (rig: DockerRig): Promise<unknown[]> => ask(rig, '/containers/json?all=1')
export const tags = async (rig: DockerRig): Promise<string[]> =>
  (await ask<{RepoTags: string[] | null}[]>(rig, '/images/json')).flatMap((image) => image.RepoTags ?? []).sort()
