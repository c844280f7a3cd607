import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {ESLint} from 'eslint'
import {describe, expect, test} from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

// The rules about types need a file that is in the project; those about imports need only its name.
const eslint = new ESLint({
  cwd: root,
  overrideConfig: [{files: ['**/*.ts'], languageOptions: {parserOptions: {projectService: false}}}],
  ruleFilter: ({ruleId}) => ruleId.startsWith('no-restricted-'),
})

async function complaints(folder: string, code: string): Promise<string[]> {
  const [result] = await eslint.lintText(code, {filePath: `src/${folder}/some-file.ts`})
  return (result?.messages ?? []).map(({message, ruleId}) => ruleId ?? message)
}

const imports = (from: string): string => `import {x} from '${from}'\nexport const y = x\n`

describe('floors', () => {
  test.each([
    ['machine', '../host/host.js'],
    ['machine', '../simulator/simulator.js'],
    ['machine/real', '../../steps/index.js'],
    ['errors', '../machine/machine.js'],
    ['simulator', '../config/model.js'],
    ['config', '../host/host.js'],
    ['host', '../pipeline/run/step.js'],
    ['components', '../artifacts/catalog.js'],
    ['artifacts', '../components/kubelet.js'],
    ['pipeline', '../steps/index.js'],
    ['steps', '../preflight/index.js'],
    ['preflight', '../steps/index.js'],
    ['output', '../runs/setup.js'],
    ['runs', '../cli/signals.js'],
    ['cli', '../commands/setup.js'],
    ['runs/setup', '../../simulator/twin/twin.js'],
  ])('src/%s may not import %s', async (folder, from) => {
    expect(await complaints(folder, imports(from))).toEqual(['no-restricted-imports'])
  })

  test.each([
    ['commands', '../cli/signals.js'],
    ['cli', '../runs/setup.js'],
    ['runs', '../output/text/redact.js'],
    ['steps', '../pipeline/run/step.js'],
    ['steps', '../components/kubelet.js'],
    ['output', '../pipeline/run/events.js'],
    ['pipeline', '../host/host.js'],
    ['host', '../config/model.js'],
    ['host', '../machine/machine.js'],
    ['simulator', '../machine/machine.js'],
    ['runs/setup', '../../simulator/index.js'],
    ['simulator/docker', '../model.js'],
    ['machine/real', '../machine.js'],
    ['machine/real', '../../errors/windows.js'],
  ])('src/%s may import %s', async (folder, from) => {
    expect(await complaints(folder, imports(from))).toEqual([])
  })
})

describe('rooms', () => {
  test.each([
    ['host', 'execa'],
    ['artifacts', 'got'],
    ['host', 'koffi'],
    ['simulator', 'hpagent'],
    ['config', 'node:fs'],
    ['commands', 'node:fs/promises'],
    ['host', 'node:child_process'],
    ['preflight', 'node:net'],
    ['simulator', 'node:http'],
    ['steps', 'tar'],
    ['bundle', 'smol-toml'],
    ['runs', 'listr2'],
    ['cli', 'chalk'],
    ['runs', '@oclif/core'],
    ['machine', 'fs'],
  ])('src/%s may not import %s', async (folder, from) => {
    expect(await complaints(folder, imports(from))).toEqual(['no-restricted-imports'])
  })

  test.each([
    ['machine/real', 'execa'],
    ['machine/real', 'got'],
    ['machine/real/win32', 'koffi'],
    ['machine', 'node:fs'],
    ['simulator', 'node:fs'],
    ['artifacts', 'tar'],
    ['machine', 'tar'],
    ['pipeline', 'listr2'],
    ['output', 'chalk'],
    ['commands', '@oclif/core'],
  ])('src/%s may import %s', async (folder, from) => {
    expect(await complaints(folder, imports(from))).toEqual([])
  })
})

describe('ways to do things', () => {
  test.each([
    {code: "run('x', {shell: true})", folder: 'machine', rule: 'no-restricted-syntax'},
    {code: "run('x', {shell: '/bin/sh'})", folder: 'host', rule: 'no-restricted-syntax'},
    {code: 'export const t = Date.now()', folder: 'host', rule: 'no-restricted-syntax'},
    {code: 'export const t = new Date()', folder: 'output', rule: 'no-restricted-syntax'},
    {code: 'setTimeout(() => 1, 1)', folder: 'pipeline', rule: 'no-restricted-globals'},
    {code: 'setInterval(() => 1, 1)', folder: 'output', rule: 'no-restricted-globals'},
    {code: "import {setTimeout as s} from 'node:timers/promises'\ns(1)", folder: 'host', rule: 'no-restricted-syntax'},
    {code: 'export default 1', folder: 'host', rule: 'no-restricted-exports'},
    {code: "await import('../simulator/drive.js')", folder: 'cli', rule: 'no-restricted-syntax'},
  ])('src/$folder may not have: $code', async ({code, folder, rule}) => {
    expect(await complaints(folder, code)).toEqual([rule])
  })

  test.each([
    {code: 'export const t = Date.now()', folder: 'machine'},
    {code: 'setTimeout(() => 1, 1)', folder: 'simulator'},
    {code: 'export const t = new Date(5)', folder: 'output'},
    {code: 'export default 1', folder: 'commands'},
    {code: "await import('../simulator/index.js')", folder: 'cli'},
    {code: "run('x', {shell: false})", folder: 'machine'},
  ])('src/$folder may have: $code', async ({code, folder}) => {
    expect(await complaints(folder, code)).toEqual([])
  })
})

describe('tests', () => {
  // npm run lint leaves them to oxlint, which has no such rule.
  const strict = new ESLint({cwd: root, ignore: false, ruleFilter: ({ruleId}) => ruleId === 'no-restricted-syntax'})
  const reported = (results: readonly ESLint.LintResult[]): string[] =>
    results.flatMap(({filePath, messages}) => messages.map(({line, message}) => `${filePath}:${line}: ${message}`))

  test('run no program by a shell', async () => {
    const folder = join(root, 'test')
    const named = readdirSync(folder, {encoding: 'utf8', recursive: true}).filter((name) => name.endsWith('.ts'))
    const files = named
      .map((name) => join(folder, name))
      .filter((file) => /\bshell['"]?[:,}]/.test(readFileSync(file, 'utf8')))
    expect(files.length).toBeGreaterThan(1)
    expect(reported(await strict.lintFiles(files))).toEqual([])
    const filePath = join(folder, 'some-file.ts')
    expect(reported(await strict.lintText("run('x', {shell: true})", {filePath}))).toHaveLength(1)
  })
})
