// The workflow that publishes. No npm package has the code host's own schema in a kept form, and it cannot be run here: its
// shape is held by a schema of the parts that it uses, and what it calls is compared with what is there.
import {readFile} from 'node:fs/promises'
import {Ajv} from 'ajv'
import {describe, expect, test} from 'vitest'
import {parse} from 'yaml'

const root = new URL('../../', import.meta.url)

interface Step {
  readonly if?: string
  readonly run?: string
  readonly uses?: string
  with?: Record<string, unknown>
}

interface Job {
  readonly env?: Record<string, string>
  needs?: string | string[]
  permissions?: Record<string, string>
  readonly steps?: Step[]
  readonly uses?: string
}

interface Workflow {
  readonly jobs: Record<string, Job>
  permissions: Record<string, string>
}

const strict = (properties: object, required: readonly string[]) => ({
  additionalProperties: false,
  properties,
  required,
  type: 'object',
})
const text = {minLength: 1, type: 'string'}
const texts = {additionalProperties: text, type: 'object'}
const step = {
  oneOf: [
    // eslint-disable-next-line no-restricted-syntax -- a word of the workflow file, nothing is started here
    strict({env: texts, if: text, run: text, shell: {enum: ['cmd', 'pwsh']}}, ['run']),
    strict(
      {
        uses: {
          pattern: '^actions/(?:attest-build-provenance|checkout|(?:down|up)load-artifact|setup-node)@v[0-9]+$',
          type: 'string',
        },
        with: {type: 'object'},
      },
      ['uses', 'with'],
    ),
  ],
}
const needs = {anyOf: [text, {items: text, minItems: 1, type: 'array'}]}
const job = {
  oneOf: [
    strict({needs, uses: {const: './.github/workflows/windows.yml'}}, ['uses']),
    strict(
      {
        env: texts,
        needs,
        permissions: texts,
        'runs-on': {enum: ['ubuntu-24.04', 'windows-2022']},
        steps: {items: step, minItems: 1, type: 'array'},
        'timeout-minutes': {maximum: 60, minimum: 1, type: 'integer'},
      },
      ['runs-on', 'steps', 'timeout-minutes'],
    ),
  ],
}
const validate = new Ajv({allErrors: true, strict: true}).compile(
  strict(
    {
      jobs: {additionalProperties: job, minProperties: 1, type: 'object'},
      name: {const: 'release'},
      on: strict({push: strict({tags: {const: ['v*']}}, ['tags'])}, ['push']),
      permissions: strict({contents: {const: 'read'}}, ['contents']),
    },
    ['jobs', 'name', 'on', 'permissions'],
  ),
)

const read = async (): Promise<Workflow> =>
  parse(await readFile(new URL('.github/workflows/release.yml', root), 'utf8'), {strict: true}) as Workflow

const stepsOf = ({jobs}: Workflow): Step[] => Object.values(jobs).flatMap(({steps = []}) => steps)

describe('release.yml', () => {
  test('has the shape that the code host reads', async () => {
    expect(validate(await read()), JSON.stringify(validate.errors)).toBe(true)
  })

  test('runs scripts that are there', async () => {
    const {scripts} = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as {scripts: object}
    const called = stepsOf(await read()).flatMap(({run = ''}) => /^npm run (\S+)/.exec(run)?.[1] ?? [])
    expect(called).toEqual(['package', 'package:seal'])
    for (const name of called) expect(Object.keys(scripts)).toContain(name)
  })

  test('publishes only what was tested on Windows and went past signing', async () => {
    const {jobs} = await read()
    expect(jobs['publish']?.needs).toEqual(['sign', 'test'])
    expect(jobs['sign']?.needs).toBe('build')
    for (const {needs: wanted = []} of Object.values(jobs)) {
      for (const name of [wanted].flat()) expect(Object.keys(jobs)).toContain(name)
    }
  })

  test('gives the right to write to the job that publishes, and secrets to the one that signs', async () => {
    const {jobs} = await read()
    const writing = Object.entries(jobs).filter(([, {permissions}]) => permissions !== undefined)
    expect(writing).toEqual([
      [
        'publish',
        expect.objectContaining({permissions: {attestations: 'write', contents: 'write', 'id-token': 'write'}}),
      ],
    ])
    const secret = Object.entries(jobs).filter(([, one]) => JSON.stringify(one).includes('secrets.'))
    expect(secret.map(([name]) => name)).toEqual(['sign'])
    // A secret in a command would be in the log of the runner's processes.
    for (const {run = ''} of stepsOf(await read())) expect(run).not.toContain('${{')
  })

  test('signs where there is a certificate, and nowhere else', async () => {
    const signing = stepsOf(await read()).filter(({run = ''}) => run.includes('Set-AuthenticodeSignature'))
    expect(signing.map((one) => one.if)).toEqual(["env.CERTIFICATE != ''"])
  })
})

describe('the schema refuses', () => {
  test.each<[string, (workflow: Workflow) => void]>([
    ['an action of another owner', ({jobs}) => jobs['build']!.steps!.push({uses: 'x/checkout@v5', with: {}})],
    ['an action without a version', ({jobs}) => jobs['build']!.steps!.push({uses: 'actions/checkout@main', with: {}})],
    ['more permissions for all jobs', ({permissions}) => (permissions['contents'] = 'write')],
    ['a job without an end', ({jobs}) => Reflect.deleteProperty(jobs['sign']!, 'timeout-minutes')],
    ['a step that is none', ({jobs}) => jobs['build']!.steps!.push({})],
  ])('%s', async (_what, spoil) => {
    const workflow = await read()
    spoil(workflow)
    expect(validate(workflow)).toBe(false)
  })
})
