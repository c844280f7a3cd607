// Logs in a bundle: the newest first, cut where there is no space, and what is missing is reported.
import {mkdirSync, symlinkSync, utimesSync, writeFileSync} from 'node:fs'
import {dirname} from 'node:path'
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import type {Collected} from '../../src/bundle/collector.js'
import {logCollector} from '../../src/bundle/logs.js'
import {readEnd} from '../../src/bundle/readers.js'
import {faultyMachine} from '../fakes/faulty.js'
import {FileError} from '../../src/machine/files.js'
import {memoryFiles} from '../fakes/memory-files.js'
import {DiskHost} from '../steps/host-folder.js'
import {rigOf} from './collector-rig.js'

const LOG = String.raw`C:\k\a.log`
const MIB = 1024 ** 2

async function hostWith(files: Readonly<Record<string, {age?: number; bytes: number}>>): Promise<DiskHost> {
  const host = DiskHost.empty()
  await rigOf(host)
  for (const [name, {age = 0, bytes}] of Object.entries(files)) {
    const path = host.file(String.raw`k\logs` + `\\${name}`)
    mkdirSync(dirname(path), {recursive: true})
    writeFileSync(path, `${name} a line of a log\n`.repeat(Math.ceil(bytes / (name.length + 17))))
    utimesSync(path, 1_700_000_000 - age, 1_700_000_000 - age)
  }

  return host
}

const collect = async (host: DiskHost, logBytes: number): Promise<Collected> =>
  logCollector.collect({...(await rigOf(host)), logBytes})

const sizes = ({entries}: Collected): Record<string, number> =>
  Object.fromEntries(entries.map(({content, path}) => [path, 'text' in content ? content.text.length : -1]))

describe('the logs of a bundle', () => {
  it('are whole where there is room', async () => {
    const host = await hostWith({
      [String.raw`flanneld\a.log`]: {bytes: 1000},
      [String.raw`kube-proxy\b.log`]: {bytes: 10},
    })
    const collected = await collect(host, 20 * MIB)
    expect(Object.keys(sizes(collected)).sort()).toEqual(['logs/flanneld/a.log', 'logs/kube-proxy/b.log'])
    expect(collected.entries.map(({cut}) => cut)).toEqual([undefined, undefined])
    expect(collected.leftOut).toEqual([])
    host.discard()
  })

  it('of one component take no room from the others, and the newest of each come first', async () => {
    const host = await hostWith({
      [String.raw`flanneld\small.log`]: {bytes: 3000},
      [String.raw`kubelet\new.log`]: {bytes: 40_000},
      [String.raw`kubelet\old.log`]: {age: 100, bytes: 40_000},
      [String.raw`kubelet\oldest.log`]: {age: 200, bytes: 40_000},
    })
    const collected = await collect(host, 60_000)
    const taken = sizes(collected)
    expect(taken['logs/flanneld/small.log']).toBeGreaterThanOrEqual(3000)
    expect(taken['logs/kubelet/new.log']).toBeGreaterThanOrEqual(40_000)
    expect(taken['logs/kubelet/old.log']).toBeGreaterThan(10_000)
    expect(taken['logs/kubelet/old.log']).toBeLessThan(20_000)
    expect(collected.entries.find(({path}) => path.endsWith('old.log'))?.cut).toMatch(/^the first \d+ of \d+ bytes$/)
    expect(collected.leftOut).toEqual([
      {
        bytes: expect.any(Number) as number,
        path: String.raw`C:\k\logs\kubelet\oldest.log`,
        reason: expect.stringMatching(/space/) as string,
      },
    ])
    expect(Object.values(taken).reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(60_000)
    host.discard()
  })

  it('of a great size are cut to their newest part', async () => {
    const host = await hostWith({[String.raw`kubelet\big.log`]: {bytes: 6 * MIB}})
    const taken = sizes(await collect(host, 20 * MIB))['logs/kubelet/big.log'] ?? 0
    expect(taken).toBeLessThanOrEqual(4 * MIB)
    expect(taken).toBeGreaterThan(4 * MIB - 100)
    host.discard()
  })

  it('that are locked cost only themselves', async () => {
    const host = await hostWith({[String.raw`kubelet\a.log`]: {bytes: 50}, [String.raw`kubelet\b.log`]: {bytes: 50}})
    const locked = new FileError('read', 'a.log', 'EBUSY')
    const context = await rigOf(host, (machine) =>
      faultyMachine(machine, [
        {at: ({args, what}) => what === 'readRange' && String(args[0]).endsWith('a.log'), does: locked, when: 'before'},
      ]),
    )
    const collected = await logCollector.collect(context)
    expect(Object.keys(sizes(collected))).toEqual(['logs/kubelet/b.log'])
    expect(collected.leftOut).toMatchObject([{reason: 'cannot read a.log: EBUSY'}])
    host.discard()
  })

  it.skipIf(process.platform === 'win32')('are never what a link leads to', async () => {
    const host = await hostWith({[String.raw`kubelet\a.log`]: {bytes: 50}})
    host.put(String.raw`secret\b.log`, 'not a log\n')
    symlinkSync(host.file(String.raw`secret\b.log`), host.file(String.raw`k\logs\kubelet\b.log`))
    symlinkSync(host.file('secret'), host.file(String.raw`k\logs\flanneld`))
    expect(Object.keys(sizes(await collect(host, MIB)))).toEqual(['logs/kubelet/a.log'])
    host.discard()
  })
})

describe('the end of a file', () => {
  it('is whole lines, the last ones, and as many as fit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({maxLength: 30, unit: fc.constantFrom(...'abc xyz')}), {maxLength: 40}),
        fc.integer({max: 300, min: 1}),
        async (lines, most) => {
          const text = lines.map((line) => `${line}\n`).join('')
          const end = await readEnd(memoryFiles({[LOG]: text}), LOG, most)
          expect(text.endsWith(end?.text ?? 'x')).toBe(true)
          expect((end?.text.length ?? 0) + (end?.cutBytes ?? 0)).toBe(text.length)
          expect(end?.text.length).toBeLessThanOrEqual(most)
          const before = text.slice(0, end?.cutBytes)
          expect(before === '' || before.endsWith('\n')).toBe(true)
          // One line more would not have fitted.
          const line = before.slice(before.lastIndexOf('\n', before.length - 2) + 1)
          if (end && end.cutBytes > 0) expect(end.text.length + line.length).toBeGreaterThanOrEqual(most)
        },
      ),
    )
  })

  it('of one line that is too long is nothing', async () => {
    const end = await readEnd(memoryFiles({[LOG]: 'x'.repeat(1000)}), LOG, 100)
    expect(end).toEqual({cutBytes: 1000, text: ''})
  })

  it('of no file is nothing', async () => {
    expect(await readEnd(memoryFiles(), LOG, 100)).toBeUndefined()
  })
})
