// Help that is asked for is given, or reported to be missing: the command itself never runs.
import {fileURLToPath} from 'node:url'
import {afterEach, expect, it, test, vi} from 'vitest'
import {helpPage, versionFormat} from '../../src/cli/arguments/help-request.js'
import {runCommandLine} from '../../src/cli/arguments/run-command-line.js'
import ConfigSchema from '../../src/commands/config/schema.js'
import ConfigShow from '../../src/commands/config/show.js'

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
  expect(told).toContain('There is no help for')
})

test('a command has its page in both spellings, with other flags too', async () => {
  const pages: string[] = []
  const showHelp = async (page: string) => pages.push(page) > 0
  for (const name of [['config', 'show'], ['config:show']]) {
    expect(await runCommandLine([...name, '--json', '--help'], {packageRoot, showHelp})).toBe(0)
  }
  expect(pages).toEqual(['config-show', 'config-show'])
})

test.each([
  [['--version'], 'text'],
  [['-Version', '-Output', 'json'], 'json'],
  [['--version', '--json'], 'json'],
  [['version', '--output=json'], 'json'],
  [['-v'], 'text'],
  [['-v', 'setup'], undefined],
  [['setup', '--version'], undefined],
])('review U9: %j asks for the version: %s', (argv, format) => {
  expect(versionFormat(argv)).toBe(format)
})

test.each([ConfigSchema, ConfigShow])('the usage has a blank, as people type it', ({usage}) => {
  expect(usage).toMatch(/^config s/)
})

test.each([
  [[], 'k8s-win'],
  [['help'], 'k8s-win'],
  [['/?'], 'k8s-win'],
  [['setup', '-?'], 'setup'],
  [['setup', '--help-all'], 'setup-all'],
  [['help', 'config', 'show', '-HelpAll'], 'config-show-all'],
  [['--help-all'], 'k8s-win'],
  [['help', 'setup'], 'setup'],
  [['help', 'setup', '--help'], 'setup'],
  [['config', 'show', '-h'], 'config-show'],
  [['help', 'config', 'show'], 'config-show'],
  [['config:show', '--help'], 'config-show'],
  [['help', 'config:schema'], 'config-schema'],
  [['setup'], undefined],
  [['config', 'show'], undefined],
  [['setup', '-BaseDir', 'x', '/?'], undefined],
  [['setup', '--json', '/?'], undefined],
])('%j asks for the page %s', (argv, page) => {
  expect(helpPage(argv)).toBe(page)
})
