// Every command line of k8s-win in the documentation runs on the simulator, and every script of npm there exists.
import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {SHAWL} from '../../packaging/shawl.js'
import {ADMIN_CERTIFICATE} from '../../src/simulator/cluster/certificates.js'
import {makeKubeconfig} from '../../src/simulator/cluster/kubeconfig.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import packageDocument from '../../package.json' with {type: 'json'}
import {type Ended, k8sWin} from '../cli/program.js'
import {setupOn} from '../setup/in-process.js'
import {sample} from '../sample.js'
import {DiskHost} from '../steps/host-folder.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const inFolder = (folder: string): string[] =>
  readdirSync(join(root, folder)).flatMap((name) => (name.endsWith('.md') ? join(folder, name) : []))
const EXAMPLES = readdirSync(join(root, 'examples'), {recursive: true})
  .map((name) => join('examples', String(name)))
  .filter((name) => name.endsWith('.md'))
const PAGES = ['README.md', 'CONTRIBUTING.md', ...inFolder('docs')]

/** Of the code blocks of a page, without screens: test/readme/screens.ts makes these. */
function codeLines(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/<!-- screen [^]*?<!-- screenstop -->/g, '')
  return [...text.matchAll(/^```[^\n]*\n([^]*?)^```/gm)].flatMap(([, block = '']) => block.split('\n'))
}

/** Without what explains it, and without what its output goes to. */
const commandOf = (line: string): string =>
  line
    .trim()
    .replace(/^(?:\$|C:\\>) /, '')
    .replace(/ {3,}.*| +#.*/, '')
    .replace(/ (?:\||>|&&) .*/, '')

const wordsOf = (command: string): string[] =>
  [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')

const all = PAGES.flatMap((page) => codeLines(page).map((line) => [page, commandOf(line)] as const))
const COMMANDS = [...new Set(all.flatMap(([, command]) => (/^k8s-win [a-z]/.test(command) ? [command] : [])))]
  // What stands for something else is the usage of a command, not a command.
  .filter((command) => !/[[<|]/.test(command))
/** They end with Ctrl-C only. */
const ENDLESS = new Set(['--follow', '--watch', '-Follow'])

function argsOf(command: string): string[] {
  const words = wordsOf(command).slice(1)
  // A daemon runs until Ctrl-C: its command is printed.
  if (words[0] === 'run' && !words.includes('--print')) words.splice(1, 0, '--print')
  const isEndless = words.some((word) => ENDLESS.has(word))
  return isEndless
    ? words.filter(
        (word, at) => !ENDLESS.has(word) && !/^-+interval$/i.test(words[at - 1] ?? '') && !/^-+interval$/i.test(word),
      )
    : words
}

/** On a host of their own. A bundle is a change too: its file must not exist yet. */
const isChange = (command: string): boolean =>
  /^(?:logs|recover|reset|restart|setup|start|stop|token|upgrade|verify)$/.test(argsOf(command)[0] ?? '')
const CHANGES = sample(
  COMMANDS.filter((command) => isChange(command)),
  8,
)
const CALLED = COMMANDS.filter((command) => !isChange(command) || CHANGES.includes(command))

const hosts: DiskHost[] = []
const ended = new Map<string, Ended>()
beforeAll(async () => {
  const [empty, node, older] = [DiskHost.empty(), DiskHost.empty(), DiskHost.empty()]
  await openSimulator({dir: empty.dir, profile: 'ws2019'})
  await setupOn(node.dir)
  await setupOn(older.dir, {release: '1.35.8'}, {}, 'ws2022-containerd')
  hosts.push(empty, node, older)
  for (const host of [empty, node]) {
    host.put('node.yaml', 'apiVersion: k8s-win/v1\nkind: NodeConfig\nbaseDir: c:\\k\n')
    for (const file of ['admin.conf', String.raw`Users\Administrator\.kube\config`])
      host.put(file, makeKubeconfig('https://10.0.0.10:6443', ADMIN_CERTIFICATE))
  }
  for (const command of CALLED) {
    // A relative path is one of the machine that runs the test.
    const args = argsOf(command).map((word) => (/^(?:admin\.conf|node\.yaml)$/.test(word) ? node.file(word) : word))
    const [name = ''] = args
    // k8s-win does not stop Docker, so what names containerd is for a node that has it.
    const before = command.includes(' containerd') ? older : ({setup: empty, upgrade: older}[name] ?? node)
    // A command that names its profile has a host of its own.
    const isOwn = name === 'setup' && args.includes('--simulate')
    const host = isOwn ? DiskHost.empty() : isChange(command) ? before.copy() : node
    if (host !== node) hosts.push(host)
    const profile = before === older ? 'ws2022-containerd' : 'ws2019'
    const simulate = args.includes('--simulate') ? {} : {K8S_WIN_SIMULATE: profile}
    ended.set(command, await k8sWin(args, {...simulate, K8S_WIN_SIMULATE_DIR: host.dir, K8S_WIN_YES: 'true'}))
  }
}, 300_000)
afterAll(() => {
  for (const host of hosts) host.discard()
})

describe('the command lines of the documentation', () => {
  it('are found', () => {
    expect(COMMANDS.length).toBeGreaterThan(20)
    for (const name of [
      'setup',
      'upgrade',
      'recover',
      'pause',
      'resume',
      'stop',
      'start',
      'run',
      'verify',
      'reset',
      'status',
      'doctor',
      'logs',
      'explain',
      'manifest',
      'config',
      'token',
    ]) {
      expect(COMMANDS.some((command) => command.startsWith(`k8s-win ${name}`))).toBe(true)
    }
  })

  it.each(CALLED)('%s', (command) => {
    const {code, stderr} = ended.get(command) ?? {}
    // The simulated host has no service (2), no second adapter and no windows_exporter (3), no node on another drive and no run to attach to (9).
    const isElsewhere = /"Ethernet 2"|d:\\k|^k8s-win attach|--metrics-file| -Detach/i.test(command)
    expect({code, stderr}).toEqual({code: isElsewhere ? (expect.toBeOneOf([0, 2, 3, 9]) as number) : 0, stderr})
  })

  it('name scripts of npm that exist', () => {
    const scripts = all.flatMap(([, line]) =>
      [...line.matchAll(/\bnpm (?:run )?([\w:]+)/g)].map(([, name = '']) => name),
    )
    const known = [...Object.keys(packageDocument.scripts), 'ci', 'install', 'pack']
    expect(scripts.filter((name) => !known.includes(name))).toEqual([])
    expect(scripts.length).toBeGreaterThan(3)
  })

  it('review P3-3: install no package of npm by a name, which may be that of anybody', () => {
    const pages = [...PAGES, ...EXAMPLES, 'CHANGELOG.md']
    const named = pages.flatMap((page) =>
      [
        ...readFileSync(join(root, page), 'utf8').matchAll(
          /\bnpx (?!tsx|vitest)\S+|\bnpm (?:install|i)(?: -\S+)* (?!<release>)[\w@]\S*/g,
        ),
      ].map(([found]) => `${page}: ${found}`),
    )
    expect(named).toEqual([])
  })

  it('review P3-3: the one line that builds what can be installed is on the page, as nothing is released', () => {
    const [, install = ''] = /^## Install\n([^]*?)^## /m.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
    expect(install).toContain('released')
    expect(install).toMatch(/^npm ci && npm run package$/m)
    // Without its archive the package would have shawl 1.3.0.
    expect(install).toContain(`curl -fLo ${SHAWL.file} --create-dirs ${SHAWL.url}`)
  })
})
