// Whatever we start gets its arguments one by one as they were meant, and its environment.
import assert from 'node:assert/strict'
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {after, before, describe, test} from 'node:test'
import {fileURLToPath} from 'node:url'
import fc from 'fast-check'
import {joinCommandLine} from '../../../src/host/command-line.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import {splitCommandLine} from '../../../src/machine/command-line.js'
import {assertArrived, commandLineToArgv, type Echo, withoutConsole} from '../quoting/echo.js'
import {inLanes, runShare} from '../quoting/lanes.js'
import {runShareProcess} from '../quoting/share-process.js'
import {line, NOTABLE, SEED, vector, VECTORS} from '../quoting/vectors.js'
import {IS_WINE, PROGRAMS} from './windows-host.js'

const SHARES = 4
const {run} = openRealMachine()
const [, , program, share] = process.argv

// This file is also what the shares of its vectors run.
if (program !== undefined) {
  await runShare(Number(share), Math.ceil(VECTORS / SHARES), async (args, value) => {
    const arrived = await echo(program, args, {ECHO_VALUE: value})
    assertArrived(arrived, args)
    assert.deepEqual(arrived.environment, [`ECHO_VALUE=${value}`])
    process.stdout.write('.')
  })
} else {
  describe('what we start', {skip: PROGRAMS === undefined && 'needs argv-echo.exe, compiled in the lab'}, startTests)
  test(`the simulator takes 20,000 command lines apart as CommandLineToArgvW does (seed ${SEED})`, () => {
    const same = (given: string) => assert.deepEqual(splitCommandLine(given), commandLineToArgv(given))
    fc.assert(fc.property(line, same), {numRuns: 10_000, seed: SEED})
    const joined = vector.map((args) => joinCommandLine(['C:\\x y.exe', ...args]))
    fc.assert(fc.property(joined, same), {numRuns: 10_000, seed: SEED})
  })
}

async function echo(from: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Echo> {
  const {exitCode, stdout} = await run(from, args, {deadlineMs: 60_000, effect: 'read', env})
  assert.equal(exitCode, 0)
  return JSON.parse(stdout) as Echo
}

function startTests(): void {
  const built = path.join(PROGRAMS!, 'argv-echo.exe')
  let folder: string
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'k8s-win quoting ü中-'))
  })
  after(() => rm(folder, {force: true, maxRetries: 10, recursive: true}))

  test('gets the vectors that are known to go wrong, with a console', async () => {
    for (const args of NOTABLE) assertArrived(await echo(built, args, {}), args)
  })

  test(`gets ${VECTORS} vectors, and a variable with each, through CreateProcess (seed ${SEED})`, async () => {
    const copy = path.join(folder, 'argv-echo.exe')
    await writeFile(copy, withoutConsole(await readFile(built)))
    const self = fileURLToPath(import.meta.url)
    await inLanes(SHARES, (number) => runShareProcess([self, copy, String(number)]))
  })

  test(
    'is not started where the command line is too long',
    {skip: IS_WINE && 'CreateProcess refuses more than 32,767 letters; Wine 10 cuts them off'},
    () => assert.rejects(echo(built, ['x'.repeat(40_000)], {}), /cannot start/),
  )

  test('is refused what would not arrive', async () => {
    for (const bad of ['a\0b', '\ud800', 'a\udc00b', '\udc00\ud800', '\u{10ffff}']) {
      await assert.rejects(echo(built, ['good', bad], {}), {code: 'EINVAL'})
      await assert.rejects(echo(built, [], {ECHO_VALUE: bad}), {code: 'EINVAL'})
      await assert.rejects(echo(built, [], {[`ECHO_${bad}`]: 'x'}), {code: 'EINVAL'})
    }
  })
}
