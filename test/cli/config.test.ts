// config show and config schema, as people and programs call them.
import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {Ajv} from 'ajv'
import {describe, expect, test} from 'vitest'
import {ALL_OPTIONS, OPTIONS} from '../../src/config/options/options.js'
import {configSchema} from '../../src/config/options/schema.js'
import type {ConfigDocument} from '../../src/output/text/config-table.js'
import {schemaErrors, schemaOf} from '../schemas.js'
import {temporaryFolder} from '../steps/rig.js'
import {k8sWin} from './program.js'

const HEAD = 'apiVersion: k8s-win/v1\nkind: NodeConfig\n'

async function fileWith(body: string): Promise<string> {
  const path = join(temporaryFolder(), 'node.yaml')
  await writeFile(path, HEAD + body)
  return path
}

describe('config show', () => {
  test('is a table of every option, its value and where it comes from, on any system', async () => {
    const file = await fileWith('nodeLabels: {disk: ssd}\nserviceCIDR: 10.96.0.0/12\n')
    const environment = {K8S_WIN_RELEASE: '1.22.17'}
    const {code, stderr, stdout} = await k8sWin(['config', 'show', '-Config', file, '-Adopt:$true'], environment)
    expect({code, stderr}).toEqual({code: 0, stderr: 'From the environment: K8S_WIN_RELEASE=1.22.17\n'})
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/))
    expect(rows[0]).toEqual(['OPTION', 'VALUE', 'FROM'])
    // What only a file can have has no flag.
    expect(rows.slice(1).map(([flag]) => flag)).toEqual(
      ALL_OPTIONS.flatMap(({flag, key, kind}) => (key === undefined ? [] : [kind === 'fields' ? key : `--${flag}`])),
    )
    expect(rows).toContainEqual(['--base-dir', String.raw`C:\k`, 'default'])
    expect(rows).toContainEqual(['--adopt', 'true', 'command line: --adopt'])
    expect(rows).toContainEqual(['--release', '1.22.17', 'environment: K8S_WIN_RELEASE'])
    expect(rows).toContainEqual(['--service-cidr', '10.96.0.0/12', `file: ${file}:4:14 serviceCIDR`])
    expect(rows).toContainEqual(['--node-label', 'disk=ssd', `file: ${file}:3:14 nodeLabels`])
    expect(rows).toContainEqual(['--cluster-dns', '(read from the cluster)', 'default'])
  })

  test('is a document of its schema as JSON, and one line as NDJSON', async () => {
    const {code, stdout} = await k8sWin(['config', 'show', '--skip', 'docker,net-conf', '--json'])
    const document = JSON.parse(stdout) as ConfigDocument
    expect({code, errors: schemaErrors('config', document)}).toEqual({code: 0, errors: []})
    const of = (flag: string) => document.options.find((option) => option.flag === flag)
    expect(of('skip')).toEqual({
      flag: 'skip',
      key: 'skip',
      source: 'flag',
      value: ['docker', 'net-conf'],
      where: '--skip',
    })
    expect(of('node-name')).toMatchObject({source: 'default', value: null, where: ''})
    expect(of('adopt')).toMatchObject({value: false})

    const line = await k8sWin(['config', 'show', '--skip', 'docker,net-conf', '--output', 'ndjson'])
    expect(line.stdout.trimEnd().split('\n')).toHaveLength(1)
    expect(JSON.parse(line.stdout)).toEqual(document)
  })

  test('reports what DOCKER_HOST says', async () => {
    const {stdout} = await k8sWin(['config', 'show'], {DOCKER_HOST: 'npipe:////./pipe/mine'})
    expect(stdout).toMatch(/--docker-endpoint +npipe:\/\/\/\/\.\/pipe\/mine +environment: DOCKER_HOST/)
  })

  test('reports what the last setup stored, and changes nothing', async () => {
    const simulated = {K8S_WIN_SIMULATE: 'ws2019', K8S_WIN_SIMULATE_DIR: temporaryFolder()}
    expect((await k8sWin(['setup', '--cluster-domain', 'one.local', '--yes'], simulated)).code).toBe(0)
    const before = await readFile(join(simulated.K8S_WIN_SIMULATE_DIR, 'machine.json'), 'utf8')
    const {code, stdout} = await k8sWin(['config', 'show'], simulated)
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /--cluster-domain +one\.local +last setup: C:\\k\\k8s-win\\node\.yaml:\d+:\d+ clusterDomain\n/,
    )
    expect(stdout).toMatch(
      /--cluster-cidr +10\.244\.0\.0\/16 +last setup: C:\\k\\k8s-win\\node\.yaml:\d+:\d+ clusterCIDR\n/,
    )
    expect(stdout).toMatch(/--image-registry +mcr\.microsoft\.com +default\n/)
    expect(await readFile(join(simulated.K8S_WIN_SIMULATE_DIR, 'machine.json'), 'utf8')).toBe(before)
  })

  test('reports everything that is wrong, with exit code 2', async () => {
    const file = await fileWith('relase: x\n')
    const args = ['config', 'show', '--config', file, '--node-ip', 'x']
    const {code, stderr, stdout} = await k8sWin(args, {K8S_WIN_ADOPT: 'perhaps'})
    expect({code, stdout}).toEqual({code: 2, stdout: ''})
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`${file}:3:1: unknown key relase`)
    expect(stderr).toContain('Did you mean release?')
    expect(stderr).toContain('--node-ip "x" cannot be used')
    expect(stderr).toContain('K8S_WIN_ADOPT must be true or false, not "perhaps"')
    const asJson = await k8sWin([...args, '--json'])
    expect(JSON.parse(asJson.stdout)).toMatchObject({command: 'config show', exitCode: 2})
  })

  test('takes no flag of a single run', async () => {
    const {code, stderr} = await k8sWin(['config', 'show', '--dry-run'])
    expect(code).toBe(2)
    expect(stderr).toContain('The command config show has no such flag.')
  })
})

