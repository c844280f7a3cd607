// The workflow that publishes. No npm package has the code host's own schema in a kept form, and it cannot be run here: its
// shape is held by a schema of the parts that it uses, and what it calls is compared with what is there.
import {spawnSync} from 'node:child_process'
import {createHash} from 'node:crypto'
import {mkdir, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {Ajv} from 'ajv'
import {describe, expect, test} from 'vitest'
import {parse} from 'yaml'
import packageDocument from '../../package.json' with {type: 'json'}
import {SHAWL} from '../../packaging/shawl.js'

const root = new URL('../../', import.meta.url)

interface Step {
  readonly env?: Record<string, string>
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
    strict({env: texts, if: text, run: text, shell: {enum: ['bash', 'cmd']}}, ['run']),
    strict(
      {
        if: {const: "env.HAS_ACCOUNT == 'true'"},
        uses: {
          // By commit: a tag can be moved to another one.
          pattern:
            '^(?:actions/(?:attest-build-provenance|checkout|(?:down|up)load-artifact|setup-node)|Azure/artifact-signing-action)@[0-9a-f]{40}$',
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

const stepsOf = ({jobs}: Pick<Workflow, 'jobs'>): Step[] => Object.values(jobs).flatMap(({steps = []}) => steps)

describe('release.yml', () => {
  test('has the shape that the code host reads', async () => {
    expect(validate(await read()), JSON.stringify(validate.errors)).toBe(true)
  })

  test('runs scripts that are there', async () => {
    const {scripts} = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as {scripts: object}
    const called = stepsOf(await read()).flatMap(({run = ''}) => /^npm run (\S+)/.exec(run)?.[1] ?? [])
    expect(called).toEqual(['package:parts', 'package:signed', 'package:seal'])
    for (const name of called) expect(Object.keys(scripts)).toContain(name)
  })

  test('review V1: fetches the shawl whose digest packaging demands, to where packaging looks for it, before it builds', async () => {
    for (const [job, build] of [
      ['parts', 'npm run package:parts'],
      ['build', 'npm run package:signed'],
    ] as const) {
      const runs = (await read()).jobs[job]!.steps!.flatMap(({run}) => run ?? [])
      const at = runs.findIndex((run) => run.startsWith('curl '))
      expect(runs[at]).toMatch(/ --fail /)
      expect(runs[at]?.split(' ').slice(-3)).toEqual(['--output', SHAWL.file, SHAWL.url])
      expect(runs.indexOf(build)).toBeGreaterThan(at)
    }
  })

  test('publishes only what was tested on Windows and went past signing', async () => {
    const {jobs} = await read()
    const needed = Object.entries(jobs).flatMap(([name, {needs: wanted}]) => (wanted ? [[name, wanted]] : []))
    expect(Object.fromEntries(needed)).toEqual({
      build: 'sign-parts',
      publish: ['seal', 'test'],
      seal: 'sign',
      sign: 'build',
      'sign-parts': 'parts',
    })
  })

  test('hands the files on by the name that they were uploaded with', async () => {
    const {jobs} = await read()
    const artifacts = (action: string, {steps = []}: Job) =>
      steps.flatMap((one) => (one.uses?.startsWith(`actions/${action}-artifact@`) ? [one.with?.['name']] : []))
    for (const [from, to] of [
      ['parts', 'sign-parts'],
      ['sign-parts', 'build'],
      ['build', 'sign'],
      ['sign', 'seal'],
      ['seal', 'publish'],
    ] as const) {
      expect(artifacts('upload', jobs[from]!)).toHaveLength(1)
      expect(artifacts('download', jobs[to]!)).toEqual(artifacts('upload', jobs[from]!))
    }
  })

  test('gives the right to write to the job that publishes, which runs no code of the repository', async () => {
    const {jobs} = await read()
    const writing = Object.entries(jobs).filter(([, {permissions}]) => permissions !== undefined)
    expect(writing).toEqual([
      [
        'publish',
        expect.objectContaining({permissions: {attestations: 'write', contents: 'write', 'id-token': 'write'}}),
      ],
    ])
    for (const {run = '', uses = ''} of jobs['publish']!.steps!) {
      expect(`${uses}${run}`).not.toMatch(/checkout|npm (?:ci|run)/)
    }
  })

  test('review V6: signs k8s-win.exe, koffi.node and shawl.exe where there is an account, and gives the secrets to these steps only', async () => {
    const {jobs} = await read()
    const secret = stepsOf({jobs}).filter((one) => JSON.stringify(one).includes('secrets.'))
    const signing = (folder: string, filter: string) => ({
      if: "env.HAS_ACCOUNT == 'true'",
      uses: expect.stringMatching(/^Azure\/artifact-signing-action@/) as string,
      with: {'files-folder': `\${{ github.workspace }}/${folder}`, 'files-folder-filter': filter},
    })
    expect(secret).toMatchObject([signing('parts', 'exe,node'), signing('release', 'exe')])
    const ofJobs = Object.values(jobs).flatMap(({env = {}}) => Object.entries(env))
    const account = ['HAS_ACCOUNT', "${{ secrets.AZURE_CLIENT_SECRET != '' }}"]
    expect(ofJobs).toEqual([account, account])
    expect(JSON.stringify(jobs)).not.toMatch(/pfx/i)
    // A secret in a command would be in the log of the runner's processes.
    for (const {run = ''} of stepsOf({jobs})) expect(run).not.toContain('${{')
  })

  test('review V6: continues without an account: no step needs that one of signing ran', async () => {
    const {jobs} = await read()
    const conditions = stepsOf({jobs}).flatMap((one) => (one.if === undefined ? [] : [one.uses?.split('@')[0]]))
    expect(conditions).toEqual(['Azure/artifact-signing-action', 'Azure/artifact-signing-action'])
  })

  test('review D3-4: signs with the action of Azure Artifact Signing, by the names of its inputs', async () => {
    const signing = stepsOf(await read()).filter(({uses = ''}) => /signing/i.test(uses))
    expect(signing).toHaveLength(2)
    for (const {uses, with: inputs} of signing) {
      expect(uses).toMatch(/^Azure\/artifact-signing-action@/)
      // trusted-signing-account-name is that of the action before version 1.
      expect(inputs).toMatchObject({'signing-account-name': '${{ vars.SIGNING_ACCOUNT }}'})
      expect(Object.keys(inputs ?? {}).filter((name) => /trusted/.test(name))).toEqual([])
    }
  })

  test('review S2-14: names every action by a commit, with its release beside it', async () => {
    for (const file of ['release.yml', 'windows.yml']) {
      const text = await readFile(new URL(`.github/workflows/${file}`, root), 'utf8')
      const used = [...text.matchAll(/uses: ([^.\s]\S*)(.*)$/gm)]
      expect(used.length).toBeGreaterThan(1)
      for (const [, action, rest] of used) {
        expect(action).toMatch(/@[0-9a-f]{40}$/)
        expect(rest).toMatch(/^ # v\d+\.\d+\.\d+$/)
      }
    }
  })

  describe('review S2-14: node.exe, before it is changed,', () => {
    const BYTES = 'MZ node'
    const DIGEST = createHash('sha256').update(BYTES).digest('hex')

    /** The step, with a curl that answers this. */
    async function compare(sums: string): Promise<number | null> {
      const folder = await mkdtemp(path.join(tmpdir(), 'k8s-win-parts-'))
      try {
        await mkdir(path.join(folder, 'parts'))
        await writeFile(path.join(folder, 'parts/node-v24.21.0.exe'), BYTES)
        const answer = `test "$2" = https://nodejs.org/dist/v24.21.0/SHASUMS256.txt && printf '${sums}'\n`
        await writeFile(path.join(folder, 'curl'), `#!/bin/sh\n${answer}`, {mode: 0o755})
        const step = (await read()).jobs['parts']!.steps!.find(({run}) => run?.includes('SHASUMS256'))!
        const env = {...process.env, PATH: `${folder}:${process.env['PATH']}`}
        return spawnSync('bash', ['-eo', 'pipefail', '-c', step.run!], {cwd: folder, env}).status
      } finally {
        await rm(folder, {force: true, recursive: true})
      }
    }

    test.each([
      ['is the file of nodejs.org', 0, `0  node.tar.gz\\n${DIGEST}  win-x64/node.exe\\n${DIGEST}  win-x64/node.lib\\n`],
      ['is another file', 1, `${DIGEST.replace(/^./, 'x')}  win-x64/node.exe\\n`],
      ['has another digest', 1, `${'0'.repeat(64)}  win-x64/node.exe\\n`],
      ['is not in the list', 1, `${DIGEST}  win-arm64/node.exe\\n`],
    ])('%s: %i', async (_what, code, sums) => {
      expect(await compare(sums)).toBe(code)
    })

    test('has a signature that is verified, and is compared before it is packaged', async () => {
      const steps = (await read()).jobs['parts']!.steps!.map(({run = ''}) => run)
      const at = (text: string): number => steps.findIndex((run) => run.includes(text))
      expect(at('npm run package:parts')).toBeLessThan(at('SHASUMS256'))
      expect(at('SHASUMS256')).toBeLessThan(steps.findIndex((run) => run.includes('osslsigncode verify')))
      expect(steps[at('osslsigncode verify')]).toMatch(/OpenJS Foundation/)
    })
  })

  test.each([
    [`v${packageDocument.version}`, 0],
    ['v999.0.0', 1],
  ])('builds the tag %s, or not, by the version of the package', async (tag, code) => {
    const [check] = (await read()).jobs['parts']!.steps!.filter(({run}) => run?.startsWith('test "$GITHUB_REF_NAME"'))
    const {status} = spawnSync('sh', ['-e', '-c', check!.run!], {
      cwd: root,
      env: {...process.env, GITHUB_REF_NAME: tag},
    })
    expect(status).toBe(code)
  })

  test('publishes a file, where npm would read the name of a repository', async () => {
    const [publish] = stepsOf(await read()).flatMap(({run = ''}) => (run.startsWith('npm publish') ? [run] : []))
    expect(publish).toMatch(/ \.\/release\/k8s-win-\*\.tgz$/)
  })
})

describe('the schema refuses', () => {
  test.each<[string, (workflow: Workflow) => void]>([
    [
      'an action of another owner',
      ({jobs}) => jobs['build']!.steps!.push({uses: `x/checkout@${'0'.repeat(40)}`, with: {}}),
    ],
    ['an action by a tag', ({jobs}) => jobs['build']!.steps!.push({uses: 'actions/checkout@v5', with: {}})],
    ['an action by a branch', ({jobs}) => jobs['build']!.steps!.push({uses: 'actions/checkout@main', with: {}})],
    ['more permissions for all jobs', ({permissions}) => (permissions['contents'] = 'write')],
    ['a job without an end', ({jobs}) => Reflect.deleteProperty(jobs['sign']!, 'timeout-minutes')],
    ['a step that is none', ({jobs}) => jobs['build']!.steps!.push({})],
  ])('%s', async (_what, spoil) => {
    const workflow = await read()
    spoil(workflow)
    expect(validate(workflow)).toBe(false)
  })
})
