// One description of a node, asked of its machine: the same code looks at a simulated host and, in node.exe, at a real one.
import {DAEMONS} from '../../src/config/daemons.js'
import {createHash} from 'node:crypto'
import {win32} from 'node:path'
import {KUBELET_CERTIFICATE_FILES, KUBELET_KEYS, type Layout, layoutOf} from '../../src/config/layout.js'
import {K8sWinError} from '../../src/errors/k8s-win-error.js'
import {openRequests} from '../../src/host/cluster/request.js'
import {readKubeconfig} from '../../src/host/cluster/kubeconfig.js'
import {waitFor} from '../../src/host/wait.js'
import type {Files} from '../../src/machine/files.js'
import type {Machine} from '../../src/machine/machine.js'
import type {Win32} from '../../src/machine/win32.js'
import {describeIssued} from './issued-certificate.js'
import {normal} from './normal.js'
import type {Observation} from './observation.js'
import {ADMIN_FILE} from './scenario.js'

const SERVICES: readonly string[] = DAEMONS.map(({service}) => service)
const SERVICES_KEY = String.raw`SYSTEM\CurrentControlSet\Services`
const ENVIRONMENT_KEY = String.raw`SYSTEM\CurrentControlSet\Control\Session Manager\Environment`
const FIREWALL_KEY = String.raw`SYSTEM\CurrentControlSet\Services\SharedAccess\Parameters\FirewallPolicy\FirewallRules`
const DOCKER = {deadlineMs: 15_000, effect: 'read', method: 'GET', pipe: String.raw`\\.\pipe\docker_engine`} as const
/** Outside the base directory, where daemons and CNI plugins keep theirs. */
const DAEMONS_FOLDERS = [
  'C:\\Program Files\\containerd',
  'C:\\ProgramData\\containerd',
  'C:\\etc',
  'C:\\opt',
  'C:\\run',
  'C:\\usr',
  'C:\\var',
]
const LONGEST_TEXT = 2000
const [CURRENT_CERTIFICATE] = KUBELET_CERTIFICATE_FILES

export async function describeNode(machine: Machine, baseDir: string): Promise<Observation> {
  const {files, win32: windows} = machine
  const layout = layoutOf(baseDir)
  const roots = [baseDir, ...DAEMONS_FOLDERS]
  await podsGone(machine)
  const sections: Record<string, string[]> = {
    'cluster: the node': await node(machine, layout.kubeconfig),
    containerd: await containerd(machine, layout.containerd),
    docker: await docker(machine),
    environment: await environment(windows),
    files: (await Promise.all(roots.map((root) => tree(files, root, baseDir)))).flat(),
    'firewall rules': await firewall(windows),
    hns: await hns(windows),
    journal: await journal(files, layout.journal),
    security: await Promise.all(
      [baseDir, layout.kubeconfig, KUBELET_KEYS, CURRENT_CERTIFICATE].map(
        async (path) => `${path}: ${await windows.securityOf(path).catch(String)}`,
      ),
    ),
    services: (await Promise.all(SERVICES.map((name) => service(windows, name)))).flat(),
  }
  return Object.fromEntries(Object.entries(sections).map(([heading, lines]) => [heading, lines.map(normal)]))
}

async function service(windows: Win32, name: string): Promise<string[]> {
  const [config, status] = [await windows.queryServiceConfig(name), await windows.queryServiceStatus(name)]
  if (!config) return [`${name} is not there`]
  const stored = await windows.registryValues('HKLM', `${SERVICES_KEY}\\${name}`)
  return [
    `${name} is ${status?.state ?? 'gone'}`,
    ...flat(config, `${name} `),
    ...flat(stored, `${name} in the registry `).toSorted(),
  ]
}

async function environment(windows: Win32): Promise<string[]> {
  const {KUBECONFIG, ...others} = await windows.registryValues('HKLM', ENVIRONMENT_KEY)
  const path = Object.entries(others).find(([name]) => name.toLowerCase() === 'path')?.[1]
  const folders = String(path?.data).split(';')
  return [`KUBECONFIG ${JSON.stringify(KUBECONFIG)}`, ...folders.map((folder) => `Path (${path?.type}) ${folder}`)]
}

/** Netsh gives every rule a new GUID as its name in the registry. */
async function firewall(windows: Win32): Promise<string[]> {
  const rules = Object.values(await windows.registryValues('HKLM', FIREWALL_KEY))
  return rules
    .map(({data}) => String(data))
    .filter((rule) => rule.includes('|Name=k8s-win '))
    .sort()
}

async function hns(windows: Win32): Promise<string[]> {
  const told = ['/networks/', '/endpoints/', '/policylists/'].map(async (path) => {
    const objects = await hnsObjects(windows, path)
    return objects.map((one) => `${path} ${normal(JSON.stringify(sortedKeys(one)))}`).sort()
  })
  return (await Promise.all(told)).flat()
}

async function hnsObjects(windows: Win32, path: string): Promise<{Name?: string}[]> {
  const {response} = await windows.hnsCall('GET', path, '')
  return (JSON.parse(response) as {Output?: {Name?: string}[]}).Output ?? []
}

/** The pod of the smoke test has its sandbox until the kubelet notices that it was deleted. No scenario has other pods. */
async function podsGone({clock, win32: windows}: Machine): Promise<void> {
  const areGone = async (): Promise<true | undefined> =>
    (await hnsObjects(windows, '/endpoints/')).some(({Name = ''}) => /^[0-9a-f]{64}_/.test(Name)) ? undefined : true
  if (!(await waitFor(clock, {deadlineMs: 120_000, everyMs: 500}, areGone))) throw new Error('pods are left')
}

