// The example of Ansible with Debian's Ansible: its tasks of Windows act on a simulated host and this machine.
import {execFile} from 'node:child_process'
import {createHash} from 'node:crypto'
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {fileURLToPath} from 'node:url'
import {parse} from 'yaml'
import {BIN} from '../../cli/program.js'
import {JOIN, TOKEN} from '../../join/joining-host.js'
import type {DiskHost} from '../../steps/host-folder.js'
import {openPrograms} from '../debian-programs.js'

export const PLAYBOOK = fileURLToPath(new URL('../../../examples/ansible/k8s-win.yml', import.meta.url))
export const INVENTORY = fileURLToPath(new URL('../../../examples/ansible/inventory.yml', import.meta.url))

const PACKAGES = [
  'ansible',
  'ansible-core',
  'python3-jinja2',
  'python3-markupsafe',
  'python3-packaging',
  'python3-resolvelib',
  'python3-yaml',
] as const

export interface Played {
  readonly code: number
  readonly output: string
}

type Ansible = (args: readonly string[], environment?: Readonly<Record<string, string>>) => Promise<Played>

/** `ansible-playbook`, in a home of its own. */
export async function openAnsible(): Promise<Ansible> {
  const {environment, find, root} = await openPrograms(PACKAGES)
  return async (args, more = {}) => {
    const home = await mkdtemp(path.join(tmpdir(), 'ansible-'))
    const env = {
      ...environment,
      ANSIBLE_LOCALHOST_WARNING: 'false',
      ANSIBLE_NOCOLOR: 'true',
      HOME: home,
      LC_ALL: 'C.UTF-8',
      PATH: `${path.dirname(process.execPath)}:${environment['PATH']}`,
      PYTHONPATH: path.join(root, 'usr/lib/python3/dist-packages'),
      ...more,
    }
    try {
      return await new Promise((resolve) => {
        execFile('/usr/bin/python3', [find('ansible-playbook'), ...args], {env}, (error, stdout, stderr) => {
          resolve({code: error ? Number(error.code ?? -1) : 0, output: stdout + stderr})
        })
      })
    } finally {
      await rm(home, {force: true, recursive: true})
    }
  }
}

const RESTART = [
  process.execPath,
  '--import',
  import.meta.resolve('tsx'),
  fileURLToPath(new URL('restart.ts', import.meta.url)),
]

type Task = Readonly<Record<string, unknown>>

/** What Windows tasks become. `win_reboot` does to the simulated host what a restart does; what installs the program goes. */
function onThisMachine(task: Task): readonly Task[] {
  const entries = Object.entries(task).flatMap(([key, value]): [string, unknown][] => {
    switch (key) {
      case 'ansible.windows.win_command':
        return [['ansible.builtin.command', value]]
      case 'ansible.windows.win_stat':
        return [['ansible.builtin.stat', value]]
      case 'ansible.windows.win_reboot':
        return [['ansible.builtin.command', {argv: RESTART}]]
      case 'ansible.windows.win_file':
      case 'ansible.windows.win_get_url':
        return []
      case 'block':
        return [[key, (value as Task[]).flatMap(onThisMachine)]]
      default:
        return [[key, value]]
    }
  })
  const isEmpty = entries.every(([key]) => key === 'name')
  return isEmpty ? [] : [Object.fromEntries(entries)]
}

/** Variables of the playbook, and what `k8s_win_options` has besides server and hash. */
export interface Values {
  readonly k8s_win_sha256?: string
  readonly options?: readonly string[]
}

/** The playbook for a simulated host that joins with a token, as a function of more arguments. */
export async function playOn(ansible: Ansible, host: DiskHost, {options = [], ...values}: Values = {}) {
  const folder = await mkdtemp(path.join(tmpdir(), 'playbook-'))
  const [play] = parse(await readFile(PLAYBOOK, 'utf8')) as [{tasks: Task[]}]
  const file = path.join(folder, 'k8s-win.yml')
  await writeFile(file, JSON.stringify([{...play, tasks: play.tasks.flatMap(onThisMachine)}]))
  await writeFile(path.join(folder, 'hosts.yml'), 'k8s_win: {hosts: {win-1: {ansible_connection: local}}}')
  const variables = {
    ansible_python_interpreter: '/usr/bin/python3',
    k8s_win_program: BIN,
    k8s_win_sha256: createHash('sha256')
      .update(await readFile(BIN))
      .digest('hex'),
    ...values,
    k8s_win_options: [
      `--server=${String(JOIN.server)}`,
      ...[JOIN['ca-cert-hash'] ?? []].flat().map((hash) => `--ca-cert-hash=${hash}`),
      ...options,
    ],
  }
  const given = ['-i', path.join(folder, 'hosts.yml'), '-e', JSON.stringify(variables), file]
  const environment = {K8S_WIN_SIMULATE: host.world.os.profile, K8S_WIN_SIMULATE_DIR: host.dir, K8S_WIN_TOKEN: TOKEN}
  return {
    play: (...args: readonly string[]) => ansible([...given, ...args], environment),
    remove: () => rm(folder, {force: true, recursive: true}),
  }
}

/** The counts of the recap of win-1. */
export function recapOf({output}: Played): Readonly<Record<string, number>> {
  const [, counts = ''] = /^win-1\s+: (.*)$/m.exec(output) ?? []
  const pairs = [...counts.matchAll(/(\w+)=(\d+)/g)].map(([, key = '', count]) => [key, Number(count)] as const)
  return Object.fromEntries(pairs)
}
