// A journal that cannot be read, or not all of it: told, kept aside, and what is readable goes on.
import {expect, it} from 'vitest'
import {findJournalDamage} from '../../src/pipeline/journal-damage.js'
import {memoryFiles} from '../fakes/memory-files.js'
import {setupOn} from '../setup/in-process.js'
import {SimulatedHost} from '../setup/simulated-host.js'

const PATH = String.raw`C:\k\k8s-win\journal.ndjson`
const ASIDE = `${PATH}.damaged`
const line = (path: string): string => JSON.stringify({at: 'x', kind: 'file', path, step: 'net-conf'})
const look = async (text: string) => {
  const files = memoryFiles({[PATH]: text})
  const damage = await findJournalDamage(files, PATH)
  await damage?.mend()
  const read = async (path: string) => (await files.read(path))?.toString()
  return {aside: await read(ASIDE), message: damage?.message, text: await read(PATH)}
}

it.each([
  ['empty', ''],
  ['whole', `${line('a')}\n${line('b')}\n`],
  ['mended after a crash, with an empty line', `${line('a')}\n\n${line('b')}\n`],
])('one that is %s is left alone', async (_, text) => {
  expect(await look(text)).toEqual({aside: undefined, message: undefined, text})
})

it('a last line that a crash cut short goes without a word', async () => {
  expect(await look(`${line('a')}\n{"at":"x","st`)).toEqual({
    aside: undefined,
    message: undefined,
    text: `${line('a')}\n`,
  })
})

it.each(['%%%', '17', '"text"', 'null', '{"at":"x"}', '{"at":"x","st'])('a line %s in the middle', async (wrong) => {
  const text = `${line('a')}\n${wrong}\n${line('b')}\n`
  const seen = await look(text)
  expect(seen).toMatchObject({aside: text, text: `${line('a')}\n${line('b')}\n`})
  expect(seen.message).toContain('line 2 cannot be read')
  expect(seen.message).toContain(ASIDE)
})

it('garbage altogether', async () => {
  const seen = await look('\u0000\u0001garbage')
  expect(seen).toMatchObject({aside: '\u0000\u0001garbage', text: ''})
  expect(seen.message).toContain('nothing in it can be read')
})

it('is told by setup, once', async () => {
  const host = await SimulatedHost.make()
  await setupOn(host.dir)
  host.put(String.raw`k\k8s-win\journal.ndjson`, 'garbage')
  const warnings = async (): Promise<unknown[]> => {
    const {events, result} = await setupOn(host.dir)
    expect(result.exitCode).toBe(0)
    return events.flatMap((event) => (event.type === 'log' && event.message.includes('journal') ? [event.level] : []))
  }
  expect(await warnings()).toEqual(['warn'])
  expect(host.read(String.raw`k\k8s-win\journal.ndjson.damaged`)).toBe('garbage')
  expect(await warnings()).toEqual([])
})
