// Patterns on long inputs: eight times the length may cost three times as much as eight times the time, not 64 times. Found with
// the npm package recheck; the time is that of the processor, so that a busy machine does not count.
import {expect, test} from 'vitest'
import {homeOfService} from '../../src/components/node-home.js'
import {goDuration} from '../../src/config/go-duration.js'
import {server} from '../../src/config/options/parse-join.js'
import {readable} from '../../src/health/drift.js'
import {pemBlocks} from '../../src/host/cluster/key-material.js'
import {readHostsFile} from '../../src/host/containerd/hosts-toml.js'
import {repairedConfiguration} from '../../src/host/containerd/repair-config.js'
import {digestOf} from '../../src/host/runtime.js'
import {parseAge} from '../../src/logs/time-range.js'
import {isPart, isWrittenByKubelet} from '../../src/pipeline/desired/cluster/join-state.js'
import {batchWord} from '../../src/runs/userdata/quote.js'

const LENGTH = 2000
const TIMES = 8
const MOST = 3 * TIMES
/** Times below this say more about the machine than about the pattern. */
const FLOOR_MS = 1.5
const RUNS = 3

function msOf(work: () => unknown): number {
  const start = process.cpuUsage()
  work()
  const {system, user} = process.cpuUsage(start)
  return (system + user) / 1000
}

const best = (work: () => unknown): number => Math.min(...Array.from({length: RUNS}, () => msOf(work)))

const LONG: readonly (readonly [name: string, read: (length: number) => unknown])[] = [
  ['a duration of digits', (length) => goDuration('1'.repeat(length))],
  ['a duration of parts', (length) => goDuration(`${'1m'.repeat(length)}x`)],
  // It was exponential: the second length would not have come to an end.
  ['dial_timeout', (length) => readHostsFile(`dial_timeout = "${'1'.repeat(length / 500)}"`)],
  ['a PEM block of white space', (length) => pemBlocks(`-----BEGIN A-----\n${'\n'.repeat(length)}!\n-----END A-----`)],
  ['a kubeconfig of empty lines', (length) => isPart('\n'.repeat(length))],
  ['a kubeconfig of returns', (length) => isPart('\r'.repeat(length))],
  ['a certificate behind empty lines', (length) => isWrittenByKubelet('\n'.repeat(length))],
  ['a certificate with spaces', (length) => isWrittenByKubelet(`client-certificate:${' '.repeat(length)}x`)],
  ['a command line of services', (length) => homeOfService(`${' run-watch --base-dir=a'.repeat(length / 8)}"x"`)],
  ['an address of slashes', (length) => server(`${'//'.repeat(length)}@\n`)],
  ['a difference', (length) => readable(`a: imagePath is ${', wanted '.repeat(length / 4)}\n`)],
  [
    'a list of plugins',
    (length) => repairedConfiguration(`a = '''\n${'disabled_plugins = [\n'.repeat(length / 8)}'''`),
  ],
  ['a reference', (length) => digestOf(`${'@'.repeat(length)}\n`, [])],
  ['an age', (length) => parseAge('1'.repeat(length))],
  ['a batch word', (length) => batchWord(`${'\\'.repeat(length)} x`)],
]

test.each(LONG)('review A3-9: %s is read in time that grows with its length', (_, read) => {
  const short = best(() => read(LENGTH))
  expect(best(() => read(TIMES * LENGTH)) / Math.max(short, FLOOR_MS)).toBeLessThan(MOST)
})