describe('config schema', () => {
  test('is the one in the package, and a schema', async () => {
    const {code, stderr, stdout} = await k8sWin(['config', 'schema'])
    expect({code, stderr}).toEqual({code: 0, stderr: ''})
    expect(JSON.parse(stdout)).toEqual(configSchema())
    expect(schemaOf('node-config')).toEqual(configSchema())
    expect(new Ajv({allowUnionTypes: true, strict: true}).compile(configSchema())).toBeTypeOf('function')
  })

  test('has a description for every key, and the defaults', () => {
    const text = JSON.stringify(configSchema())
    for (const {flag, key} of OPTIONS) expect(text.includes(`(--${flag})`)).toBe(key !== undefined)
    expect(configSchema()).toMatchObject({
      properties: {
        adopt: {default: false},
        clusterCIDR: {default: '10.244.0.0/16'},
        versions: {properties: {cni: {type: ['string', 'number']}}},
      },
    })
  })
})

describe('the topic', () => {
  test.each([[['config']], [['config', '--help']], [['help', 'config']], [['config', '/?']]])(
    '%j shows its commands',
    async (args) => {
      const {code, stderr, stdout} = await k8sWin(args)
      expect({code, stderr}).toEqual({code: 0, stderr: ''})
      expect(stdout).toContain('config schema')
      expect(stdout).toContain('config show')
    },
  )

  test.each([
    [['config', 'show', '--help']],
    [['help', 'config', 'show']],
    [['config', 'show', '-?']],
    [['config', 'show', '-BaseDir', 'x', '/?']],
  ])('%j shows the page of config show', async (args) => {
    const {code, stdout} = await k8sWin(args)
    expect(code).toBe(0)
    expect(stdout).toContain('$ k8s-win config show [FLAGS]')
    expect(stdout).toContain('--config c:\\node.yaml')
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  test.each([
    [['config', 'shwo'], 'Unknown command "config shwo"', 'Did you mean "k8s-win config show"?'],
    [['config', '-BaseDir', 'x'], 'Unknown command "config"', 'Did you mean "k8s-win config s'],
    [['help', 'config', 'nope'], 'Unknown command "config nope"', '"k8s-win --help" lists all commands.'],
    [['setup', 'show'], 'Unexpected argument "show"', 'k8s-win setup --help'],
  ])('%j is reported', async (args, message, fix) => {
    const {code, stderr} = await k8sWin(args)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
    expect(stderr).toContain(fix)
  })
})
