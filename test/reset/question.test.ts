// What the question of reset, its plan and its page say of folders is what happens to them; and the question fits a screen.
import {readFileSync} from 'node:fs'
import {PassThrough} from 'node:stream'
import {describe, expect, test} from 'vitest'
import {askOn} from '../../src/cli/ask.js'
import {isWithin} from '../../src/config/base-dir.js'
import {CONTAINERD_DATA} from '../../src/config/layout.js'
import {DAEMON_PLACES} from '../../src/config/places.js'
import {IF_EMPTY, WITH_CONTENT} from '../../src/pipeline/desired/files/remove-path.js'
import type {Question} from '../../src/runs/reset/reset-run.js'
import {summarise} from '../../src/runs/reset/summary.js'
import {FakeTerminal} from '../output/fake-terminal.js'
import {type ResetEnd, resetOn} from './reset-run.js'
import {CONTAINERD_PROFILE, setUpHost} from './set-up-host.js'

const HOSTS = {containerd: setUpHost({}, undefined, CONTAINERD_PROFILE), docker: setUpHost()}
const CASES = (['docker', 'containerd'] as const).flatMap((runtime) =>
  [{}, {purge: true}].map((given) => ({given, runtime})),
)

/** Paths of the lines of a plan that end with these words. */
const foldersIn = ({result}: ResetEnd, words: string): string[] =>
  result.steps
    .flatMap(({changes}) => changes)
    .flatMap((line) => (line.endsWith(words) ? [line.slice('remove '.length, -words.length)] : []))

const withContent = ({lines}: Question): string[] =>
  lines.flatMap((line) => /with everything in them: (.*)$/.exec(line)?.[1]?.split(', ') ?? [])

describe.each(CASES)('with $runtime and $given', ({given, runtime}) => {
  test("review U2-1: a user's file is lost only where the question and the plan say so", async () => {
    const host = HOSTS[runtime].copy()
    const first = await resetOn(host.dir, {given: {...given, 'dry-run': true}})
    const folders = [...foldersIn(first, WITH_CONTENT), ...foldersIn(first, IF_EMPTY)]
    const theirs = folders.map((folder) => `${folder}\\theirs.txt`)
    for (const path of theirs) host.put(path.slice(3), 'theirs')
    const plan = await resetOn(host.dir, {given: {...given, 'dry-run': true}})
    const asked: Question[] = []
    const ask = (question: Question): Promise<boolean> => Promise.resolve(asked.push(question) > 0)
    expect((await resetOn(host.dir, {ask, given})).result.exitCode).toBe(0)
    const lost = theirs.filter((path) => !host.has(path.slice(3)))
    const named = asked.flatMap(withContent)
    expect(named).toContain(String.raw`C:\var\lib\kubelet`)
    expect(lost).toEqual(theirs.filter((path) => named.some((folder) => isWithin(path, folder))))
    expect(lost).toEqual(theirs.filter((path) => foldersIn(plan, WITH_CONTENT).some((one) => isWithin(path, one))))
    expect(foldersIn(plan, IF_EMPTY).filter((folder) => folders.includes(folder))).toEqual([])
    expect(lost.length).toBeLessThan(theirs.length)
  })

  test('review U2-23: the question fits 20 rows of 80 columns, with what matters most first', async () => {
    const host = HOSTS[runtime].copy()
    const asked: Question[] = []
    const ask = (question: Question): Promise<boolean> => Promise.resolve(asked.push(question) === 0)
    await resetOn(host.dir, {ask, given})
    const pods = Array.from({length: 10}, (_, nth) => `shop/frontend-7d9c6b5f48-abcd${nth}`).join(', ')
    const ended = summarise([`remove 20 containers of pods, of which 10 are running: ${pods}`])
    const question = {...asked[0], lines: [...ended, ...(asked[0]?.lines ?? [])]} as Question
    const screen = new FakeTerminal(80)
    const keys = new PassThrough()
    const stderr = Object.assign(screen, {isTTY: true})
    const {ask: prompt} = askOn({stderr, stdin: Object.assign(keys, {isTTY: true}), stdout: stderr})
    keys.write('n\n')
    await prompt(question, new AbortController().signal)
    const text = screen.lines.join(' ').replaceAll(/\s+/g, ' ')
    expect(screen.lines.length).toBeLessThanOrEqual(20)
    const places = ['shop/frontend', 'interrupt the network', 'with everything in them', 'services'].map((one) =>
      text.indexOf(one),
    )
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    for (const folder of withContent(question)) expect(text).toContain(folder)
  })
})

test('review U2-1: the page of reset names the folders that go with everything in them', () => {
  const page = readFileSync(new URL('../../docs/reset.md', import.meta.url), 'utf8')
  const paragraph = page.split('\n').find((line) => line.includes('**with everything in them**')) ?? ''
  expect(page).toContain('**only if empty**')
  for (const {path, tree} of DAEMON_PLACES) if (tree && path !== CONTAINERD_DATA) expect(paragraph).toContain(path)
})
