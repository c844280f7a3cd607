// Help that is asked for is given, or told to be missing: the command itself never runs.
import {fileURLToPath} from 'node:url'
import {afterEach, expect, it, test, vi} from 'vitest'
import {helpPage} from '../../src/cli/help-request.js'
import {runCommandLine} from '../../src/cli/run-command-line.js'

const packageRoot = fileURLToPath(new URL('../..', import.meta.url))

afterEach(() => {
  vi.restoreAllMocks()
})

it.each([[['setup', '--help']], [['config', 'show', '-BaseDir', 'x', '/?']]])('%j without its page', async (argv) => {
  let told = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    told += String(text)
    return true
  })
  expect(await runCommandLine(argv, {packageRoot, showHelp: async () => false})).toBe(1)
  expect(told).toContain('no page of help')
})

test.each([
  [[], 'k8s-win'],
  [['help'], 'k8s-win'],
  [['/?'], 'k8s-win'],
  [['setup', '-?'], 'setup'],
  [['help', 'setup'], 'setup'],
  [['help', 'setup', '--help'], 'setup'],
  [['config', 'show', '-h'], 'config-show'],
  [['help', 'config', 'show'], 'config-show'],
  [['setup'], undefined],
  [['config', 'show'], undefined],
  [['setup', '-BaseDir', 'x', '/?'], undefined],
  [['setup', '--json', '/?'], undefined],
])('%j asks for the page %s', (argv, page) => {
  expect(helpPage(argv)).toBe(page)
})
