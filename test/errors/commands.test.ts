// Every command that a text prints can be typed as it is printed: each is parsed with the flags of the command it names, and
// what a broken node is told to run is run there, after which that problem is gone, or a person must act first.
import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import manifest from '../../oclif.manifest.json' with {type: 'json'}
import {normalizeArguments} from '../../src/cli/arguments/powershell-arguments.js'
import {specOf} from '../../src/cli/arguments/run-command-line.js'
import type {RuntimeName} from '../../src/config/model.js'
import {ERRORS} from '../../src/errors/catalogue.js'
import {commandIn} from '../../src/errors/k8s-win-error.js'
import type {StatusDocument} from '../../src/pipeline/run/status-report.js'
import {EXPLANATIONS} from '../../src/runs/explain.js'
import {BROKEN_NODES, type BrokenNode} from '../hosts/broken-nodes.js'
import {UNHEALTHY_HOSTS} from '../hosts/unhealthy-nodes.js'
import {setupOn} from '../setup/in-process.js'
import {type DiskHost, HostFolder} from '../steps/host-folder.js'
import {errorsOf, execute, problemsOn, runOn} from './printed-commands.js'
import {STATES} from './printing-states.js'

const commands = manifest.commands as unknown as Record<
  string,
  {args?: Parameters<typeof specOf>[2]; flags: Parameters<typeof specOf>[1]}
>

