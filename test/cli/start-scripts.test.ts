// The first commands of a new user, as package.json has them: a node that is Ready, and a second run that changes nothing.
import {expect, test} from 'vitest'
import packageDocument from '../../package.json' with {type: 'json'}
import {splitCommandLine} from '../../src/machine/command-line.js'
import {temporaryFolder} from '../steps/rig.js'
import {k8sWin} from './program.js'
import {turn} from '../sample.js'

const {scripts} = packageDocument

test.each(
  turn(
    [
      ['start', scripts.start, '1.36.4'],
      ['start:docker', scripts['start:docker'], '1.21.5'],
    ],
    0,
  ),
)('npm run %s', async (_name, script, release) => {
  const [program, file, ...args] = splitCommandLine(script.replace(/^npm run build && /, ''))
  expect([program, file]).toEqual(['node', 'bin/run.js'])
  // Each has a host of its own, so that one after the other works; here both are elsewhere.
  const at = args.indexOf('--simulate-dir')
  const given = at < 0 ? args : args.toSpliced(at, 2)
  const setup = () => k8sWin([...given, '--simulate-dir', folder])
  const folder = temporaryFolder()
  const first = await setup()
  expect(first).toMatchObject({code: 0})
  expect(first.stderr).toContain('Node win-1 is Ready (10.0.0.5, pods 10.244.3.0/24)')
  expect(first.stderr).toContain(release)
  const second = await setup()
  expect(second.code).toBe(0)
  expect(second.stderr).toMatch(/ok=\d+ changed=0 skipped=0 failed=0/)
})

test('each start script has its own simulated host', () => {
  const folders = [scripts.start, scripts['start:docker']].map((one) => /--simulate-dir (\S+)/.exec(one)?.[1])
  expect(new Set(folders).size).toBe(folders.length)
})
