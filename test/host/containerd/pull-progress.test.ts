// The progress of a pull, from what ctr prints of the content store (containerd cmd/ctr/commands/content/content.go).
import {expect, test} from 'vitest'
import type {PullProgress} from '../../../src/host/runtime.js'
import {ProgramNotFoundError} from '../../../src/machine/run.js'
import {type Answer, openRig, result} from './rig.js'

const {signal} = new AbortController()
const digest = (letter: string): string => `sha256:${letter.repeat(64)}`
const IMAGE = 'mcr.microsoft.com:443/windows/servercore:ltsc2025'

const row = (letter: string, size: string): string => `layer-${digest(letter)}\t${size}\tAbout a minute\t\n`
const active = (...rows: readonly string[]): Answer => ({stdout: ['REF\t\t\tSIZE\tAGE\t\n', ...rows].join('')})
const manifest = (letter: string, source: string, layers: readonly string[]): string => {
  const children = layers.map((one, at) => `containerd.io/gc.ref.content.l.${at}=${digest(one)}`)
  const config = `containerd.io/gc.ref.content.config=${digest('9')}`
  return `${digest(letter)}\t1.2kB\t2 minutes\tcontainerd.io/distribution.source.${source},${[config, ...children].join(',')}\n`
}
const STORE = [
  'DIGEST\t\tSIZE\tAGE\t\tLABELS\n',
  manifest('e', 'registry.k8s.io=pause', ['d']),
  manifest('f', 'mcr.microsoft.com=windows/nanoserver,windows/servercore', ['a', 'b', 'c']),
  `${digest('c')}\t300MB\t5 days\tcontainerd.io/distribution.source.mcr.microsoft.com=windows/servercore\n`,
].join('')
const MANIFEST = JSON.stringify({
  layers: [
    {digest: digest('a'), size: 1_530_400_000},
    {digest: digest('b'), size: 740_000_000},
    {digest: digest('c'), size: 300_000_000},
  ],
})

/** A pull of 23 seconds; ctr is asked after 1, 6, 11, 16 and 21. */
async function pull(answers: readonly Answer[], others: Readonly<Record<string, Answer>> = {}) {
  const reported: PullProgress[] = []
  const left = [...answers]
  const rig = openRig({
    [`crictl pull ${IMAGE}`]: () => rig.clock.sleep(23_000).then(() => result({})),
    'ctr content active': () => left.shift() ?? active(),
    [`ctr content get ${digest('f')}`]: {stdout: MANIFEST},
    'ctr content ls': {stdout: STORE},
    ...others,
  })
  await rig.containerd.pull(IMAGE, (progress) => reported.push(progress), signal)
  return {commands: rig.commands().filter((command) => command.startsWith('ctr')), reported}
}

test('review U2-8: rounded bytes every 5 s, the total from the manifest, nothing active is extracting', async () => {
  const {commands, reported} = await pull([
    active(row('a', '100MB'), row('b', '50.5kB')),
    active(row('a', '1.53GB'), row('b', '500MB')),
    // Complete: the exact size, which is more than what was rounded.
    active(row('b', '499MB')),
    active(),
  ])
  const total = 2_570_400_000
  expect(reported).toEqual([
    {bytes: 400_050_500, extracting: false, total},
    {bytes: 2_330_000_000, extracting: false, total},
    {bytes: 2_330_400_000, extracting: false, total},
    {extracting: true},
    {extracting: true},
  ])
  expect(commands.filter((command) => command === 'ctr content active')).toHaveLength(5)
  expect(commands.filter((command) => command === 'ctr content ls')).toHaveLength(1)
})

test('review U2-8: a layer that begins and finishes between two polls is counted', async () => {
  const stored = [`${digest('f')}\n${digest('c')}\n`, `${digest('f')}\n${digest('c')}\n${digest('b')}\n`]
  const {commands, reported} = await pull(
    [
      active(row('a', '100MB')),
      // The layer "b" waits for its turn.
      active(row('a', '200MB')),
      active(row('a', '300MB')),
      active(row('a', '400MB')),
      active(),
    ],
    {'ctr content ls -q': () => ({stdout: stored.shift() ?? ''})},
  )
  const total = 2_570_400_000
  expect(reported).toEqual([
    {bytes: 400_000_000, extracting: false, total},
    {bytes: 500_000_000, extracting: false, total},
    {bytes: 1_340_000_000, extracting: false, total},
    {bytes: 1_440_000_000, extracting: false, total},
    {extracting: true},
  ])
  // Once per poll, and only until every layer is active or stored.
  expect(commands.filter((command) => command === 'ctr content ls -q')).toHaveLength(2)
})

test('review U2-8: a content store that cannot be read again leaves the bytes as they are', async () => {
  const {reported} = await pull([active(row('a', '100MB')), active(row('a', '200MB'))], {
    'ctr content ls -q': {exitCode: 1, stderr: 'ctr: no'},
  })
  expect(reported.slice(0, 2).map(({bytes}) => bytes)).toEqual([400_000_000, 500_000_000])
})

test('review U2-8: the layers of another pull are not counted', async () => {
  const {reported} = await pull([
    active(row('d', '100MB')),
    active(row('d', '103MB'), row('b', '1MB')),
    active(row('d', '103MB')),
  ])
  expect(reported).toEqual([
    {bytes: 301_000_000, extracting: false, total: 2_570_400_000},
    {extracting: true},
    {extracting: true},
    {extracting: true},
  ])
})

test('review U2-8: bytes without a total where the manifest is not found', async () => {
  const {reported} = await pull([active(row('a', '100MB'))], {'ctr content ls': {exitCode: 1, stderr: 'ctr: no'}})
  expect(reported[0]).toEqual({bytes: 100_000_000, extracting: false})
})

test.each([
  ['fails', {exitCode: 1, stderr: 'ctr: context deadline exceeded'}],
  ['prints something else', {stdout: 'layer-sha256:12\t1 MB\nnothing\n'}],
  ['lists nothing before the pull begins to load', {stdout: 'REF\tSIZE\tAGE\t\n'}],
])('review U2-8: a ctr that %s gives no progress, and does not disturb the pull', async (_, answer) => {
  const {reported} = await pull([answer, answer, answer, answer, answer])
  expect(reported).toEqual([])
})

test('review U2-8: without ctr.exe there is the elapsed time only, and it is asked for once', async () => {
  const none = (): Answer => {
    throw new ProgramNotFoundError('ctr.exe')
  }
  const {commands, reported} = await pull([none])
  expect(reported).toEqual([])
  expect(commands).toHaveLength(1)
})