/** What is wrong with a command line; words in angle brackets and of templates stand for a value. */
function problemsOf(command: string): string[] {
  const words = [...command.matchAll(/"[^"]*"|\S+/g)].map(([word]) => word.replaceAll('"', ''))
  const [first = '', second = ''] = words
  const id = [`${first}:${second}`, first].find((one) => one in commands)
  if (id === undefined) return [/^--?(?:help|version)$/.test(first) ? [] : `there is no command ${first}`].flat()
  const {args, flags} = commands[id]!
  const given = words.slice(id.split(':').length).filter((word) => word !== '...')
  return normalizeArguments(given, specOf(id, flags, args)).problems.map(({message}) => message)
}

/** In double quotes (within them a folder has others), or after what announces it. */
const PRINTED = /(?:"|\b[Rr]un: |example: |can: ["']?)k8s-win ([a-z](?:[^"'`\n|]|"[^"\n]*"(?='))*)/g
const commandsIn = (text: string): string[] =>
  [...text.replaceAll(/\$\{[^{}]*\}|\{\w+(?::\w+)?\}/g, '<value>').matchAll(PRINTED)].map(([, command = '']) =>
    command.replace(/[\\.,;:)]+$/, '').trim(),
  )

const SOURCES = readdirSync('src', {encoding: 'utf8', recursive: true})
  .filter((name) => name.endsWith('.ts') && !name.startsWith('simulator'))
  .map((name) => [name, readFileSync(join('src', name), 'utf8').replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '')] as const)
const TEXTS = [
  ...EXPLANATIONS.map(({cause = '', fix, id, message}) => [id, [message, cause, fix].join('\n')] as const),
  ...SOURCES,
]

describe('review W3-5: a command in a text', () => {
  const all = TEXTS.flatMap(([where, text]) => commandsIn(text).map((command) => ({command, where})))

  test('is parsed by the command that it names', () => {
    /** Names of rules, and sentences of the source in double quotes. */
    const isName = (command: string): boolean =>
      /^(?:<value>|kubelet TCP|kube-?proxy TCP|(?:can|cannot|does|has|is|itself|may|requires|runs?|sets|starts|support|writes)\b(?! --|$| <))/.test(
        command,
      ) && !/^run (?:kubelet|kube-proxy|flanneld|containerd)/.test(command)
    /** What the source makes of several parts. */
    const isTemplate = (problem: string): boolean =>
      /Unexpected argument "(?:<value>|<argument>|<options>|\$1|undefined|\?)"|\$\{|setup<value>/.test(problem)
    const wrong = all
      .filter(({command}) => !isName(command))
      .map((one) => ({...one, problems: problemsOf(one.command).filter((problem) => !isTemplate(problem))}))
      .filter(({problems}) => problems.length > 0)
    expect(wrong).toEqual([])
    expect(all.length).toBeGreaterThan(150)
  })

  test('a flag that does not exist is found', () => {
    expect(problemsOf('recover --adopt')).toHaveLength(1)
    expect(problemsOf('setup --adopt')).toEqual([])
    expect(commandsIn('Run "k8s-win verify --kubeconfig <file>".')).toEqual(['verify --kubeconfig <file>'])
  })

  /** Which print a text with such a flag, where not every command that changes a node does. */
  const ONLY: Readonly<Record<string, readonly string[]>> = {
    // What is waited for within the limit of the flag, or asked for because of it.
    drain: ['reset', 'restart', 'stop', 'upgrade'],
    'drain-timeout': ['reset', 'restart', 'stop', 'upgrade'],
    'no-detach': ['recover', 'reset', 'setup', 'upgrade'],
    report: ['setup', 'upgrade'],
    timeout: ['recover', 'reset', 'setup', 'upgrade', 'verify'],
    yes: ['recover', 'reset', 'restart', 'run', 'setup', 'stop', 'upgrade'],
  }

  test('"the same command" is told to have a flag only if every command that prints it has it', () => {
    const named = TEXTS.flatMap(([where, text]) =>
      [...text.matchAll(/same command(?: again)?[^.;"'\]\n]*?--([a-z-]+)/g)].map(([, flag = '']) => ({flag, where})),
    )
    expect(named.filter(({flag}) => !(flag in ONLY))).toEqual([])
    for (const [flag, printing] of Object.entries(ONLY))
      expect(
        printing.filter((one) => problemsOf(`${one} --${flag}${/timeout|report/.test(flag) ? ' 5m' : ''}`).length > 0),
      ).toEqual([])
    expect(named.length).toBeGreaterThan(4)
  })
})

const PROFILES: Readonly<Record<RuntimeName, string>> = {containerd: 'ws2022-containerd', docker: 'ws2019'}
/** What a person does: the text says what, and has no command of k8s-win that does it without a choice. */
const PERSON = new Set([
  'API_SERVER_UNREACHABLE',
  'CLOCK_WRONG',
  // A restart of the container runtime ends the pods.
  'CONTAINERD_STOPPED',
  'DISK_FULL',
  'DOCKER_STOPPED',
  'NODE_ADDRESS_LOST',
  'SERVICE_BACKENDS_WRONG',
])

/** One of each kind, with containerd where there is one. */
const ROWS = [...new Set(BROKEN_NODES.map(({id}) => id))].map((id) => {
  const rows = BROKEN_NODES.filter((one) => one.id === id)
  const row = rows.find(({runtimes}) => runtimes.includes('containerd')) ?? rows[0]!
  return {row, runtime: row.runtimes.at(-1) ?? 'docker'}
})
/** With Docker: what a run of setup repairs. */
const REPAIRED = UNHEALTHY_HOSTS.filter(({setup}) => setup === 'repairs')
/** The errors whose command was run. */
const reached = new Set<string>()
const bases = new Map<RuntimeName, HostFolder>()
const hosts: DiskHost[] = []

async function broken({break: make}: Pick<BrokenNode, 'break'>, runtime: RuntimeName): Promise<DiskHost> {
  const copy = bases.get(runtime)!.copy()
  await make(copy)
  const host = copy.onDisk()
  hosts.push(host)
  return host
}
const unexplainedOn = async (host: DiskHost): Promise<StatusDocument['problems']> =>
  (await problemsOn(host)).filter(({explainedBy}) => explainedBy === undefined)

beforeAll(async () => {
  for (const runtime of ['containerd', 'docker'] as const) {
    const host = HostFolder.empty()
    expect((await setupOn(host.dir, {}, {}, PROFILES[runtime])).result.exitCode).toBe(0)
    bases.set(runtime, host)
  }
}, 60_000)
afterAll(() => {
  for (const host of hosts) host.discard()
})

describe('review W3-5: what a broken node is told to run', () => {
  async function demandRepaired(row: Pick<BrokenNode, 'break'>, runtime: RuntimeName): Promise<void> {
    const host = await broken(row, runtime)
    const before = await unexplainedOn(host)
    const without = before.filter(({command, id}) => command === null && !PERSON.has(id))
    expect(without.map(({id, next}) => ({id, next}))).toEqual([])
    for (const command of new Set(before.flatMap(({command: one}) => (one === null ? [] : [one])))) {
      const {code, stdout} = await execute(host, command)
      // The text of an error can name another command in turn, which a person reads.
      for (const error of code === 0 ? [] : errorsOf(stdout)) {
        if (error.command === null) continue
        await execute(host, error.command)
        reached.add(error.id)
      }
    }
    const after = await unexplainedOn(host)
    expect(after.filter(({id}) => !PERSON.has(id)).map(({id, next}) => ({id, next}))).toEqual([])
    for (const {command, id} of before) if (command !== null) reached.add(id)
  }

  test.each(ROWS.map((one) => [one.row.id, one] as const))(
    '%s',
    async (_, {row, runtime}) => demandRepaired(row, runtime),
    60_000,
  )

  test.each(REPAIRED.map((one) => [one.name, one] as const))(
    '%s',
    async (_, {make}) => demandRepaired({break: make}, 'docker'),
    60_000,
  )

  test.each(['recover', 'start kubelet', 'stop kubelet', 'restart kubelet'])(
    'a service of another program, by %s',
    async (command) => {
      const breaks = (folder: HostFolder): void =>
        folder.edit(({services}) => {
          const kubelet = services['kubelet']!
          kubelet.config = {...kubelet.config, description: 'of another program'}
        })
      const host = await broken({break: breaks}, 'containerd')
      const {stdout} = await runOn(host, command.split(' '))
      const found = errorsOf(stdout).filter(({id}) => id === 'FOREIGN_SERVICE')
      for (const {fix} of found) expect(fix).toContain('Run setup with --adopt')
      if (command === 'recover') expect(found).toHaveLength(1)
      expect(await runOn(host, ['setup', '--adopt', '--yes'])).toMatchObject({code: 0})
      expect(await unexplainedOn(host)).toEqual([])
    },
    60_000,
  )
})

test('review W3-5: every error with a command is printed by a state here or in printing-states.ts', () => {
  const having = ERRORS.filter((error) => commandIn(error.describe().fix.replaceAll(/<(\w+)>/g, '$1')) !== null)
  const made = new Set([...reached, ...STATES.map(({id}) => id)])
  expect(having.map(({id}) => id).filter((id) => !made.has(id))).toEqual([])
})