/** As crictl shows it. */
async function containerd({files, run}: Machine, {crictl, crictlConfig}: Layout['containerd']): Promise<string[]> {
  if (!(await files.status(crictl)) || !(await files.status(crictlConfig))) return ['no crictl to ask with']
  const ask = async (what: string): Promise<Record<string, unknown>[]> => {
    const args = ['--config', crictlConfig, what, '-o', 'json']
    const {exitCode, stderr, stdout} = await run(crictl, args, {deadlineMs: 60_000, effect: 'read'})
    if (exitCode !== 0) throw new Error(`crictl ${what} ended with ${exitCode}: ${stderr}`)
    return Object.values(JSON.parse(stdout) as Record<string, Record<string, unknown>[]>)[0] ?? []
  }

  const images = await ask('images')
  const pods = await ask('pods')
  return [
    ...images.map(({id, pinned, repoTags}) => `image ${JSON.stringify({id, pinned, repoTags})}`),
    ...pods.map(({labels, state}) => `pod ${JSON.stringify({labels, state})}`),
  ].sort()
}

async function docker({http, win32}: Machine): Promise<string[]> {
  if (!(await win32.pipeServer(DOCKER.pipe))) return ['Docker does not respond']
  const ask = async (path: string): Promise<Record<string, unknown>[]> => {
    const {body} = await http.request({...DOCKER, url: `http://docker${path}`})
    return JSON.parse(body.toString()) as Record<string, unknown>[]
  }

  const images = await ask('/images/json')
  const containers = await ask('/containers/json?all=1')
  return [
    ...images.map(({Id, Labels, RepoTags}) => `image ${JSON.stringify({Id, Labels, RepoTags})}`),
    ...containers.map(({Image, Labels, State}) => `container ${JSON.stringify({Image, Labels, State})}`),
  ].sort()
}

/** As the node itself, or as an administrator once reset has removed the node's kubeconfig. */
async function node(machine: Machine, own: string): Promise<string[]> {
  const path = (await machine.files.status(own)) ? own : ADMIN_FILE
  const content = await machine.files.read(path)
  if (!content) return ['no kubeconfig to ask with']
  const ask = openRequests(machine, await readKubeconfig(path, content, (file) => machine.files.read(file)))
  const name = (await machine.win32.computerName()).toLowerCase()
  // Right after a reset the host may still be cut off.
  const seen = await waitFor(machine.clock, {deadlineMs: 120_000, everyMs: 500}, () =>
    ask('GET', `/api/v1/nodes/${name}`).catch((error: unknown) => {
      if (error instanceof K8sWinError && error.id === 'API_SERVER_UNREACHABLE') return undefined
      throw error
    }),
  )
  if (!seen) throw new Error('the cluster could not be asked in two minutes')
  const {body, status} = seen
  return [`status ${status}`, ...(status === 200 ? flat(JSON.parse(body.toString())).sort() : [])]
}

/** By step, for steps write side by side. A folder that several need is noted by whichever comes first. */
async function journal(files: Files, path: string): Promise<string[]> {
  const lines = ((await files.read(path))?.toString() ?? '').split('\n').filter((line) => line !== '')
  const entries = lines.map((line) => {
    // Numbers and checksums tell the order, which steps that run side by side do not have.
    const {
      at: _at,
      n: _n,
      step,
      sum: _sum,
      ...entry
    } = JSON.parse(line) as Record<'at' | 'n' | 'step' | 'sum', string> & {
      path?: string
    }
    return {step: /\\downloads$/.test(entry.path ?? '') ? 'whichever is first' : step, text: JSON.stringify(entry)}
  })
  const steps = [...new Set(entries.map(({step}) => step))].sort()
  return steps.flatMap((step) => {
    const own = entries.filter((entry) => entry.step === step)
    return [...new Set(own.map(({text}) => `${step} ${text}`))]
  })
}

/** The trace reports what our own log says, and result.json is reported as the run's ending; logs of daemons are named only. */
async function tree(files: Files, path: string, baseDir: string): Promise<string[]> {
  const status = await files.status(path)
  if (!status) return []
  const inBase = path.startsWith(`${baseDir}\\`) ? path.slice(baseDir.length + 1) : ''
  if (/^(?:logs\\k8s-win\\|k8s-win\\)/.test(inBase)) return []
  if (status.kind === 'directory') {
    const names = await files.list(path)
    const below = await Promise.all(names.map((name) => tree(files, win32.join(path, name), baseDir)))
    return [`${path}\\`, ...new Set(below.flat().map(normal))]
  }

  return [inBase.startsWith('logs\\') ? path : `${path} ${await contentOf(files, path)}`]
}

async function contentOf(files: Files, path: string): Promise<string> {
  const bytes = (await files.read(path)) ?? Buffer.alloc(0)
  // Programs are large: they are not read as text.
  const text = bytes.length < LONGEST_TEXT ? bytes.toString() : undefined
  const isShown = text !== undefined && !/[^\P{Cc}\r\n\t]|\uFFFD/u.test(text)
  return isShown
    ? (describeIssued(text) ?? JSON.stringify(text))
    : `sha256 ${createHash('sha256').update(bytes).digest('hex')}`
}

function flat(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [`${path}= ${JSON.stringify(value)}`]
  const parts = Object.entries(value)
  return parts.length === 0 ? [`${path}= nothing`] : parts.flatMap(([key, part]) => flat(part, `${path}${key} `))
}

function sortedKeys(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
