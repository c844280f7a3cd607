// Every text and every document says whether it is about a simulated machine, and on Windows no one rehearses by accident.
import {mkdtemp, readFile, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {demandMeant, isSimulated} from '../../src/cli/choose-machine.js'
import {openRealMachine} from '../../src/machine/real/index.js'
import {configDocument} from '../../src/output/text/config-table.js'
import {k8sWin} from './program.js'
import {sample} from '../sample.js'

let dir: string
let machine: readonly string[]
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'k8s-win-simulated-'))
  machine = ['--simulate', 'ws2019', '--simulate-dir', join(dir, 'host')]
  await k8sWin(['setup', ...machine])
})
afterAll(async () => rm(dir, {force: true, recursive: true}))

const bundle = (): string => join(dir, `bundle-${Math.random()}.zip`)
const COMMANDS: readonly [name: string, args: () => string[]][] = [
  ['setup', () => ['setup']],
  ['setup --dry-run', () => ['setup', '--dry-run']],
  ['setup that is refused', () => ['setup', '--release', 'x']],
  ['setup that is misspelt', () => ['setup', '--nope']],
  ['reset --dry-run', () => ['reset', '--dry-run']],
  ['status', () => ['status']],
  ['doctor', () => ['doctor']],
  ['config show', () => ['config', 'show']],
  ['logs --bundle', () => ['logs', '--bundle', bundle()]],
]

describe('on a simulated machine', () => {
  it.each(COMMANDS)('review U3: %s says so in its document', async (_, args) => {
    const {stdout} = await k8sWin([...args(), ...machine, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({simulated: true})
  })

  it.each([
    ['setup', ['setup']],
    ['doctor', ['doctor']],
    ['status', ['status']],
  ])('review U3: %s says so in the last line of ndjson', async (_, args) => {
    const {stdout} = await k8sWin([...args, ...machine, '--output', 'ndjson'])
    const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as {result?: object}
    expect(last.result ?? last).toMatchObject({simulated: true})
  })

  it.each(
    sample([...COMMANDS.filter(([name]) => !name.startsWith('setup that')), ['logs', () => ['logs']] as const], 5),
  )('review U3: %s says so before anything else in its text', async (_, args) => {
    const {stderr, stdout} = await k8sWin([...args(), ...machine])
    const isAnswer = /^(?:config|doctor|status)/.test(args().join(' '))
    expect(isAnswer ? stdout : stderr).toMatch(/^SIMULATED: /)
  })

  it('review U3: result.json says so', async () => {
    const result = JSON.parse(await readFile(join(dir, 'host/c/k/k8s-win/result.json'), 'utf8')) as object
    expect(result).toMatchObject({simulated: true})
  })
})

describe('on a real machine', () => {
  it('review U3: the document says so', async () => {
    expect(openRealMachine().simulated).toBe(false)
    expect(configDocument([], false)).toMatchObject({simulated: false})
    const {stdout} = await k8sWin(['config', 'show', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({simulated: false})
    const refused = await k8sWin(['setup', '--json'])
    expect(JSON.parse(refused.stdout)).toMatchObject({simulated: false})
    expect((await k8sWin(['config', 'show'])).stdout).not.toContain('SIMULATED')
  })

  const left = {K8S_WIN_SIMULATE: 'ws2019'}
  it('review U3: a variable that was left behind is refused on Windows', () => {
    expect(() => demandMeant(['--yes'], left, 'win32')).toThrow(
      expect.objectContaining({exitCode: 2, id: 'SIMULATE_VARIABLE'}),
    )
  })

  it.each([
    ['is overruled by the flag', ['--simulate=ws2022'], left, 'win32'],
    ['is meant elsewhere', [], left, 'linux'],
    ['is empty', [], {K8S_WIN_SIMULATE: ''}, 'win32'],
    ['is not there', [], {}, 'win32'],
  ] as const)('review U3: nothing is refused where the variable %s', (_, argv, environment, platform) => {
    expect(() => demandMeant(argv, environment, platform)).not.toThrow()
  })

  it.each([
    [['--simulate=ws2019'], {}, true],
    [[], left, true],
    [['--json'], {}, false],
  ] as const)('is known from %j and %j: %s', (argv, environment, simulated) => {
    expect(isSimulated(argv, environment)).toBe(simulated)
  })
})
