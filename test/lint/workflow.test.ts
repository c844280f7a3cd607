// The workflow file for real Windows Servers. It cannot be run here, so its shape and its commands are held.
import {readdir, readFile} from 'node:fs/promises'
import {Ajv} from 'ajv'
import {describe, expect, test} from 'vitest'
import {parse} from 'yaml'
import {readLabArguments} from '../lab/lab-arguments.js'
import {WORKFLOW_SCHEMA} from './workflow-schema.js'

const root = new URL('../../', import.meta.url)
const validate = new Ajv({allErrors: true, strict: true}).compile(WORKFLOW_SCHEMA)
const files = ['windows.yml']

interface Workflow {
  jobs: Record<string, {steps: {run?: string; uses?: string}[]; strategy: {matrix: {include: {server: number}[]}}}>
  permissions: Record<string, string>
}

async function read(file: string): Promise<Workflow> {
  return parse(await readFile(new URL(`.github/workflows/${file}`, root), 'utf8'), {strict: true}) as Workflow
}

test('there is one, and one that publishes', async () => {
  expect((await readdir(new URL('.github/workflows/', root))).sort()).toEqual(['release.yml', ...files])
})

describe.each(files)('%s', (file) => {
  test('fits its schema', async () => {
    expect(validate(await read(file)), JSON.stringify(validate.errors)).toBe(true)
  })

  test('every command is npm ci or a script that is there, with arguments it knows', async () => {
    const {scripts} = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as {
      scripts: Record<string, string>
    }
    const commands = Object.values((await read(file)).jobs).flatMap(({steps}) => steps.flatMap(({run}) => run ?? []))
    expect(commands[0]).toBe('npm ci')
    for (const command of commands.slice(1)) {
      const [, script = '', , rest = ''] = /^npm run (\S+)( -- (.+))?$/.exec(command) ?? []
      expect(Object.keys(scripts), command).toContain(script)
      if (script === 'test:windows') expect(readLabArguments(rest.split(' ').filter(Boolean), [])).toBeTypeOf('object')
    }
    expect(commands.at(-1)).toBe('npm run test:windows -- --yes-change-this-host')
  })

  test('it runs on the three servers', async () => {
    const servers = Object.values((await read(file)).jobs).flatMap(({strategy}) =>
      strategy.matrix.include.map(({server}) => server),
    )
    expect(servers.sort()).toEqual([2019, 2022, 2025])
  })
})

describe('the schema refuses', () => {
  test.each<[string, (workflow: Workflow) => void]>([
    ['an action of somebody else', ({jobs}) => (jobs.test!.steps[0]!.uses = `somebody/checkout@${'0'.repeat(40)}`)],
    ['an action by a tag', ({jobs}) => (jobs.test!.steps[0]!.uses = 'actions/checkout@v5')],
    ['an action by a branch', ({jobs}) => (jobs.test!.steps[0]!.uses = 'actions/checkout@main')],
    ['more permissions', ({permissions}) => (permissions.contents = 'write')],
    ['other permissions', ({permissions}) => (permissions.packages = 'read')],
    ['a job without an end', ({jobs}) => Reflect.deleteProperty(jobs.test!, 'timeout-minutes')],
    ['a step that is none', ({jobs}) => jobs.test!.steps.push({})],
    ['a key it does not know', (workflow) => Object.assign(workflow, {env: {}})],
  ])('%s', async (_what, spoil) => {
    const workflow = await read('windows.yml')
    spoil(workflow)
    expect(validate(workflow)).toBe(false)
  })
})
