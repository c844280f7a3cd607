// Flags that cannot stand together: --json is --output json, and with another format it is unknown which is meant.
import {fileURLToPath} from 'node:url'
import {afterEach, expect, test, vi} from 'vitest'
import {runCommandLine} from '../../src/cli/arguments/run-command-line.js'
import Status from '../../src/commands/status.js'

const packageRoot = fileURLToPath(new URL('../..', import.meta.url))

afterEach(() => {
  vi.restoreAllMocks()
})

async function told(argv: readonly string[]): Promise<{code: number; text: string}> {
  let text = ''
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      text += String(chunk)
      return true
    })
  }
  return {code: await runCommandLine(argv, {packageRoot, showHelp: async () => false}), text}
}

test.each([
  ['text', ['--json', '--output', 'text']],
  ['ndjson', ['-Output', 'ndjson', '-Json']],
])('--json and --output %s contradict each other', async (format, flags) => {
  const {code, text} = await told(['setup', ...flags])
  expect(code).toBe(2)
  expect(text).toContain('CONTRADICTING_FLAGS')
  expect(text).toContain(`--json and --output ${format} contradict each other`)
})

test('--json and --output json agree', async () => {
  const {text} = await told(['setup', '--json', '--output', 'json', '--relase', '1'])
  expect(text).toContain('UNKNOWN_FLAG')
  expect(text).not.toContain('contradict')
})

test('--interval without --watch would be ignored', async () => {
  await expect(Status.run(['--interval', '10s', '--simulate', 'ws2019'], packageRoot)).rejects.toMatchObject({
    exitCode: 2,
    fix: 'Pass --interval together with --watch.',
    id: 'BAD_VALUE',
  })
})
