// Every document and every line of JSON of every command is one of a schema in the package.
import {readdirSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {ERRORS} from '../../src/errors/catalogue.js'
import {commandIn} from '../../src/errors/k8s-win-error.js'
import type {ErrorDocument} from '../../src/pipeline/run/events.js'
import type {StatusProblem} from '../../src/pipeline/run/status-report.js'
import {schemaErrors, schemaOf} from '../schemas.js'
import {setupOn} from '../setup/in-process.js'
import {DiskHost} from '../steps/host-folder.js'
import {k8sWin} from './program.js'

const [node, unhealthy, empty] = [DiskHost.empty(), DiskHost.empty(), DiskHost.empty()]
beforeAll(async () => {
  await setupOn(node.dir)
  node.copyTo(unhealthy)
  unhealthy.edit(({cluster, docker, services}) => {
    for (const name of ['kubelet', 'kubeproxy']) services[name]!.state = 'stopped'
    docker.images = []
    cluster.nodes = []
  })
})
afterAll(() => {
  for (const host of [node, unhealthy, empty]) host.discard()
})

const PROGRAM = `--program-url https://example.com/k8s-win.exe --program-digest sha256:${'a'.repeat(64)}`
const NDJSON = ['--output', 'ndjson']
/** By its command line: the schema of its document, or of each of its lines. */
const COMMANDS: readonly [line: string, host: DiskHost, schema: string, exitCode?: number][] = [
  ['setup --json', node, 'result'],
  ['setup --output ndjson', node, 'event'],
  ['setup --dry-run --cluster-dns 10.10.0.11 --json', node, 'result'],
  ['setup --dry-run --cluster-dns 10.10.0.11 --output ndjson', node, 'event'],
  ['setup --interface-name nope --json', empty, 'result', 3],
  ['setup --interface-name nope --output ndjson', empty, 'event', 3],
  ['status --json', node, 'status'],
  ['status --output ndjson', node, 'status'],
  ['status --json', unhealthy, 'status', 8],
  ['status --json', empty, 'status', 9],
  ['doctor --json', node, 'doctor'],
  ['doctor --output ndjson', node, 'doctor-event'],
  ['doctor --json', unhealthy, 'doctor', 3],
  ['doctor --output ndjson', unhealthy, 'doctor-event', 3],
  ['doctor --json', empty, 'doctor'],
  ['logs --tail 50 --output ndjson', node, 'log-entry'],
  ['logs k8s-win --tail 50 --output ndjson', node, 'log-entry'],
  ['logs --path --output ndjson', node, 'log-folder'],
  ['logs --bundle <file> --json', node, 'bundle'],
  ['logs --bundle <file> --output ndjson', node, 'bundle'],
  ['report --json', node, 'report'],
  ['report --output ndjson', node, 'report'],
  ['pause --for 2h --json', node, 'pause'],
  ['status --json', node, 'status'],
  ['resume --output ndjson', node, 'pause'],
  ['pause --json', empty, 'result', 9],
  ['pause --for 721h --json', node, 'result', 2],
  ['stop kubelet --json', node, 'result'],
  ['start --output ndjson', node, 'event'],
  ['restart kubeproxy --json', node, 'result'],
  ['stop --json', empty, 'result', 9],
  ['run kubelet --print --json', node, 'foreground'],
  ['run flanneld --print --output ndjson', node, 'foreground'],
  ['run kubelet --json -- --no-such', node, 'result', 2],
  ['config show --json', node, 'config'],
  ['config show --output ndjson', node, 'config'],
  ['manifest flannel --json', node, 'manifest'],
  ['manifest flannel --output ndjson', node, 'manifest-object'],
  ['manifest node-access --json', node, 'manifest'],
  ['manifest node-access --output ndjson', node, 'manifest-object'],
  ['token create --kubeconfig <admin> --json', node, 'token-created'],
  ['token create --kubeconfig <admin> --ttl 0 --output ndjson', node, 'token-created'],
  ['token list --kubeconfig <admin> --json', node, 'token-list'],
  ['token list --kubeconfig <admin> --output ndjson', node, 'token-list'],
  ['token delete abcdef --kubeconfig <admin> --json', node, 'token-deleted'],
  ['token delete abcdef --kubeconfig <admin> --output ndjson', node, 'event', 3],
  ['explain NO_POD_CIDR --json', node, 'explanation'],
  ['explain NO_POD_CIDR disk --output ndjson', node, 'explanation'],
  [`userdata gce ${PROGRAM} --json`, node, 'userdata'],
  [`userdata openstack ${PROGRAM} --format multipart --output ndjson`, node, 'userdata'],
  [`userdata aws ${PROGRAM} --kubeconfig x --json`, node, 'result', 2],
  ...[
    'setup',
    'upgrade',
    'reset',
    'status',
    'doctor',
    'logs',
    'pause',
    'resume',
    'config show',
    'manifest flannel',
    'manifest node-access',
    'explain',
    'token create',
    'token list',
    'token delete',
    'userdata',
  ].flatMap((command): [string, DiskHost, string, number][] => [
    [`${command} --nope --json`, empty, 'result', 2],
    [`${command} --nope --output ndjson`, empty, 'event', 2],
  ]),
  ['logs --json', empty, 'result', 9],
  ['logs --output ndjson', empty, 'event', 9],
  ['explain nonsense --json', empty, 'result', 2],
  [`userdata gce ${PROGRAM} --rehearse --json`, node, 'rehearsal'],
  // Last: they leave nothing to look at.
  ['reset --dry-run --json', node, 'result'],
  ['reset --dry-run --output ndjson', node, 'event'],
  ['reset --yes --json', unhealthy, 'result'],
  ['reset --yes --output ndjson', node, 'event'],
]

/** Every object in it that has an ID of the catalogue and says what to do. */
function problemsIn(value: unknown): (ErrorDocument | StatusProblem)[] {
  if (typeof value !== 'object' || value === null) return []
  const own = 'id' in value && 'cause' in value && ('next' in value || 'url' in value) ? [value] : []
  return [...(own as ErrorDocument[]), ...Object.values(value).flatMap(problemsIn)]
}

describe('review U10: every document is one of its schema, and every problem in it has an ID and a command', () => {
  const argsOf = (line: string, dir: string): string[] =>
    line
      .split(' ')
      .map((word) => (word === '<file>' ? join(dir, `${line.length}.zip`) : word))
      .map((word) => (word === '<admin>' ? join(dir, 'admin.kubeconfig') : word))

  it.each(COMMANDS)('%s', async (line, {dir}, schema, exitCode = 0) => {
    const args = argsOf(line, dir)
    const {code, stdout} = await k8sWin(args, {K8S_WIN_SIMULATE: 'ws2019', K8S_WIN_SIMULATE_DIR: dir})
    const isLines = NDJSON.every((word) => args.includes(word))
    const documents = (isLines ? stdout.trimEnd().split('\n') : [stdout]).map((text) => JSON.parse(text) as unknown)
    expect(documents.flatMap((document) => schemaErrors(schema, document))).toEqual([])
    expect(code).toBe(exitCode)
    const problems = problemsIn(documents)
    if (exitCode !== 0) expect(problems).not.toEqual([])
    for (const {command, id} of problems) {
      expect(ERRORS.some((error) => error.id === id)).toBe(true)
      expect(command === null || /^[\w"]/.test(command)).toBe(true)
    }
  })

  it('--version --json', async () => {
    const {stdout} = await k8sWin(['--version', '--json'])
    expect(schemaErrors('version', JSON.parse(stdout))).toEqual([])
  })

  it('and no schema is without a document, or without an $id', () => {
    const names = readdirSync(new URL('../../schemas', import.meta.url)).map((name) => name.replace('.schema.json', ''))
    const others = ['bundle-manifest', 'health', 'machine', 'node-config', 'version']
    expect(names.sort()).toEqual([...new Set([...COMMANDS.map(([, , schema]) => schema), ...others])].sort())
    for (const name of names) expect(schemaOf(name)).toHaveProperty('$id')
  })
})

describe('review U10: the command of a problem', () => {
  it.each([
    ['Run "k8s-win setup" again: it repairs the journal.', 'k8s-win setup'],
    ['Read its log ("k8s-win logs kubelet"), fix what it says, and run "k8s-win setup" again.', 'k8s-win setup'],
    [
      'Run "Install-WindowsFeature Containers" in PowerShell, restart Windows, and run the same command again.',
      'Install-WindowsFeature Containers',
    ],
    ['Run "k8s-win setup --kubeconfig <file>".', null],
    ['Run "kubectl describe node win-1" and fix what it says.', null],
    ['Run the same command again.', null],
  ])('%s', (fix, command) => {
    expect(commandIn(fix)).toBe(command)
  })

  it('is typed for this host, also where another words it', async () => {
    const {stdout} = await k8sWin(['status', '--json', '--simulate', 'ws2019', '--simulate-dir', empty.dir])
    const {problems} = JSON.parse(stdout) as {problems: StatusProblem[]}
    expect(problems).toMatchObject([
      {command: `node bin/run.js setup --simulate ws2019 --simulate-dir ${empty.dir}`, id: 'NO_NODE'},
    ])
  })
})
