// Every effect of a fresh setup goes wrong once. The run ends with an error from the catalogue that says where and what,
// never with a stack or a hang; then running again finishes with the same node.
import {createHash} from 'node:crypto'
import {expect} from 'vitest'
import {interceptMachine} from '../../src/machine/intercept.js'
import {type Comparable, comparable} from '../steps/comparable.js'
import {HostFolder} from '../steps/host-folder.js'
import {counting, type Site, withMishap} from './mishaps.js'
import {claimsOf, downloadsOf} from './records.js'
import {type SetupEnd, setupOn} from './setup-run.js'
import {answerOf, type Mishap, MISHAPS, refusalOf} from './wrong-answers.js'

export interface Misfortune {
  readonly mishap: Mishap
  readonly site: Site
}

export interface FreshRun {
  readonly misfortunes: readonly Misfortune[]
  readonly profile: string
  readonly undisturbed: Comparable
}

/** An exit code for a failure (docs/exit-codes.md), 10 for a restart that is wrongly found to be due; 0 where the run could continue. */
const CODES = [0, 3, 4, 5, 6, 10, 11]
const DONE = new Set(['changed', 'in-place'])

/** What is otherwise after a mishap that a run could continue from, and stays so. */
const OTHERWISE: readonly {readonly field: RegExp; readonly site: RegExp}[] = [
  // Programs that run already are told once; Windows has the variable.
  {field: /^world environment /, site: /broadcastEnvironmentChange \(/},
  // Of a Docker that does not respond at first the release is the newest one that fits (config/choose-release.ts).
  {field: /^/, site: /(?:docker_engine|queryServiceStatus docker) \(1\)$/},
]

export async function freshRun(profile = 'ws2019'): Promise<FreshRun> {
  const host = HostFolder.empty()
  const sites: Site[] = []
  const siteOf = counting()
  const {bug, result} = await setupOn(host.dir, {
    profile,
    wrap: (machine) =>
      interceptMachine(machine, async (effect, perform) => {
        sites.push(siteOf(effect))
        return perform()
      }),
  })
  if (result?.exitCode !== 0) throw new Error('the undisturbed run failed', {cause: bug ?? result?.error})
  const undisturbed = comparable(host)
  host.discard()
  const misfortunes = sites.flatMap((site) => MISHAPS.map((mishap) => ({mishap, site})))
  return {misfortunes: misfortunes.filter((one) => isWorthwhile(one) && isPossible(one)), profile, undisturbed}
}

/**
 * Every effect is refused. Of those that are asked for again and again (is it running yet?) the first one stands for all
 * where the hang or the answer would be the same; so does one piece of the log, which comes in as many as there is time for.
 */
function isWorthwhile({mishap, site: {nth, text}}: Misfortune): boolean {
  return nth === 1 || (mishap === 'error' && !text.includes('setup.log'))
}

function isPossible({mishap, site: {effect}}: Misfortune): boolean {
  if (mishap === 'hang') return true
  return mishap === 'error' ? refusalOf(effect) !== undefined : answerOf(effect, mishap) !== undefined
}

/** `finished`: states that a second run has been seen to finish from, so that it need not be seen again. */
export async function expectTold(
  {mishap, site}: Misfortune,
  {profile, undisturbed}: Pick<FreshRun, 'profile' | 'undisturbed'>,
  finished = new Set<string>(),
): Promise<void> {
  const host = HostFolder.empty()
  const over = new AbortController()
  const where = `${mishap} at ${site.text} (${site.nth})`
  let isStruck = false
  const onStruck = (): void => void (isStruck = true)
  try {
    const end = await setupOn(host.dir, {
      profile,
      wrap: (machine) => withMishap(machine, site, mishap, {onStruck, over: over.signal}),
    })
    over.abort(new Error('the process is gone'))
    expectExplained(end, where)
    if (isStruck && mishap !== 'wrong' && mishap !== 'garbage') expectNamed(end, site, where)

    const state = stateOf(host)
    if (finished.has(state)) return
    const again = await setupOn(host.dir, {profile})
    expect({bug: again.bug, error: again.result?.error, exitCode: again.result?.exitCode}, where).toEqual({exitCode: 0})
    const otherwise = OTHERWISE.filter((one) => end.result?.exitCode === 0 && one.site.test(where))
    const isSame = (name: string): boolean => !otherwise.some(({field}) => field.test(name))
    const same = (all: Comparable) => Object.fromEntries(Object.entries(all).filter(([name]) => isSame(name)))
    expect(same(comparable(host)), where).toEqual(same(undisturbed))
    if (otherwise.length === 0) finished.add(state)
  } finally {
    host.discard()
  }
}

function stateOf(host: HostFolder): string {
  const text = JSON.stringify([comparable(host), claimsOf(host), downloadsOf(host)])
  return createHash('sha1').update(text).digest('hex')
}

function expectExplained({bug, result}: SetupEnd, where: string): void {
  expect(bug, where).toBeUndefined()
  expect(CODES, where).toContain(result?.exitCode)
  if (result?.exitCode === 0) return
  const errors = result?.errors ?? (result?.error ? [result.error] : [])
  expect(errors.length, where).toBeGreaterThan(0)
  for (const {cause, fix, id, message} of errors) {
    expect(['BUG', 'CHECK_BROKEN'], where).not.toContain(id)
    for (const text of [cause, fix, message]) {
      expect(text, where).not.toBe('')
      expect(text, where).not.toMatch(/undefined|\[object|^\s+at /m)
    }
  }
}

/** The step or the check, and the program, file, request or call. */
function expectNamed({result}: SetupEnd, {effect}: Site, where: string): void {
  if (!result || result.exitCode === 0) return
  const errors = result.errors ?? (result.error ? [result.error] : [])
  const text = withoutIds(errors.map(({cause, message}) => `${message} ${cause}`).join('\n'))
  const names = [effect.what, ...effect.args]
    .map((name) => withoutIds(name).split('\\').at(-1) ?? name)
    .filter((name) => name !== '')
  expect(
    names.some((name) => text.includes(name)),
    `${where}: ${text}`,
  ).toBe(true)
  const isPlaced =
    result.steps.some(({state}) => state === 'failed') || result.checks.some((check) => check.result === 'fail')
  // Before the first step and after the last one there is nothing but our own records and questions, which the text names.
  expect(isPlaced || result.steps.every(({state}) => DONE.has(state)), where).toBe(true)
}

/** A container has another one in every run. */
const withoutIds = (text: string): string => text.replaceAll(/[\da-f]{64}/g, '<id>')
